"""What groups have committed, asked by this project's own client.

Groups move from broker to broker. librdkafka's admin client goes on asking the one that it asked first, and takes the
whole process down when that one says so to a question for offsets (confluent-kafka 2.16.1). Only for a login that the
own client does not know is librdkafka asked all the same.
"""

from __future__ import annotations

from riacho.client.cluster import Cluster
from riacho.client.groups import CommittedOffset, fetch_offsets
from riacho.client.offsets import TopicPartition


def committed_offsets(cluster: Cluster, group: str) -> dict[TopicPartition, CommittedOffset]:
    # librdkafka's consumers send their metadata with the zero at its end, and leave that out when they read it.
    return {
        partition: each._replace(metadata=each.metadata.removesuffix("\0"))
        for partition, each in fetch_offsets(cluster, group).items()
    }

"""Which topics there are, on the cluster that a client's settings lead to.

Not asked through librdkafka: where credentials or certificates are refused that one tries for as long as it may, and
says in the end only that nobody answered.
"""

from __future__ import annotations

from collections.abc import Mapping

from riacho.base.errors import KafkaError
from riacho.client.cluster import Cluster
from riacho.client.settings import client_settings
from riacho.pipelines.plugin import ConnectError, RetriableError


def existing_topics(client: Mapping[str, str]) -> dict[str, list[int]]:
    """The partitions of each, for settings in Java's names. RetriableError where a later try may do, else
    ConnectError."""
    try:
        with Cluster(client_settings(client["bootstrap.servers"], client)) as cluster:
            found = cluster.retry(cluster.metadata).topics
    except KafkaError as error:
        kind = RetriableError if error.code.retriable else ConnectError
        reason = (error.detail or error.code.name).rstrip(".")
        raise kind(f"The brokers could not be asked for their topics: {reason}.") from None
    return {topic.name or "": sorted(each.partition_index for each in topic.partitions) for topic in found}

"""Leader elections on request (ElectLeaders, KIP-183 and KIP-460)."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum

from riacho.base.errors import KafkaError
from riacho.client.cluster import Cluster, check, error_of
from riacho.client.offsets import TopicPartition, group_by_topic
from riacho.wire.messages.elect_leaders_request import ElectLeadersRequest, TopicPartitions
from riacho.wire.messages.elect_leaders_response import ElectLeadersResponse


class ElectionType(IntEnum):
    PREFERRED = 0
    UNCLEAN = 1


def elect_leaders(
    cluster: Cluster, election_type: ElectionType, partitions: Iterable[TopicPartition] | None
) -> dict[TopicPartition, KafkaError | None]:
    """What came of each partition, None for success. All partitions for None: the answer leaves out those at rest."""
    request = ElectLeadersRequest(
        election_type=election_type,
        topic_partitions=None
        if partitions is None
        else group_by_topic(partitions, lambda name, indexes: TopicPartitions(topic=name, partitions=indexes)),
        timeout_ms=cluster.settings.request_timeout_ms,
    )

    def work() -> ElectLeadersResponse:
        response = cluster.ask(request, ElectLeadersResponse, cluster.controller())
        check(response.error_code)
        return response

    return {
        (topic.topic, result.partition_id): (
            KafkaError(error_of(result.error_code), result.error_message or "") if result.error_code else None
        )
        for topic in cluster.retry(work).replica_election_results
        for result in topic.partition_result
    }

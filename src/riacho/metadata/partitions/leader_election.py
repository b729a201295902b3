"""Elections that somebody asks for, or that the controller holds by itself from time to time (KIP-183, KIP-460).

ElectLeaders v0 knows the preferred election alone; v1 adds the unclean one, which takes any replica that is up and may
lose records. Asked for all partitions, only those that need one are answered for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from riacho.base.decision import Decision
from riacho.base.errors import ErrorCode, KafkaError
from riacho.metadata.image.records import MetadataRecord
from riacho.metadata.image.topics import NO_LEADER, Partition, Topic
from riacho.metadata.partitions.leadership import Election, LeadershipRules
from riacho.metadata.partitions.partition_change import PartitionChange
from riacho.wire.messages import elect_leaders_response as response
from riacho.wire.messages.elect_leaders_request import ElectLeadersRequest
from riacho.wire.messages.partition_change_record import PartitionChangeRecord

# ElectLeadersRequest.election_type.
_TYPES = {0: Election.PREFERRED, 1: Election.UNCLEAN}
# Kafka's bound on what one round of balancing changes, so that clients are not all sent elsewhere at once.
ELECTIONS_MAX_PER_ROUND = 1_000


def decide_elect_leaders(
    rules: LeadershipRules, request: ElectLeadersRequest, version: int
) -> Decision[MetadataRecord, response.ElectLeadersResponse]:
    election = _TYPES.get(request.election_type if version >= 1 else 0)
    if election is None:
        raise KafkaError(ErrorCode.INVALID_REQUEST, f"Unknown election type {request.election_type}")
    records: list[MetadataRecord] = []
    asked: Sequence[tuple[str, Sequence[int]]]
    if request.topic_partitions is None:
        asked = [(topic.name, range(len(topic.partitions))) for topic in rules.image.topics.values()]
    else:
        asked = [(topic.topic, topic.partitions) for topic in request.topic_partitions]
    topics = []
    seen: set[tuple[str, int]] = set()
    for name, partitions in asked:
        results = []
        for partition_id in partitions:
            error = None
            try:
                if (name, partition_id) in seen:
                    raise _not_needed()
                records.append(_elect(rules, name, partition_id, election))
            except KafkaError as problem:
                error = problem
            seen.add((name, partition_id))
            is_needed = error is None or error.code is not ErrorCode.ELECTION_NOT_NEEDED
            if is_needed or request.topic_partitions is not None:
                results.append(
                    response.PartitionResult(
                        partition_id=partition_id,
                        error_code=ErrorCode.NONE if error is None else error.code,
                        error_message=None if error is None else error.detail or None,
                    )
                )
        topics.append(response.ReplicaElectionResult(topic=name, partition_result=results))
    return Decision(reply=response.ElectLeadersResponse(replica_election_results=topics), records=records)


def _not_needed() -> KafkaError:
    return KafkaError(ErrorCode.ELECTION_NOT_NEEDED, "Leader election not needed for topic partition.")


def _elect(rules: LeadershipRules, name: str, partition_id: int, election: Election) -> PartitionChangeRecord:
    topic = rules.image.topics.get(name)
    if topic is None:
        raise KafkaError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, f"No such topic as {name}")
    if not 0 <= partition_id < len(topic.partitions):
        raise KafkaError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, f"No such partition as {name}-{partition_id}")
    partition = topic.partitions[partition_id]
    if election is Election.PREFERRED and not _needs_preferred(partition):
        raise _not_needed()
    if election is Election.UNCLEAN and partition.leader != NO_LEADER:
        raise _not_needed()
    record = _change(rules, topic, partition_id, election)
    if record is None and election is Election.PREFERRED:
        problem = "The preferred leader was not available."
        raise KafkaError(ErrorCode.PREFERRED_LEADER_NOT_AVAILABLE, problem)
    if record is None:
        problem = "Eligible topic partition leaders are not available."
        raise KafkaError(ErrorCode.ELIGIBLE_LEADERS_NOT_AVAILABLE, problem)
    return record


def _change(
    rules: LeadershipRules, topic: Topic, partition_id: int, election: Election
) -> PartitionChangeRecord | None:
    change = PartitionChange(rules, topic, partition_id)
    change.election = election
    return change.record()


def _needs_preferred(partition: Partition) -> bool:
    return partition.leader != partition.replicas[0]


def decide_balance_leaders(rules: LeadershipRules) -> list[MetadataRecord]:
    """Back to the preferred leader wherever another leads and the preferred one may (auto.leader.rebalance.enable)."""
    return _elected(rules, Election.PREFERRED, lambda _, partition: _needs_preferred(partition))


def decide_elect_unclean(rules: LeadershipRules) -> list[MetadataRecord]:
    """A leader at any price for partitions that have none, where the settings allow it."""
    return _elected(
        rules,
        Election.UNCLEAN,
        lambda topic, partition: partition.leader == NO_LEADER and rules.election(topic) is Election.UNCLEAN,
    )


def _elected(
    rules: LeadershipRules, election: Election, is_wanted: Callable[[Topic, Partition], bool]
) -> list[MetadataRecord]:
    """A round of elections, where they give another leader."""
    records: list[MetadataRecord] = []
    for topic, partition_id, partition in rules.image.all_partitions():
        if not is_wanted(topic, partition):
            continue
        record = _change(rules, topic, partition_id, election)
        if record is not None:
            records.append(record)
        if len(records) >= ELECTIONS_MAX_PER_ROUND:
            break
    return records

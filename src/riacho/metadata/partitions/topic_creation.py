"""Creating topics: names, placement, settings. One refused topic does not touch the others of a request."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from riacho.base.config import ConfigError
from riacho.base.decision import Decision
from riacho.base.errors import ErrorCode, KafkaError
from riacho.base.ids import ZERO_UUID, uuid_text
from riacho.metadata.image.config_resource import ConfigSource, ResourceType
from riacho.metadata.image.image import MetadataImage
from riacho.metadata.image.records import MetadataRecord
from riacho.metadata.image.topic_names import (
    CLUSTER_METADATA,
    collision_index,
    collision_key,
    may_collide,
    name_problem,
)
from riacho.metadata.partitions.mutation_quota import RecordMutations
from riacho.metadata.partitions.partition_creation import new_partition
from riacho.metadata.partitions.placement import check_manual, place
from riacho.metadata.settings.broker_values import BrokerValues
from riacho.metadata.settings.config_listing import ConfigEntry, describe_topic
from riacho.metadata.settings.configs import check_topic_configs
from riacho.wire.messages.config_record import ConfigRecord
from riacho.wire.messages.create_topics_request import CreatableTopic, CreateTopicsRequest
from riacho.wire.messages.create_topics_response import (
    CreatableTopicConfigs,
    CreatableTopicResult,
    CreateTopicsResponse,
)
from riacho.wire.messages.topic_record import TopicRecord

# Kafka's bound on what one request may make, so that the controller stays responsive.
PARTITIONS_MAX_PER_REQUEST = 10_000


def partitions_asked_for(request: CreateTopicsRequest, values: BrokerValues) -> int:
    default = values.integer("num.partitions")
    return sum(
        len(topic.assignments) or (default if topic.num_partitions == -1 else topic.num_partitions)
        for topic in request.topics
    )


@dataclass(frozen=True, slots=True)
class TopicCreation:
    image: MetadataImage
    values: BrokerValues
    new_uuid: Callable[[], bytes]
    # Where placement starts, so that first partitions do not all land on the same broker.
    start: int = 0
    mutations: RecordMutations | None = None

    def decide(self, request: CreateTopicsRequest) -> Decision[MetadataRecord, CreateTopicsResponse]:
        count = Counter(topic.name for topic in request.topics)
        collisions = collision_index(self.image.topics) if any(may_collide(name) for name in count) else {}
        is_excessive = partitions_asked_for(request, self.values) > PARTITIONS_MAX_PER_REQUEST
        records: list[MetadataRecord] = []
        results = []
        for topic in {topic.name: topic for topic in request.topics}.values():
            try:
                if count[topic.name] > 1:
                    raise KafkaError(ErrorCode.INVALID_REQUEST, "Duplicate topic name.")
                if is_excessive:
                    problem = "Excessively large number of partitions per request."
                    raise KafkaError(ErrorCode.POLICY_VIOLATION, problem)
                self._check_name(topic.name, collisions)
                created, result = self._create(topic)
            except KafkaError as error:
                result = refused(topic.name, error)
            else:
                records += created
            results.append(result)
        if request.validate_only:
            records = []
        return Decision(reply=CreateTopicsResponse(topics=results), records=records)

    def _check_name(self, name: str, collisions: dict[str, str]) -> None:
        if name == CLUSTER_METADATA:
            raise KafkaError(ErrorCode.INVALID_REQUEST, f"Creation of internal topic {name} is prohibited.")
        if name in self.image.topics:
            raise KafkaError(ErrorCode.TOPIC_ALREADY_EXISTS, f"Topic '{name}' already exists.")
        problem = name_problem(name)
        other = collisions.get(collision_key(name)) if problem is None and may_collide(name) else None
        if other is not None:
            problem = f"Topic '{name}' collides with existing topic: {other}"
        if problem is not None:
            raise KafkaError(ErrorCode.INVALID_TOPIC_EXCEPTION, problem)

    def _create(self, topic: CreatableTopic) -> tuple[list[MetadataRecord], CreatableTopicResult]:
        configs = self._configs(topic)
        assignments = self._manual(topic) if topic.assignments else self._placed(topic)
        if self.mutations is not None:
            self.mutations(len(assignments))
        topic_id = self._fresh_id()
        records: list[MetadataRecord] = [TopicRecord(name=topic.name, topic_id=topic_id)]
        for partition_id, replicas in enumerate(assignments):
            records.append(new_partition(self.image, topic_id, partition_id, replicas))
        for name, value in configs.items():
            records.append(
                ConfigRecord(resource_type=ResourceType.TOPIC, resource_name=topic.name, name=name, value=value)
            )
        result = CreatableTopicResult(
            name=topic.name,
            topic_id=topic_id,
            error_message=None,
            num_partitions=len(assignments),
            replication_factor=len(assignments[0]),
            configs=_result_configs(configs, self.values),
        )
        return records, result

    def _configs(self, topic: CreatableTopic) -> dict[str, str]:
        given = {config.name: config.value for config in topic.configs}
        try:
            check_topic_configs(given, self.values.flag("remote.log.storage.system.enable"))
        except ConfigError as error:
            raise KafkaError(ErrorCode.INVALID_CONFIG, str(error)) from error
        return {name: value for name, value in given.items() if value is not None}

    def _placed(self, topic: CreatableTopic) -> list[list[int]]:
        if topic.replication_factor < -1 or topic.replication_factor == 0:
            problem = "Replication factor must be larger than 0, or -1 to use the default value."
            raise KafkaError(ErrorCode.INVALID_REPLICATION_FACTOR, problem)
        if topic.num_partitions < -1 or topic.num_partitions == 0:
            problem = "Number of partitions was set to an invalid non-positive value."
            raise KafkaError(ErrorCode.INVALID_PARTITIONS, problem)
        count = self.values.integer("num.partitions") if topic.num_partitions == -1 else topic.num_partitions
        factor = topic.replication_factor
        if factor == -1:
            factor = self.values.integer("default.replication.factor")
        return place(list(self.image.brokers.values()), count, factor, self.start)

    def _manual(self, topic: CreatableTopic) -> list[list[int]]:
        for field, value in (("replication factor", topic.replication_factor), ("numPartitions", topic.num_partitions)):
            if value != -1:
                problem = f"A manual partition assignment was specified, but {field} was not set to -1."
                raise KafkaError(ErrorCode.INVALID_REQUEST, problem)
        by_partition: dict[int, list[int]] = {}
        factor: int | None = None
        for assignment in topic.assignments:
            if assignment.partition_index in by_partition:
                problem = f"Found multiple manual partition assignments for partition {assignment.partition_index}"
                raise KafkaError(ErrorCode.INVALID_REPLICA_ASSIGNMENT, problem)
            check_manual(assignment.broker_ids, factor, self.image.brokers)
            factor = len(assignment.broker_ids)
            by_partition[assignment.partition_index] = assignment.broker_ids
        if sorted(by_partition) != list(range(len(by_partition))):
            problem = "partitions should be a consecutive 0-based integer sequence"
            raise KafkaError(ErrorCode.INVALID_REPLICA_ASSIGNMENT, problem)
        return [by_partition[index] for index in range(len(by_partition))]

    def _fresh_id(self) -> bytes:
        """Random, so that a topic made again under an old name has another; low numbers are Kafka's own."""
        while True:
            topic_id = self.new_uuid()
            is_reserved = topic_id[:15] == ZERO_UUID[:15]
            # Command lines would take a leading dash for an option.
            if not is_reserved and topic_id not in self.image.topics_by_id and uuid_text(topic_id)[0] != "-":
                return topic_id


def refused(name: str, error: KafkaError) -> CreatableTopicResult:
    return CreatableTopicResult(name=name, error_code=error.code, error_message=error.detail or None)


def _result_configs(overrides: dict[str, str], values: BrokerValues) -> list[CreatableTopicConfigs]:
    """What the topic sets comes back letter by letter, as in Kafka; DescribeConfigs tidies it."""
    return [
        CreatableTopicConfigs(
            name=default.name, value=overrides[default.name], config_source=ConfigSource.DYNAMIC_TOPIC_CONFIG
        )
        if default.name in overrides
        else default
        for default in _default_result_configs(values)
    ]


@lru_cache(maxsize=4)
def _default_result_configs(values: BrokerValues) -> list[CreatableTopicConfigs]:
    """Shared by the results of all topics that set nothing: only ever encoded, never changed."""
    return [_result_config(entry) for entry in describe_topic({}, values)]


def _result_config(entry: ConfigEntry) -> CreatableTopicConfigs:
    return CreatableTopicConfigs(
        name=entry.name,
        value=entry.value,
        read_only=entry.is_read_only,
        config_source=entry.source,
        is_sensitive=entry.is_sensitive,
    )

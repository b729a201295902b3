"""Makes the topics that a connector is about to write to, where the cluster lacks them (KIP-158).

    topic.creation.default.partitions = 3          topic.creation.groups = compacted
    topic.creation.default.replication.factor = 3  topic.creation.compacted.include = accounts.*
                                                   topic.creation.compacted.cleanup.policy = compact

The first group whose patterns take the name decides, else the default; what a group does not say is the default's, and
what neither says is left to the broker. With `topic.creation.enable=false` nothing is made here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from riacho.client.librdkafka.names import make_client, translate
from riacho.pipelines.connect.runner.cluster_topics import existing_topics
from riacho.pipelines.plugin import ConnectError, RetriableError

if TYPE_CHECKING:
    from confluent_kafka.admin import AdminClient

_PREFIX = "topic.creation."
_TIMEOUT_S = 30.0
_BROKER_DEFAULT = -1


@dataclass(frozen=True, slots=True)
class NewTopicSettings:
    partitions: int = _BROKER_DEFAULT
    replication_factor: int = _BROKER_DEFAULT
    configs: Mapping[str, str] = field(default_factory=dict)


def settings_for(topic: str, configs: Mapping[str, str]) -> NewTopicSettings:
    groups = [name.strip() for name in configs.get(_PREFIX + "groups", "").split(",") if name.strip()]
    own = _group(configs, "default")
    for group in groups:
        given = _group(configs, group)
        included = _matches(given.pop("include", ""), topic)
        if included and not _matches(given.pop("exclude", ""), topic):
            own |= given
            break
    own = {name: text for name, text in own.items() if name not in ("include", "exclude")}
    try:
        partitions = int(own.pop("partitions", _BROKER_DEFAULT))
        replication_factor = int(own.pop("replication.factor", _BROKER_DEFAULT))
    except ValueError as error:
        raise ConnectError(f"The settings {_PREFIX}* for the topic {topic} are not numbers: {error}.") from None
    return NewTopicSettings(partitions, replication_factor, own)


@dataclass(slots=True)
class TopicCreation:
    """`client` is settings of a Kafka client in Java's names; what has been seen to exist is not asked again."""

    client: Mapping[str, str]
    configs: Mapping[str, str]
    _known: set[str] = field(default_factory=set)

    def ensure(self, topics: Iterable[str]) -> None:
        missing = [topic for topic in topics if topic not in self._known]
        if not missing or self.configs.get(_PREFIX + "enable", "true").strip().lower() == "false":
            return
        existing = existing_topics(self.client)
        for topic in missing:
            if topic not in existing:
                _create(self._admin(), topic, settings_for(topic, self.configs))
            self._known.add(topic)

    def ensure_dead_letter_topic(self, topic: str, replication_factor: int) -> None:
        """The dead letter topic: one partition, no more replicas than there are brokers."""
        if topic in self._known:
            return
        if topic not in existing_topics(self.client):
            admin = self._admin()
            brokers = len(admin.list_topics(timeout=_TIMEOUT_S).brokers)
            _create(admin, topic, NewTopicSettings(1, min(replication_factor, max(brokers, 1))))
        self._known.add(topic)

    def _admin(self) -> AdminClient:
        from confluent_kafka.admin import AdminClient

        return make_client(AdminClient, translate(self.client), lambda name: None)


def _create(admin: AdminClient, topic: str, settings: NewTopicSettings) -> None:
    from confluent_kafka import KafkaError, KafkaException
    from confluent_kafka.admin import NewTopic  # type: ignore[attr-defined]

    wanted = NewTopic(
        topic,
        num_partitions=settings.partitions,
        replication_factor=settings.replication_factor,
        config=dict(settings.configs),
    )
    try:
        admin.create_topics([wanted], operation_timeout=_TIMEOUT_S)[topic].result(timeout=_TIMEOUT_S)
    except KafkaException as error:
        cause = error.args[0]
        if cause.code() == KafkaError.TOPIC_ALREADY_EXISTS:
            return
        kind = RetriableError if cause.retriable() else ConnectError
        raise kind(f"The topic {topic} could not be created: {cause.str()}.") from None


def _group(configs: Mapping[str, str], group: str) -> dict[str, str]:
    prefix = f"{_PREFIX}{group}."
    return {name.removeprefix(prefix): text for name, text in configs.items() if name.startswith(prefix)}


def _matches(patterns: str, topic: str) -> bool:
    try:
        return any(re.fullmatch(each.strip(), topic) for each in patterns.split(",") if each.strip())
    except re.error as error:
        raise ConnectError(f"The pattern {patterns} of {_PREFIX}* cannot be read: {error}.") from None

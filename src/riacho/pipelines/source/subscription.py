"""Which partitions are read: those named, all of some topics, or all of the topics that a pattern fits."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from riacho.base.config import ConfigError
from riacho.base.errors import ErrorCode, KafkaError
from riacho.client.cluster import Cluster, check
from riacho.client.offsets import TopicPartition, Topics

_NAMES = "assign, subscribe, subscribePattern"


class Found(NamedTuple):
    partitions: list[TopicPartition]
    # What the brokers said of their topics just now, where they had to be asked.
    topics: Topics | None = None


@dataclass(frozen=True, slots=True)
class Subscription:
    """One of the three is given."""

    partitions: tuple[TopicPartition, ...] = ()
    topics: tuple[str, ...] = ()
    pattern: str | None = None

    def find(self, cluster: Cluster) -> Found:
        """What there is of it now; topics that do not exist are left out, unless they were named."""
        if self.partitions:
            return Found(list(self.partitions))
        response = cluster.retry(lambda: cluster.metadata(self.topics or None))
        found: list[TopicPartition] = []
        for topic in response.topics:
            name = topic.name or ""
            if not self._wants(name, topic.is_internal):
                continue
            if topic.error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION:
                continue
            if topic.error_code == ErrorCode.TOPIC_AUTHORIZATION_FAILED:
                raise KafkaError(ErrorCode.TOPIC_AUTHORIZATION_FAILED, f"Not authorized to access topic {name}")
            check(topic.error_code, f"Topic '{name}' cannot be read now")
            found += [(name, partition.partition_index) for partition in topic.partitions]
        return Found(sorted(found), {topic.name or "": topic for topic in response.topics})

    def _wants(self, topic: str, is_internal: bool) -> bool:
        if self.pattern is None:
            return True
        return not is_internal and re.fullmatch(self.pattern, topic) is not None

    def __str__(self) -> str:
        if self.partitions:
            return "partitions " + named(self.partitions)
        return f"the pattern '{self.pattern}'" if self.pattern is not None else "topics " + ", ".join(self.topics)


def parse_subscription(assign: str | None, subscribe: str | None, pattern: str | None) -> Subscription:
    given = [text for text in (assign, subscribe, pattern) if text is not None]
    if not given:
        raise ConfigError(f"One of the following options must be specified for reading from Kafka: {_NAMES}.")
    if len(given) > 1:
        raise ConfigError(f"Only one of the following options can be specified for reading from Kafka: {_NAMES}.")
    if assign is not None:
        return Subscription(partitions=_assigned(assign))
    if subscribe is not None:
        topics = tuple(dict.fromkeys(name.strip() for name in subscribe.split(",") if name.strip()))
        if not topics:
            raise ConfigError(f"No topics to subscribe to as specified value for option 'subscribe' is '{subscribe}'.")
        return Subscription(topics=topics)
    assert pattern is not None
    if not pattern.strip():
        raise ConfigError("Pattern to subscribe is empty as specified value for option 'subscribePattern'.")
    try:
        re.compile(pattern.strip())
    except re.error as error:
        raise ConfigError(f"Option 'subscribePattern' is no pattern: {error}.") from None
    return Subscription(pattern=pattern.strip())


def _assigned(text: str) -> tuple[TopicPartition, ...]:
    try:
        document = json.loads(text)
        found = [(topic, int(partition)) for topic, partitions in document.items() for partition in partitions]
    except (ValueError, TypeError, AttributeError):
        example = '{"topicA":[0,1],"topicB":[2,4]}'
        raise ConfigError(f"Option 'assign' cannot be read; write JSON such as {example}.") from None
    if not found:
        raise ConfigError(f"No topic partitions to assign as specified value for option 'assign' is '{text}'.")
    return tuple(sorted(dict.fromkeys(found)))


def named(partitions: Iterable[TopicPartition]) -> str:
    return ", ".join(f"{topic}-{partition}" for topic, partition in sorted(partitions))

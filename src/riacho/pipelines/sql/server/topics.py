"""What the server asks brokers about topics, and has made: blocking, for threads."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from confluent_kafka import OFFSET_END, Consumer, KafkaError, KafkaException, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic  # type: ignore[attr-defined]

from riacho.pipelines.sql.errors import KsqlError
from riacho.web.kafka_client import make_client

_NOT_YET_KNOWN = (KafkaError._UNKNOWN_PARTITION, KafkaError._UNKNOWN_TOPIC)
_TIMEOUT_S = 15.0
_GROUPS_MAX = 1_000
_LEGAL = re.compile(r"[a-zA-Z0-9._-]{1,249}")


@dataclass(frozen=True, slots=True)
class KafkaTopic:
    """`replicas` of each partition."""

    name: str
    replicas: tuple[int, ...]

    @property
    def partitions(self) -> int:
        return len(self.replicas)


class Topics:
    def __init__(self, client: Mapping[str, Any]) -> None:
        self._client = dict(client)
        self._admin = make_client(AdminClient, client)
        watch = {"group.id": "riacho-ksql-topics", "enable.auto.commit": False, "allow.auto.create.topics": False}
        self._watch = make_client(Consumer, {**client, **watch})

    def all(self) -> dict[str, KafkaTopic]:
        """KsqlError where no broker answers; so do the others."""
        with _kafka_error_as("Topics cannot be listed"):
            found = self._admin.list_topics(timeout=_TIMEOUT_S).topics
        return {
            name: KafkaTopic(name, tuple(len(part.replicas) for _, part in sorted(topic.partitions.items())))
            for name, topic in found.items()
            if topic.error is None
        }

    def find(self, name: str) -> KafkaTopic | None:
        # By the consumer: an admin client's question would make the topic where brokers do that by themselves.
        if not _LEGAL.fullmatch(name):
            return None
        with _kafka_error_as(f"The topic {name} cannot be looked for"):
            found = self._watch.list_topics(name, timeout=_TIMEOUT_S).topics.get(name)
        if found is None or found.error is not None or not found.partitions:
            return None
        return KafkaTopic(name, tuple(len(part.replicas) for _, part in sorted(found.partitions.items())))

    def create(self, name: str, partitions: int, replicas: int, config: Mapping[str, str]) -> None:
        """Nothing where it is there already. KsqlError in the broker's words."""
        if not _LEGAL.fullmatch(name) or not name.strip("."):
            raise KsqlError(
                f"Failed to create topic {name[:250]!r}: names have up to 249 letters, digits, '.', '_' and '-'."
            )
        with _kafka_error_as(f"Failed to create topic {name}"):
            brokers = len(self._admin.list_topics(timeout=_TIMEOUT_S).brokers)
        wanted = NewTopic(name, partitions, min(replicas, brokers) if replicas > 0 else -1, config=dict(config))
        try:
            self._admin.create_topics([wanted], request_timeout=_TIMEOUT_S)[name].result()
        except KafkaException as error:
            if error.args[0].code() != KafkaError.TOPIC_ALREADY_EXISTS:
                raise KsqlError(f"Failed to create topic {name}: {error.args[0].str()}.") from None

    def delete(self, names: Iterable[str]) -> None:
        """Those that are not there are as deleted."""
        gone = (KafkaError.UNKNOWN_TOPIC_OR_PART, KafkaError._UNKNOWN_TOPIC)
        for name, future in self._admin.delete_topics(list(names), request_timeout=_TIMEOUT_S).items():
            try:
                future.result()
            except KafkaException as error:
                if error.args[0].code() not in gone:
                    raise KsqlError(f"Could not delete the topic {name}: {error.args[0].str()}.") from None

    def readers(self) -> dict[str, tuple[int, int]]:
        """Of each topic that groups read: how many consumers and how many groups."""
        with _kafka_error_as("Consumer groups cannot be listed"):
            listed = self._admin.list_consumer_groups(request_timeout=_TIMEOUT_S).result().valid
        names = [group.group_id for group in listed][:_GROUPS_MAX]
        found: dict[str, tuple[int, int]] = {}
        if not names:
            return found
        for future in self._admin.describe_consumer_groups(names, request_timeout=_TIMEOUT_S).values():
            try:
                group = future.result()
            except KafkaException:
                continue
            by_topic = Counter(
                topic
                for member in group.members
                for topic in {place.topic for place in member.assignment.topic_partitions}
            )
            for topic, members in by_topic.items():
                consumers, groups = found.get(topic, (0, 0))
                found[topic] = (consumers + members, groups + 1)
        return found

    def ends(self, name: str, partitions: int) -> dict[int, int]:
        """Where each partition ends for readers of committed records. KsqlError where a broker does not say."""
        for is_again in (False, True):
            # By this call for all partitions at once, and it never answers from what was fetched before.
            wanted = [TopicPartition(name, part, OFFSET_END) for part in range(partitions)]
            try:
                found = self._watch.offsets_for_times(wanted, timeout=_TIMEOUT_S)
                problem = next((each.error for each in found if each.error is not None), None)
            except KafkaException as error:
                problem = error.args[0]
            if problem is None:
                return {each.partition: each.offset for each in found}
            if is_again or problem.code() not in _NOT_YET_KNOWN:
                raise KsqlError(f"The ends of {name} cannot be asked for: {problem.str()}.")
            # A topic that was made a moment ago: what the client knows is older.
            with _kafka_error_as(f"The topic {name} cannot be looked for"):
                self._watch.list_topics(name, timeout=_TIMEOUT_S)
        raise AssertionError("the second time it is told")

    def close(self) -> None:
        self._watch.close()


@contextmanager
def _kafka_error_as(what: str) -> Iterator[None]:
    try:
        yield
    except KafkaException as error:
        raise KsqlError(f"{what}: {error.args[0].str()}.") from None

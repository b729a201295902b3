"""One of the two clusters of a mirror, mostly through librdkafka's admin client; every failure is one sentence.

Clients are made for a piece of work and not kept: connectors travel to other processes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from riacho.base.config import ConfigError
from riacho.base.errors import KafkaError
from riacho.client.cluster import Cluster
from riacho.client.groups import fetch_offsets
from riacho.client.librdkafka.names import make_client, translate
from riacho.client.settings import client_settings
from riacho.pipelines.plugin import ConnectError

if TYPE_CHECKING:
    from confluent_kafka.admin import AdminClient

_TIMEOUT_S = 30.0
Partition = tuple[str, int]


class MirrorCluster:
    """`alias` is its name in messages and topics; `client` its settings in Java's names."""

    def __init__(self, alias: str, client: Mapping[str, str]) -> None:
        self.alias = alias
        self.client = dict(client)

    def topics(self) -> dict[str, int]:
        """How many partitions each has."""
        with self._admin("tell its topics") as admin:
            found = admin.list_topics(timeout=_TIMEOUT_S).topics
            return {name: len(topic.partitions) for name, topic in found.items() if topic.error is None}

    def brokers(self) -> int:
        with self._admin("tell its brokers") as admin:
            return len(admin.list_topics(timeout=_TIMEOUT_S).brokers)

    def configs(self, topics: Sequence[str]) -> dict[str, dict[str, str]]:
        """What was set on the topics themselves."""
        own = _words().ConfigSource.DYNAMIC_TOPIC_CONFIG.value
        with self._admin("tell the configs of topics") as admin:
            asked = [_words().ConfigResource(_words().ConfigResource.Type.TOPIC, topic) for topic in topics]
            answers = admin.describe_configs(asked, request_timeout=_TIMEOUT_S) if asked else {}
            return {
                resource.name: {
                    name: entry.value
                    for name, entry in answer.result().items()
                    if int(entry.source) == own and entry.value is not None
                }
                for resource, answer in answers.items()
            }

    def create(self, topic: str, partitions: int, replication_factor: int, configs: Mapping[str, str]) -> None:
        from confluent_kafka import KafkaError, KafkaException

        new = _words().NewTopic(topic, partitions, replication_factor, config=dict(configs))
        with self._admin(f"create the topic {topic}") as admin:
            try:
                admin.create_topics([new], request_timeout=_TIMEOUT_S)[topic].result()
            except KafkaException as error:
                if error.args[0].code() != KafkaError.TOPIC_ALREADY_EXISTS:
                    raise

    def grow(self, topic: str, partitions: int) -> None:
        with self._admin(f"add partitions to the topic {topic}") as admin:
            change = [_words().NewPartitions(topic, partitions)]
            admin.create_partitions(change, request_timeout=_TIMEOUT_S)[topic].result()

    def alter(self, topic: str, configs: Mapping[str, str]) -> None:
        entries = [
            _words().ConfigEntry(name, value, incremental_operation=_words().AlterConfigOpType.SET)
            for name, value in configs.items()
        ]
        resource = _words().ConfigResource(_words().ConfigResource.Type.TOPIC, topic, incremental_configs=entries)
        with self._admin(f"alter the configs of the topic {topic}") as admin:
            for answer in admin.incremental_alter_configs([resource], request_timeout=_TIMEOUT_S).values():
                answer.result()

    def ends(self, partitions: Sequence[Partition]) -> dict[Partition, int]:
        """Log end offsets."""
        from confluent_kafka import TopicPartition

        with self._admin("tell the ends of topics") as admin:
            asked = {TopicPartition(*each): _words().OffsetSpec.latest() for each in partitions}
            answers = admin.list_offsets(asked, request_timeout=_TIMEOUT_S) if asked else {}
            return {(each.topic, each.partition): answer.result().offset for each, answer in answers.items()}

    def groups(self) -> dict[str, bool]:
        """Consumer groups, and whether one has no members."""
        from confluent_kafka import ConsumerGroupState

        with self._admin("tell its consumer groups") as admin:
            listed = admin.list_consumer_groups(request_timeout=_TIMEOUT_S).result().valid
            idle = (ConsumerGroupState.EMPTY, ConsumerGroupState.DEAD)
            return {each.group_id: each.state in idle for each in listed}

    def committed(self, group: str) -> dict[Partition, int]:
        """By this project's own client: librdkafka's ends the process when the group has moved to another broker."""
        try:
            with Cluster(client_settings(self.client["bootstrap.servers"], self.client)) as cluster:
                return {partition: found.offset for partition, found in fetch_offsets(cluster, group).items()}
        except KafkaError as error:
            what = f"tell the offsets of the group {group}"
            reason = error.detail or error.code.name
            raise ConnectError(f"The cluster {self.alias} did not {what}: {reason}") from None

    def commit(self, group: str, offsets: Mapping[Partition, int]) -> None:
        from confluent_kafka import ConsumerGroupTopicPartitions, TopicPartition

        places = [TopicPartition(*partition, offset) for partition, offset in offsets.items()]
        with self._admin(f"take the offsets of the group {group}") as admin:
            asked = [ConsumerGroupTopicPartitions(group, places)]
            admin.alter_consumer_group_offsets(asked, request_timeout=_TIMEOUT_S)[group].result()

    @contextmanager
    def _admin(self, what: str) -> Iterator[AdminClient]:
        """A client that stays for as long as its answers are waited for."""
        from confluent_kafka import KafkaException
        from confluent_kafka.admin import AdminClient

        try:
            client = make_client(AdminClient, translate(self.client), lambda name: None)
            yield client
        except (KafkaException, ConfigError) as error:
            raise ConnectError(f"The cluster {self.alias} did not {what}: {reason_of(error)}") from None


def _words() -> Any:
    """What requests are made of; the client's type information leaves these classes out."""
    from confluent_kafka import admin

    return admin


def reason_of(error: Exception) -> str:
    first: Any = error.args[0] if error.args else None
    return str(first.str()) if hasattr(first, "str") else str(error)

"""How far sink connectors have read: committed offsets of the consumer group `connect-<name>`, as Kafka keeps them.

Nobody is ever a member of these groups: Spark reads by its own checkpoint. They are there for everybody who looks at
lag by group, and for a worker that has no checkpoint.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from confluent_kafka import ConsumerGroupTopicPartitions, KafkaError, KafkaException, TopicPartition
from confluent_kafka.admin import AdminClient

from riacho.leadership.lane import Lane
from riacho.pipelines.connect.source_offsets import Pair
from riacho.pipelines.connect.store_topics import StoreError, StoreRefused
from riacho.web.kafka_client import make_client

_TIMEOUT_S = 10.0
_GONE = (KafkaError.GROUP_ID_NOT_FOUND,)


def group_of(connector: str) -> str:
    return f"connect-{connector}"


class SinkOffsets:
    def __init__(self, client: Mapping[str, Any]) -> None:
        self._settings = {"log_level": 2, "error_cb": lambda error: None} | dict(client)
        self._client: AdminClient | None = None
        self._lane = Lane("connect-groups")

    async def of(self, connector: str) -> list[Pair]:
        return await self._lane.run(self._read, group_of(connector))

    async def alter(self, connector: str, pairs: Iterable[Mapping[str, Any]]) -> None:
        """A null offset takes that partition's away."""
        given = list(pairs)
        kept = [_partition(pair) for pair in given if pair["offset"] is not None]
        gone = [_where(pair["partition"]) for pair in given if pair["offset"] is None]
        await self._lane.run(self._alter, group_of(connector), kept, gone)

    async def reset(self, connector: str) -> None:
        await self._lane.run(self._delete, group_of(connector))

    def close(self) -> None:
        self._lane.close()

    # In the lane's thread

    def _admin(self) -> AdminClient:
        if self._client is None:
            self._client = make_client(AdminClient, self._settings)
        return self._client

    def _read(self, group: str) -> list[Pair]:
        try:
            asked = ConsumerGroupTopicPartitions(group)
            future = self._admin().list_consumer_group_offsets([asked], request_timeout=_TIMEOUT_S)[group]
            found = future.result(_TIMEOUT_S).topic_partitions
        except KafkaException as error:
            if error.args[0].code() in _GONE:
                return []
            raise self._told(group, error) from None
        except TimeoutError:
            raise StoreError(f"The offsets of the group {group} could not be had in time.") from None
        return [
            {
                "partition": {"kafka_topic": each.topic, "kafka_partition": each.partition},
                "offset": {"kafka_offset": each.offset},
            }
            for each in sorted(found, key=lambda each: (each.topic, each.partition))
            if each.error is None and each.offset >= 0
        ]

    def _alter(self, group: str, kept: list[TopicPartition], gone: list[tuple[str, int]]) -> None:
        if gone:
            # Kafka's client can take away single offsets, librdkafka cannot: the others are written again.
            left = [_partition(pair) for pair in self._read(group) if _where(pair["partition"]) not in gone]
            self._delete(group)
            named = {(each.topic, each.partition) for each in kept}
            kept = [*kept, *(each for each in left if (each.topic, each.partition) not in named)]
        if not kept:
            return
        try:
            asked = ConsumerGroupTopicPartitions(group, kept)
            future = self._admin().alter_consumer_group_offsets([asked], request_timeout=_TIMEOUT_S)[group]
            for each in future.result(_TIMEOUT_S).topic_partitions:
                if each.error is not None:
                    raise StoreRefused(f"The offset of {each.topic}-{each.partition} was refused: {each.error.str()}.")
        except KafkaException as error:
            raise self._told(group, error) from None
        except TimeoutError:
            raise StoreError(f"The offsets of the group {group} could not be written in time.") from None

    def _delete(self, group: str) -> None:
        try:
            self._admin().delete_consumer_groups([group], request_timeout=_TIMEOUT_S)[group].result(_TIMEOUT_S)
        except KafkaException as error:
            if error.args[0].code() not in _GONE:
                raise self._told(group, error) from None
        except TimeoutError:
            raise StoreError(f"The group {group} could not be deleted in time.") from None

    def _told(self, group: str, error: KafkaException) -> StoreError:
        # One that lived through a broker's restart may wait forever.
        self._client = None
        return StoreError(f"The offsets of the group {group} cannot be had: {error.args[0].str()}.")


def _partition(pair: Mapping[str, Any]) -> TopicPartition:
    topic, partition = _where(pair["partition"])
    return TopicPartition(topic, partition, int(pair["offset"]["kafka_offset"]))


def _where(partition: Mapping[str, Any]) -> tuple[str, int]:
    return str(partition["kafka_topic"]), int(partition["kafka_partition"])

"""What groups have committed, asked by this project's own client.

Groups move from broker to broker. librdkafka's admin client goes on asking the one that it asked first, and takes the
whole process down when that one says so to a question for offsets (confluent-kafka 2.16.1). Only for a login that the
own client does not know is librdkafka asked all the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from confluent_kafka import KafkaError as LibrdkafkaError

from riacho.base.errors import ErrorCode, KafkaError
from riacho.client.groups import CommittedOffset, fetch_offsets
from riacho.client.offsets import TopicPartition
from riacho.client.reopened_cluster import ReopenedCluster
from riacho.leadership.errors import LogError
from riacho.leadership.lane import Lane
from riacho.rest_proxy.kafka_errors import api_error
from riacho.web.errors import ApiError


class GroupOffsets:
    """`settings` are librdkafka's."""

    def __init__(self, settings: Mapping[str, Any], timeout_s: float) -> None:
        properties = {name: value for name, value in settings.items() if isinstance(value, str)}
        self._cluster = ReopenedCluster(properties, int(timeout_s * 1000))
        self._lane = Lane("rest-proxy-groups")

    @cached_property
    def knows_login(self) -> bool:
        try:
            self._cluster.settings()
        except KafkaError as error:
            return error.code is not ErrorCode.INVALID_CONFIG
        return True

    async def of(self, group: str) -> dict[TopicPartition, CommittedOffset]:
        try:
            return await self._lane.run(self._fetch, group)
        except LogError as error:
            raise ApiError(503, 50302, str(error)) from None

    def close(self) -> None:
        self._lane.close()
        self._cluster.close()

    # In the lane's thread

    def _fetch(self, group: str) -> dict[TopicPartition, CommittedOffset]:
        try:
            found = self._cluster.ask(lambda cluster: fetch_offsets(cluster, group))
        except KafkaError as error:
            raise api_error(_as_librdkafka_tells(error)) from None
        # librdkafka's consumers send their metadata with the zero at its end, and leave that out when they read it.
        return {
            partition: each._replace(metadata=each.metadata.removesuffix("\0")) for partition, each in found.items()
        }


def _as_librdkafka_tells(error: KafkaError) -> LibrdkafkaError:
    code = ErrorCode.BROKER_NOT_AVAILABLE if error.code is ErrorCode.NETWORK_EXCEPTION else error.code
    return LibrdkafkaError(int(code), error.detail or code.name)

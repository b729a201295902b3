"""What librdkafka cannot ask, or asks at a risk: asked by this project's own client, a question at a time.

Only a login that the own client does not know (`knows_login`) leaves such questions to librdkafka, or unanswered.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, TypeVar

from confluent_kafka import KafkaError as LibrdkafkaError

from riacho.base.errors import ErrorCode, KafkaError
from riacho.client.cluster import Cluster
from riacho.client.reopened_cluster import ReopenedCluster
from riacho.rest_proxy.kafka_errors import api_error
from riacho.single_writer.errors import LogError
from riacho.single_writer.single_thread import SingleThread
from riacho.web.errors import ApiError

T = TypeVar("T")


class OwnClient:
    """`settings` are librdkafka's."""

    def __init__(self, settings: Mapping[str, Any], timeout_s: float) -> None:
        properties = {name: value for name, value in settings.items() if isinstance(value, str)}
        self._cluster = ReopenedCluster(properties, int(timeout_s * 1000))
        self._thread = SingleThread("rest-proxy-own-client")

    @cached_property
    def knows_login(self) -> bool:
        try:
            self._cluster.settings()
        except KafkaError as error:
            return error.code is not ErrorCode.INVALID_CONFIG
        return True

    async def ask(self, work: Callable[[Cluster], T]) -> T:
        """`work(cluster)` in the client's thread; ApiError where it fails."""
        try:
            return await self._thread.run(self._asked, work)
        except LogError as error:
            raise ApiError(503, 50302, str(error)) from None

    def close(self) -> None:
        self._thread.close()
        self._cluster.close()

    def _asked(self, work: Callable[[Cluster], T]) -> T:
        try:
            return self._cluster.ask(work)
        except KafkaError as error:
            raise api_error(_as_librdkafka_tells(error)) from None


def _as_librdkafka_tells(error: KafkaError) -> LibrdkafkaError:
    code = ErrorCode.BROKER_NOT_AVAILABLE if error.code is ErrorCode.NETWORK_EXCEPTION else error.code
    return LibrdkafkaError(int(code), error.detail or code.name)

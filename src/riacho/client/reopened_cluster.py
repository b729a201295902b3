"""A cluster that a service keeps for its questions: opened with the first, and anew after each that failed.

Whatever went wrong, the next question then begins with connections of its own. Questions come from one thread; only the
end of the service may come from another.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import TypeVar

from riacho.base.errors import ErrorCode, KafkaError
from riacho.client.cluster import Cluster
from riacho.client.settings import FRAME_SIZE_BYTES_MAX, ClientSettings, client_settings

T = TypeVar("T")
_CONNECT_TIMEOUT_MS = 3_000


class ReopenedCluster:
    def __init__(
        self, properties: Mapping[str, str], timeout_ms: int, answer_bytes_max: int = FRAME_SIZE_BYTES_MAX
    ) -> None:
        """Properties with `bootstrap.servers`, looked at with the first question."""
        self._properties = dict(properties)
        self._timeout_ms = timeout_ms
        self._answer_bytes_max = answer_bytes_max
        self._cluster: Cluster | None = None
        self._ended = threading.Event()

    def settings(self) -> ClientSettings:
        """KafkaError where the properties cannot be used."""
        return client_settings(self._properties["bootstrap.servers"], self._properties)._replace(
            connect_timeout_ms=_CONNECT_TIMEOUT_MS,
            request_timeout_ms=self._timeout_ms,
            reach_timeout_ms=self._timeout_ms,
            api_timeout_ms=self._timeout_ms,
            frame_size_bytes_max=self._answer_bytes_max,
        )

    def ask(self, work: Callable[[Cluster], T]) -> T:
        try:
            if self._cluster is None:
                self._cluster = Cluster(self.settings(), sleep=self._pause)
            return work(self._cluster)
        except KafkaError:
            self.close()
            raise

    def end(self) -> None:
        """For good: a question that is under way in its thread is not asked again."""
        self._ended.set()
        self.close()

    def _pause(self, seconds: float) -> None:
        if self._ended.wait(seconds):
            raise KafkaError(ErrorCode.NETWORK_EXCEPTION, "The service is stopping.")

    def close(self) -> None:
        cluster, self._cluster = self._cluster, None
        if cluster is not None:
            cluster.close()

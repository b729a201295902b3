"""What the broker counts; how it is shown: `broker/metrics/exposition.py`."""

from __future__ import annotations

from collections.abc import Callable

from riacho.base.metrics import Histogram
from riacho.broker.counters.client_counts import ClientMetrics
from riacho.broker.counters.topic_metrics import TopicMetrics
from riacho.broker.counters.visitors import Visitors
from riacho.wire.apis import APIS


class RequestMetrics(Histogram):
    """One API's requests: how long they took, and their bytes."""

    __slots__ = ("request_bytes", "response_bytes")

    def __init__(self) -> None:
        super().__init__()
        self.request_bytes = 0
        self.response_bytes = 0


class Authentications:
    """Logins, by SASL or by certificate."""

    def __init__(self) -> None:
        self.succeeded = 0
        self.failed = 0
        self.renewed = 0
        self.expired = 0


class BrokerMetrics:
    def __init__(self, on_clients_dropped: Callable[[], None] = lambda: None) -> None:
        """`on_clients_dropped` is told when clients that were counted one by one no longer are."""
        self.authentications = Authentications()
        self.topics = TopicMetrics()
        self.clients = ClientMetrics(on_clients_dropped)
        self.visitors = Visitors()
        self.replication_bytes_out = 0
        self.failed_produce = 0
        self.failed_fetch = 0
        self.request_failures = 0
        self.refused_connections = 0
        self.rejected_connections = 0
        self.idle_closed_connections = 0
        self.delayed_connections = 0
        self.throttled_connections = 0
        self.cleaner_failures = 0
        self._requests: dict[int, RequestMetrics] = {}

    def observe_request(
        self, key: int, elapsed_ns: int, request_bytes: int, response_bytes: int, count: int = 1
    ) -> None:
        """One request, or `count` alike that were served together: `elapsed_ns` of each, bytes of all."""
        found = self._requests.get(key)
        if found is None:
            found = self._requests[key] = RequestMetrics()
        found.observe(elapsed_ns, count)
        found.request_bytes += request_bytes
        found.response_bytes += response_bytes

    def request_count(self, key: int) -> int:
        found = self._requests.get(key)
        return found.count if found is not None else 0

    def requests(self) -> list[tuple[str, RequestMetrics]]:
        """By the names of their APIs, in the order of their keys."""
        return [(APIS[key].name, found) for key, found in sorted(self._requests.items())]

"""Open connections by the software of their clients, as Kafka counts them by listener (KIP-511).

Clients choose these names, so few of them are exported one by one; the rest are one sum.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from riacho.base.metrics import header, sample
from riacho.broker.counters.visitors import MANY, Visitors

_SOFTWARE_MAX = 100
_NAME = "kafka_server_socket_server_metrics_connections"
# What Kafka calls software that a client did not name.
_UNTOLD = "unknown"


def software_lines(visitors: Visitors) -> Iterator[str]:
    yield header(_NAME, "gauge", "Open connections by the client's software.")
    shown: Counter[tuple[str, str]] = Counter()
    for at, ((listener, agent), count) in enumerate(visitors.connections().most_common()):
        shown[listener, agent if at < _SOFTWARE_MAX else MANY] += count
    for (listener, agent), count in shown.items():
        name, _, version = agent.partition("/")
        name = _UNTOLD if name == "-" else name
        labels = {"listener": listener, "client_software_name": name, "client_software_version": version or name}
        yield sample(_NAME, count, labels)

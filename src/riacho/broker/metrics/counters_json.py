"""`GET /counters`: what a console reads every few seconds, as one JSON document and in one step.

The same counters as in Prometheus's form, without what is looked at one by one there: a broker with ten thousand topics
tells them within a few milliseconds. Numbers only grow while the node runs (`started_ms` tells which run it is).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from riacho import __version__

if TYPE_CHECKING:
    from riacho.base.ports import Clock
    from riacho.broker.counters.metrics import BrokerMetrics

_TOPICS_MAX = 50_000


def counters_json(metrics: BrokerMetrics, clock: Clock, node_id: int, started_ms: int) -> str:
    """`topics`: name, bytes in, bytes out, messages in. `clients`: produce or fetch, principal, client id, topic,
    bytes, messages."""
    total = metrics.topics.total()
    uptime_ms = clock.monotonic_ms() - started_ms
    document = {
        "node_id": node_id,
        "software": f"riacho {__version__}",
        "started_ms": clock.now_ms() - uptime_ms,
        "uptime_s": uptime_ms / 1000,
        "bytes_in": total.bytes_in,
        "bytes_out": total.bytes_out,
        "messages_in": total.messages_in,
        "requests": sum(found.count for _, found in metrics.requests()),
        "topics": [
            (name, counts.bytes_in, counts.bytes_out, counts.messages_in)
            for name, counts in metrics.topics.all()[:_TOPICS_MAX]
        ],
        "clients": [
            (each.direction, each.principal, each.client_id, each.topic, each.bytes, each.messages)
            for each in metrics.clients.all()
        ],
    }
    return msgspec.json.encode(document).decode()

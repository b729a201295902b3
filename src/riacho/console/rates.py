"""How fast things flow, as far as somebody measures it: the history of metrics, where there is one.

Every figure may be None: unknown, which is not 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol


class ClusterRates(NamedTuple):
    bytes_in_per_s: float | None = None
    bytes_out_per_s: float | None = None
    messages_in_per_s: float | None = None
    requests_per_s: float | None = None


class TopicRates(NamedTuple):
    bytes_in_per_s: float | None = None
    bytes_out_per_s: float | None = None
    # Bytes in over the last minutes, oldest first, up to 30 of them.
    spark: Sequence[float | None] = ()


class BrokerFigures(NamedTuple):
    # What its /metrics say it is, as `riacho 0.1.0`.
    software: str | None = None
    uptime_s: float | None = None


class Rates(Protocol):
    """Asked for each row that is shown, so the answers are at hand."""

    def of_cluster(self, cluster_id: str) -> ClusterRates: ...

    def of_topic(self, cluster_id: str, topic: str) -> TopicRates: ...

    def of_broker(self, cluster_id: str, broker_id: int) -> BrokerFigures: ...

"""Samples of every figure by peer, and what is made of them: medians, spreads, ratios."""

from __future__ import annotations

import statistics
from dataclasses import asdict, dataclass, field
from typing import Any

from bench.console_plan import GOAL
from bench.console_plan import GROUP as CONSOLE
from bench.ksql_plan import BESIDE as KSQL_BESIDE
from bench.ksql_plan import GROUP as KSQL
from bench.peers import KAFKA, RIACHO, commit_of
from bench.plan import GROUPS, Figure
from bench.spark_plan import GROUP as SPARK
from bench.spark_plan import OFFICIAL

# Brokers are compared with Apache Kafka; these groups with something else.
_BESIDE = {SPARK: OFFICIAL, KSQL: KSQL_BESIDE, CONSOLE: GOAL}
CLIENT_BOUND = 0.85  # a client that uses this much of a core is likely to be what limits the load


@dataclass(frozen=True, slots=True)
class Spread:
    median: float
    low: float
    high: float
    count: int


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the results table."""

    figure: Figure
    riacho: Spread | None
    other: Spread | None
    beside: str
    client_bound: bool = False

    @property
    def ratio(self) -> float | None:
        """Riacho's figure over the other one's."""
        if self.riacho is None or self.other is None or self.other.median == 0:
            return None
        return self.riacho.median / self.other.median

    @property
    def times_better(self) -> float | None:
        """Above 1 where Riacho is better, whichever direction is the good one."""
        ratio = self.ratio
        if ratio is None or ratio == 0 or self.figure.higher_is_better is None:
            return None
        return ratio if self.figure.higher_is_better else 1 / ratio


def beside(group: str) -> str:
    """What the figures of a group are compared with."""
    return _BESIDE.get(group, KAFKA)


@dataclass(slots=True)
class Samples:
    values: dict[tuple[str, Figure], list[float]] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)
    client_busy: dict[str, list[float]] = field(default_factory=dict)  # by load: shares of a core, of every run

    def add(self, peer: str, figure: Figure, value: float) -> None:
        self.values.setdefault((peer, figure), []).append(value)

    def spread(self, peer: str, figure: Figure) -> Spread | None:
        values = self.values.get((peer, figure))
        return Spread(statistics.median(values), min(values), max(values), len(values)) if values else None

    def lines(self, other: str | None = None) -> list[Line]:
        """Beside what their groups are compared with, or beside a peer that is named."""
        figures = dict.fromkeys(figure for _, figure in self.values)  # in the order of measuring
        ordered = sorted(figures, key=lambda figure: GROUPS.index(figure.group))
        if other is not None:
            return [self._line(figure, other) for figure in ordered if (other, figure) in self.values]
        return [self._line(figure, beside(figure.group)) for figure in ordered]

    def commits(self) -> list[str]:
        """The peers that are this project at another commit."""
        return list(dict.fromkeys(peer for peer, _ in self.values if commit_of(peer) is not None))

    def _line(self, figure: Figure, other: str) -> Line:
        bound = bool(figure.higher_is_better) and max(self.client_busy.get(figure.name, [0.0])) > CLIENT_BOUND
        return Line(figure, self.spread(RIACHO, figure), self.spread(other, figure), other, bound)

    def as_json(self) -> list[dict[str, Any]]:
        return [{"peer": peer, **asdict(figure), "values": values} for (peer, figure), values in self.values.items()]

    @classmethod
    def from_json(cls, rows: list[dict[str, Any]], failures: list[str], busy: dict[str, list[float]]) -> Samples:
        samples = cls(failures=list(failures), client_busy=dict(busy))
        for row in rows:
            for value in row["values"]:
                samples.add(row["peer"], Figure(row["group"], row["name"], row["unit"]), value)
        return samples

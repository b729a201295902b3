"""Prometheus' text format, and a histogram cheap enough for every request."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping

# Upper bounds in seconds, from 50 us to 10 s.
BOUNDS_S = (0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
_BOUNDS_NS = tuple(int(bound * 1_000_000_000) for bound in BOUNDS_S)


class Histogram:
    __slots__ = ("buckets", "total_ns")

    def __init__(self) -> None:
        self.buckets = [0] * (len(_BOUNDS_NS) + 1)
        self.total_ns = 0

    def observe(self, elapsed_ns: int, count: int = 1) -> None:
        self.buckets[bisect_left(_BOUNDS_NS, elapsed_ns)] += count
        self.total_ns += elapsed_ns * count

    @property
    def count(self) -> int:
        return sum(self.buckets)

    def lines(self, name: str, labels: Mapping[str, str]) -> Iterable[str]:
        running = 0
        for bound, count in zip(BOUNDS_S, self.buckets, strict=False):
            running += count
            yield sample(f"{name}_bucket", running, {**labels, "le": f"{bound:g}"})
        yield sample(f"{name}_bucket", self.count, {**labels, "le": "+Inf"})
        yield sample(f"{name}_sum", self.total_ns / 1_000_000_000, labels)
        yield sample(f"{name}_count", self.count, labels)


def sample(name: str, value: float, labels: Mapping[str, str] | None = None) -> str:
    # Whole numbers whole: counters of bytes have more digits than a float shows.
    text = str(int(value)) if isinstance(value, int) else f"{value:.10g}"
    return f"{name}{label_text(labels) if labels else ''} {text}"


def label_text(labels: Mapping[str, str]) -> str:
    """What stands between a metric's name and its value; made once where several metrics have the same labels."""
    inside = ",".join(f'{key}="{_escaped(text)}"' for key, text in labels.items())
    return f"{{{inside}}}"


def header(name: str, kind: str, about: str) -> str:
    return f"# HELP {name} {about}\n# TYPE {name} {kind}"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")

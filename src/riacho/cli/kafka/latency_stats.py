"""Counts, rates and latencies of a producer test, in the lines that Kafka's tool prints."""

from __future__ import annotations

from collections.abc import Callable

_PERCENTILES = (0.5, 0.95, 0.99, 0.999)
_MB = 1024.0 * 1024.0


class LatencyStats:
    """Latencies go into a histogram of whole milliseconds, which is what the percentiles are told in."""

    def __init__(self, now_ms: Callable[[], float], *, interval_ms: int, steady: bool = False) -> None:
        self._now_ms = now_ms
        self._interval_ms = interval_ms
        self._label = "steady state records" if steady else "records"
        self._histogram: dict[int, int] = {}
        self.started_ms = now_ms()
        self.count = 0
        self.size_bytes = 0
        self.latency_ms_sum = 0.0
        self.latency_ms_max = 0.0
        self._open_window()

    def _open_window(self) -> None:
        self._window_started_ms = self._now_ms()
        self._window_count = 0
        self._window_bytes = 0
        self._window_latency_ms_sum = 0.0
        self._window_latency_ms_max = 0.0

    def record(self, latency_ms: float, size_bytes: int) -> None:
        whole = int(latency_ms)
        self._histogram[whole] = self._histogram.get(whole, 0) + 1
        self.count += 1
        self.size_bytes += size_bytes
        self.latency_ms_sum += whole
        self._window_count += 1
        self._window_bytes += size_bytes
        self._window_latency_ms_sum += whole
        if whole > self._window_latency_ms_max:
            self._window_latency_ms_max = whole
            if whole > self.latency_ms_max:
                self.latency_ms_max = whole

    def window_line(self) -> str | None:
        """The line of the window that has just ended, if one has."""
        elapsed_ms = self._now_ms() - self._window_started_ms
        if elapsed_ms < self._interval_ms or not self._window_count:
            return None
        line = (
            f"{self._window_count} records sent, {1000.0 * self._window_count / elapsed_ms:.1f} records/sec "
            f"({1000.0 * self._window_bytes / elapsed_ms / _MB:.2f} MB/sec), "
            f"{self._window_latency_ms_sum / self._window_count:.1f} ms avg latency, "
            f"{self._window_latency_ms_max:.1f} ms max latency."
        )
        self._open_window()
        return line

    def total_line(self) -> str:
        elapsed_ms = max(self._now_ms() - self.started_ms, 1.0)
        p50, p95, p99, p999 = (self.percentile(share) for share in _PERCENTILES)
        average_ms = self.latency_ms_sum / self.count if self.count else 0.0
        return (
            f"{self.count} {self._label} sent, {1000.0 * self.count / elapsed_ms:f} records/sec "
            f"({1000.0 * self.size_bytes / elapsed_ms / _MB:.2f} MB/sec), {average_ms:.2f} ms avg latency, "
            f"{self.latency_ms_max:.2f} ms max latency, "
            f"{p50} ms 50th, {p95} ms 95th, {p99} ms 99th, {p999} ms 99.9th."
        )

    def percentile(self, share: float) -> int:
        index, seen = int(share * self.count), 0
        for latency_ms in sorted(self._histogram):
            seen += self._histogram[latency_ms]
            if seen > index:
                return latency_ms
        return max(self._histogram, default=0)

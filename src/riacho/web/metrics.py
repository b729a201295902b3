"""What a service tells Prometheus: requests by endpoint and status, how long they took, how many are under way.

Labels are the endpoints of the table, never the path as it came: their number is bounded whatever callers ask for.
"""

from __future__ import annotations

import resource
from collections.abc import Callable, Iterable

from riacho.base.metrics import Histogram, header, sample

# A call of no endpoint: there is no such path, or no such method.
NO_ENDPOINT = ("-", "-")
Source = Callable[[], Iterable[str]]


class ServiceMetrics:
    def __init__(self, service: str) -> None:
        self.service = service
        self.in_flight = 0
        self.refused = 0
        # Further lines of the service's own, asked for at each scrape.
        self.sources: list[Source] = []
        self._counts: dict[tuple[tuple[str, str], int], int] = {}
        self._elapsed: dict[tuple[str, str], Histogram] = {}

    def finished(self, endpoint: tuple[str, str], status: int, elapsed_ns: int) -> None:
        """`endpoint` is (method, path of the table). `status` 499: the caller went away before the answer."""
        key = (endpoint, status)
        self._counts[key] = self._counts.get(key, 0) + 1
        histogram = self._elapsed.get(endpoint)
        if histogram is None:
            histogram = self._elapsed[endpoint] = Histogram()
        histogram.observe(elapsed_ns)

    def render(self) -> str:
        lines = [*self._request_lines(), *self._process_lines()]
        for source in self.sources:
            lines.extend(source())
        return "\n".join(lines) + "\n"

    def _request_lines(self) -> Iterable[str]:
        yield header("riacho_http_requests_total", "counter", "Requests answered.")
        for ((method, path), status), count in sorted(self._counts.items()):
            labels = {"service": self.service, "method": method, "endpoint": path, "status": str(status)}
            yield sample("riacho_http_requests_total", count, labels)
        yield header("riacho_http_request_duration_seconds", "histogram", "From the head of a request to its answer.")
        for (method, path), histogram in sorted(self._elapsed.items()):
            labels = {"service": self.service, "method": method, "endpoint": path}
            yield from histogram.lines("riacho_http_request_duration_seconds", labels)

    def _process_lines(self) -> Iterable[str]:
        labels = {"service": self.service}
        usage = resource.getrusage(resource.RUSAGE_SELF)
        for name, kind, value, about in (
            ("riacho_http_requests_in_flight", "gauge", self.in_flight, "Requests under way."),
            ("riacho_http_requests_refused_total", "counter", self.refused, "Requests refused: too many under way."),
            ("process_cpu_seconds_total", "counter", usage.ru_utime + usage.ru_stime, "CPU time of the process."),
            ("process_resident_memory_bytes", "gauge", _resident_bytes(usage), "Memory of the process."),
        ):
            yield header(name, kind, about)
            yield sample(name, value, labels)


def _resident_bytes(usage: resource.struct_rusage) -> int:
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * resource.getpagesize()
    except OSError:
        # Not Linux: the largest so far is the nearest there is.
        return usage.ru_maxrss * 1024

"""What a service tells Prometheus."""

from __future__ import annotations

from typing import Any

from riacho.web.answers import json_answer
from riacho.web.app import App
from riacho.web.call import Call
from riacho.web.endpoint import Endpoint
from riacho.web.metrics import ServiceMetrics
from support.web_service import asgi


async def show(call: Call) -> Any:
    return json_answer({})


def make() -> App:
    return App("demo", [Endpoint("GET", "/topics/{topic}", show, "A topic.")])


def test_requests_are_counted_by_endpoint_and_status():
    app = make()
    for path in ("/topics/a", "/topics/b", "/nowhere/1", "/nowhere/2"):
        asgi(app, "GET", path)
    got = asgi(app, "GET", "/metrics")
    assert got.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    lines = got.body.decode().splitlines()
    labels = 'service="demo",method="GET",endpoint="/topics/{topic}"'
    assert f'riacho_http_requests_total{{{labels},status="200"}} 2' in lines
    # Whatever callers make up, it is one line.
    assert 'riacho_http_requests_total{service="demo",method="-",endpoint="-",status="404"} 2' in lines
    assert f"riacho_http_request_duration_seconds_count{{{labels}}} 2" in lines
    assert 'riacho_http_requests_in_flight{service="demo"} 1' in lines
    memory = next(line for line in lines if line.startswith("process_resident_memory_bytes{"))
    assert float(memory.split()[-1]) > 1_000_000


def test_every_family_is_introduced_once_and_before_its_samples():
    app = make()
    asgi(app, "GET", "/topics/a")
    seen: list[str] = []
    for line in asgi(app, "GET", "/metrics").body.decode().splitlines():
        if line.startswith("# TYPE "):
            seen.append(line.split()[2])
        elif not line.startswith("#"):
            assert line.startswith(seen[-1])
    assert len(seen) == len(set(seen))


def test_a_service_adds_lines_of_its_own():
    metrics = ServiceMetrics("demo")
    metrics.sources.append(lambda: ["demo_subjects 3"])
    assert metrics.render().endswith("demo_subjects 3\n")

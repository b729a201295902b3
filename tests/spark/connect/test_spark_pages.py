"""Spark's own pages of a runner: told where they are, on loopback, read by loopback's names and by no other."""

from __future__ import annotations

from http.client import HTTPConnection
from urllib.parse import urlsplit

import pytest

from support.connect_runner import ConnectRunner

PAGES = (
    "/jobs/", "/stages/", "/environment/", "/executors/", "/SQL/", "/StreamingQuery/", "/api/v1/applications",
    "/metrics/json/", "/static/webui.css", "/executors/threadDump/?executorId=driver",
)  # fmt: skip


@pytest.fixture(scope="module")
def port(runner: ConnectRunner) -> int:
    """Once a query has run: its pages are there as well."""
    counter = runner.run("shown", {"connector.class": "CounterSource", "topic": "shown"}, kind="source")
    runner.wait_for(lambda event: event["event"] == "progress", counter)
    # It would go on for ever.
    runner.stop("shown", counter)
    ready = next(event for event in reversed(runner.events) if event["event"] == "ready")
    address = urlsplit(ready["ui"])
    assert (address.scheme, address.hostname) == ("http", "127.0.0.1")
    assert address.port is not None
    return address.port


def asked(port: int, method: str, path: str, host: str, **headers: str) -> int:
    connection = HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.putrequest(method, path, skip_host=True)
        for name, value in {"Host": host, **headers}.items():
            connection.putheader(name, value)
        connection.endheaders()
        return connection.getresponse().status
    finally:
        connection.close()


@pytest.mark.parametrize("path", PAGES)
def test_a_page_is_for_loopback_alone(port: int, path: str) -> None:
    for host in (f"127.0.0.1:{port}", f"localhost:{port}", f"[::1]:{port}"):
        assert asked(port, "GET", path, host) == 200, host
    for host in (f"evil.example:{port}", "127.0.0.1.evil.example", "0.0.0.0", ""):
        assert asked(port, "GET", path, host) in (400, 404), host


@pytest.mark.parametrize("path", ["/jobs/job/kill/?id=0", "/stages/stage/kill/?id=0"])
def test_nothing_is_ended_from_there(port: int, path: str) -> None:
    host = f"127.0.0.1:{port}"
    for method in ("GET", "POST"):
        assert asked(port, method, path, host, Origin="http://evil.example") in (302, 403, 404, 405)

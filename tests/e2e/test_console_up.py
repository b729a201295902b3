"""`riacho up` with its console, and `riacho console` alone: it answers, knows what runs beside it, and is small."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import psutil
import pytest

from e2e.shell import Shell
from support.ports import free_port_run

pytestmark = pytest.mark.timeout(240)
IDLE_BYTES_MAX = 80 << 20


@pytest.fixture
def shell(tmp_path: Path) -> Iterator[tuple[Shell, int]]:
    first = free_port_run(4)
    variables = {
        "RIACHO_PORT": str(first),
        "RIACHO_SCHEMA_REGISTRY_PORT": str(first + 2),
        "RIACHO_CONTROL_CENTER_PORT": str(first + 3),
        "RIACHO_ONLY": "broker,schema-registry,control-center",
    }
    machine = Shell(tmp_path, variables)
    try:
        yield machine, first + 3
    finally:
        machine.try_("down")


def test_the_console_beside_the_others(shell: tuple[Shell, int]) -> None:
    machine, port = shell
    url = f"http://127.0.0.1:{port}"
    assert f"control-center   {url}" in machine.run("up", "--detach", "--metrics-port", "0")
    api = httpx.Client(base_url=url, timeout=60)
    overview = api.get("/api/v1/clusters/default/overview").json()
    assert overview["brokers"] == {"total": 1, "online": 1}
    [row] = api.get("/api/v1/clusters").json()
    assert (row["state"], row["is_riacho"]) == ("up", True)
    assert row["has"] == {"schema_registry": True, "connect": False, "ksql": False, "metrics": True}
    csrf = {"x-riacho-csrf": api.get("/api/v1/me").json()["csrf"]}
    assert api.post("/api/v1/clusters/default/topics", json={"name": "orders"}, headers=csrf).status_code == 201
    assert "orders" in machine.run("topic", "list")
    assert api.get("/clusters/default/topics", headers={"accept": "text/html"}).text.startswith("<!doctype html>")
    assert api.get("/api/v1/clusters", headers={"host": "evil.example"}).status_code == 403
    status = json.loads(machine.try_("status", "--json").stdout)
    own = next(service for service in status["services"] if service["name"] == "control-center")
    assert own["trouble"] is None
    assert psutil.Process(own["pid"]).memory_info().rss < IDLE_BYTES_MAX


def test_the_figures_of_our_brokers_arrive(shell: tuple[Shell, int]) -> None:
    machine, port = shell
    machine.run("up", "--detach", "--metrics-port", "0")
    api = httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60)
    deadline_s = time.monotonic() + 60
    rate = None
    while rate is None and time.monotonic() < deadline_s:
        rate = api.get("/api/v1/clusters/default/overview").json()["requests_per_s"]
    assert rate is not None
    [broker] = api.get("/api/v1/clusters/default/brokers").json()["items"]
    assert broker["software"].startswith("riacho")

"""`riacho up` with its services: they come up together, are supervised, and go down with the brokers."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from e2e.shell import Shell
from e2e.terminal import Terminal
from support.ports import free_port_run

pytestmark = pytest.mark.timeout(240)
DEADLINE_S = 60.0
V2_JSON = "application/vnd.kafka.json.v2+json"


class Platform(Shell):
    def __init__(self, home: Path) -> None:
        first = free_port_run(4)
        variables = {
            "RIACHO_PORT": str(first),
            "RIACHO_SCHEMA_REGISTRY_PORT": str(first + 2),
            "RIACHO_REST_PROXY_PORT": str(first + 3),
            "RIACHO_ONLY": "broker,schema-registry,rest-proxy",
            "TERM": "xterm",
        }
        super().__init__(home, variables)
        self.registry = f"http://127.0.0.1:{first + 2}"
        self.proxy = f"http://127.0.0.1:{first + 3}"

    def status(self) -> dict[str, Any]:
        done = self.try_("status", "--json")
        return json.loads(done.stdout)

    def service(self, name: str) -> dict[str, Any]:
        return next(service for service in self.status()["services"] if service["name"] == name)


@pytest.fixture
def platform(tmp_path: Path) -> Iterator[Platform]:
    machine = Platform(tmp_path)
    try:
        yield machine
    finally:
        machine.try_("down")


def test_the_whole_platform(platform: Platform) -> None:
    told = platform.run("up", "--detach", "--metrics-port", "0")
    assert f"schema-registry  {platform.registry}" in told
    assert f"rest-proxy       {platform.proxy}" in told
    status = platform.status()
    assert status["healthy"] is True
    assert [(service["name"], service["trouble"]) for service in status["services"]] == [
        ("schema-registry", None),
        ("rest-proxy", None),
    ]

    schema = {"schema": json.dumps({"type": "record", "name": "Order", "fields": [{"name": "id", "type": "long"}]})}
    registered = httpx.post(f"{platform.registry}/subjects/orders-value/versions", json=schema, timeout=30)
    assert registered.json()["id"] == 1
    produced = httpx.post(
        f"{platform.proxy}/topics/orders",
        content=json.dumps({"value_schema_id": 1, "records": [{"value": {"id": 7}}]}),
        headers={"Content-Type": "application/vnd.kafka.avro.v2+json"},
        timeout=30,
    )
    with Terminal(platform.command("shell"), platform.environment) as terminal:
        # Completed as the registry has it, and shown from there.
        terminal.wait_for(r":\d+>")
        terminal.write("schema show ord")
        terminal.wait_for("orders-value")
        terminal.write("\t\r")
        terminal.wait_for('"name": "Order"')
        terminal.wait_for(r":\d+>")
        terminal.write("\x04")
        assert terminal.wait_for_exit() == 0
    assert produced.json()["offsets"] == [{"partition": 0, "offset": 0, "error_code": None, "error": None}]

    # A crash: it comes back at the same address, with what it knew.
    before = platform.service("schema-registry")
    os.kill(before["pid"], signal.SIGKILL)
    deadline = time.monotonic() + DEADLINE_S
    while (now := platform.service("schema-registry"))["pid"] == before["pid"] or now["trouble"] is not None:
        assert time.monotonic() < deadline, now
        time.sleep(0.05)
    assert now["restarts"] == 1
    assert httpx.get(f"{platform.registry}/schemas/ids/1", timeout=30).json()["schema"].startswith('{"type":"record"')

    # A restart that was asked for: all are new processes, and none is taken for crashed.
    old = platform.status()
    told = platform.run("restart").splitlines()
    assert [line.split(" is back")[0] for line in told] == [
        "Broker 1",
        "schema-registry",
        "rest-proxy",
        "The supervisor",
    ]
    new = platform.status()
    assert new["healthy"]
    # The supervisor is the same process with another program in it, and does its work.
    assert new["supervisor"] == old["supervisor"]
    assert "riacho.cli.supervisor.succession" in Path(f"/proc/{new['supervisor']['pid']}/cmdline").read_text()
    assert new["started_ms"] == old["started_ms"]
    os.kill(new["brokers"][0]["pid"], signal.SIGKILL)
    deadline = time.monotonic() + DEADLINE_S
    while (found := platform.try_("status", "--json")).returncode or b"restarts" not in found.stdout:
        assert time.monotonic() < deadline, found
        time.sleep(0.05)
    assert platform.status()["brokers"][0]["restarts"] == 1
    new = platform.status()
    for kind in ("brokers", "services"):
        assert not {each["pid"] for each in old[kind]} & {each["pid"] for each in new[kind]}
    with Terminal(platform.command("restart", "--service", "rest-proxy"), platform.environment) as terminal:
        terminal.wait_for("Restarting")
        terminal.wait_for(r"rest-proxy is back")
        assert terminal.wait_for_exit() == 0
    assert platform.service("schema-registry")["pid"] == new["services"][0]["pid"]
    assert "There is no service mail here" in platform.fail("restart", "--service", "mail")

    pids = [service["pid"] for service in platform.status()["services"]]
    platform.run("down")
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_a_service_port_that_is_asked_for_and_taken(platform: Platform) -> None:
    import socket

    with socket.socket() as other:
        other.bind(("127.0.0.1", int(platform.environment["RIACHO_REST_PROXY_PORT"])))
        other.listen()
        told = platform.fail("up", "--detach", "--metrics-port", "0")
    assert "--rest-proxy-port" in told
    assert not (platform.home / ".local/share/riacho/riacho.json").exists()

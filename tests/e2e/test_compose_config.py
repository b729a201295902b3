"""docker-compose.yaml as a real compose reads it, where there is one: it says nothing against it, and what comes of it
is closed to other machines. What the services then do is in test_compose.py."""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import Any

import pytest
import yaml

from e2e.compose import FILE, ROOT

# Services with an entry point of their own, which is no part of Riacho.
STAND_INS = {"zookeeper"}
CONSOLE_PORT = "9021"


@pytest.fixture(scope="module")
def command() -> list[str]:
    if shutil.which("docker-compose"):
        return ["docker-compose"]
    plugin = ["docker", "compose"]
    if not shutil.which("docker") or subprocess.run([*plugin, "version"], capture_output=True).returncode:
        pytest.skip("no compose here: neither docker-compose nor docker's plugin of that name")
    return plugin


def resolved(command: list[str], **variables: str) -> dict[str, Any]:
    """The file with all merges, defaults and variables filled in; compose is silent about it."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("RIACHO_", "COMPOSE_"))}
    done = subprocess.run(
        [*command, "-f", str(FILE), "config"],
        cwd=ROOT, env=kept | variables, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    found: dict[str, Any] = yaml.safe_load(done.stdout)
    return found


def published(service: dict[str, Any]) -> list[tuple[str, str]]:
    """(address, port of the host) in compose's short form and in its long one."""
    found = []
    for port in service.get("ports", []):
        if isinstance(port, str):
            address, host_port, _ = port.rsplit(":", 2)
            found.append((address, host_port))
        else:
            found.append((port["host_ip"], str(port["published"])))
    return found


def test_it_is_taken_without_a_warning_and_loses_nothing(command: list[str]) -> None:
    services = resolved(command)["services"]
    written = yaml.safe_load(FILE.read_text())
    assert set(services) == set(written["services"])
    for name, service in services.items():
        # What merges bring: a key of YAML's that compose does not merge would be gone here.
        assert service["read_only"] is True, name
        assert service["cap_drop"] == ["ALL"], name
        assert service["security_opt"] == ["no-new-privileges:true"], name
        assert service["user"] == "10001:10001", name
        assert service["build"]["target"] == ("pipelines" if "pipelines" in service["image"] else "services"), name
        assert service["healthcheck"]["test"][0] == "CMD", name
        assert service["restart"] == "unless-stopped", name


def test_each_waits_for_what_can_become_healthy(command: list[str]) -> None:
    services = resolved(command)["services"]
    for name, service in services.items():
        waits_for = service.get("depends_on", {})
        assert name == "broker" or name in STAND_INS or "broker" in waits_for, name
        for other, how in waits_for.items():
            assert how["condition"] == "service_healthy", f"{name} on {other}"
            assert services[other]["healthcheck"]["test"], f"{name} on {other}"


def test_nothing_is_open_to_other_machines_unless_asked_and_the_console_never(command: list[str]) -> None:
    for bind, expected in ({}, "127.0.0.1"), ({"RIACHO_BIND": "0.0.0.0"}, "0.0.0.0"):
        ports = {
            port: where for each in resolved(command, **bind)["services"].values() for where, port in published(each)
        }
        assert ports.pop(CONSOLE_PORT) == "127.0.0.1"
        assert len(ports) == 5
        assert set(ports.values()) == {expected}

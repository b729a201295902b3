"""The units of deploy/systemd: systemd takes them, they are closed as far as they can be, and what they start serves.

systemd itself is not run: its own tools judge the units, and the ExecStart lines are started here with the example
settings, in directories of their own, and say that they are ready as systemd would be told.
"""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from e2e.kafka_scripts import SOURCES
from support.dashboards import asked_for
from support.ports import free_port_run
from support.prometheus import scrape

UNITS = Path(__file__).parents[2] / "deploy" / "systemd"
# systemd's own figure, in tenths: 0 is closed to everything, 100 open to everything. "OK" begins below 50.
EXPOSURE_MAX = 20
READY_TIMEOUT_S = 60
# In the order that `After=` gives them.
NAMES = ("riacho-broker@broker-1", "riacho-schema-registry", "riacho-rest-proxy", "riacho-connect",
         "riacho-ksqldb-server", "riacho-control-center")  # fmt: skip
PORTS = (9092, 9093, 9404, 8081, 8082, 8083, 8088, 9021)


def unit_file(name: str) -> Path:
    return UNITS / f"{re.sub('@.*', '@', name)}.service"


def values(name: str, key: str) -> list[str]:
    """What a unit sets, the name of its instance filled in."""
    text = unit_file(name).read_text().replace("%i", name.partition("@")[2])
    return re.findall(rf"^{key}=(.*)$", text, re.MULTILINE)


def test_every_unit_is_tried_here() -> None:
    assert {unit_file(name) for name in NAMES} == set(UNITS.glob("*.service"))


@pytest.fixture
def installed(tmp_path: Path) -> list[str]:
    """The units where there is a program to start."""
    if not shutil.which("systemd-analyze"):
        pytest.skip("no systemd-analyze here")
    program = tmp_path / "bin" / "riacho"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    for unit in UNITS.glob("*.service"):
        (tmp_path / unit.name).write_text(unit.read_text().replace("/opt/riacho/bin/riacho", str(program)))
    return [str(path) for path in sorted(tmp_path.glob("*.service"))]


def test_systemd_finds_nothing_wrong(installed: list[str]) -> None:
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", *installed], capture_output=True, text=True, timeout=60, check=False
    )
    ours = [line for line in done.stderr.splitlines() if "riacho" in line]
    assert (done.returncode, ours) == (0, []), done.stderr


def test_they_are_exposed_to_little(installed: list[str]) -> None:
    for unit in installed:
        done = subprocess.run(
            ["systemd-analyze", "security", "--offline=yes", f"--threshold={EXPOSURE_MAX}", unit],
            capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip
        assert done.returncode == 0, f"{unit}: {done.stdout[-200:]}{done.stderr}"


def test_the_examples_are_for_this_machine_alone() -> None:
    for name in NAMES:
        file = UNITS / "etc" / Path(values(name, "ExecStart")[0].split()[-1]).name
        for line in file.read_text().splitlines():
            for host in re.findall(r"[A-Z]*[a-z]*://([^:/]+):|=([\w.]+):\d+", line):
                assert "".join(host) == "127.0.0.1", f"{file.name}: {line}"


class Installation:
    """Settings and data where a test may write, on ports that are free."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        first = free_port_run(len(PORTS))
        self._ports = {str(port): str(first + place) for place, port in enumerate(PORTS)}
        (directory / "etc").mkdir()
        for file in (UNITS / "etc").iterdir():
            (directory / "etc" / file.name).write_text(self._here(file.read_text()))

    def _here(self, text: str) -> str:
        text = text.replace("/etc/riacho", f"{self.directory}/etc").replace("/var/lib/riacho", f"{self.directory}/data")
        return re.sub(rf"\b({'|'.join(self._ports)})\b", lambda found: self._ports[found[1]], text)

    def metrics_ports(self) -> list[str]:
        return [self._ports[str(port)] for port in PORTS if port not in (9092, 9093)]

    @contextmanager
    def started(self, name: str) -> Iterator[subprocess.Popen[bytes]]:
        """When it has said that it serves; told to stop at the end, which it does in order."""
        program, *arguments = self._here(values(name, "ExecStart")[0]).split()
        assert program == "/opt/riacho/bin/riacho"
        state = Path(self._here(f"/var/lib/{values(name, 'StateDirectory')[0]}"))
        state.mkdir(parents=True)
        given = dict(pair.split("=", 1) for pair in self._here(values(name, "Environment")[0]).split())
        # Paths of sockets have to be short.
        address = f"\0riacho-{os.getpid()}-{name}"
        kept = {key: os.environ[key] for key in ("PATH", "HOME", "JAVA_HOME") if key in os.environ}
        variables = kept | given | {"PYTHONPATH": str(SOURCES), "NOTIFY_SOCKET": f"@{address[1:]}"}
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notices, (state / "log").open("wb") as log:
            notices.bind(address)
            notices.settimeout(READY_TIMEOUT_S)
            process = subprocess.Popen(
                [sys.executable, "-m", "riacho", *arguments], cwd=state, env=variables,
                stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            )  # fmt: skip
            try:
                assert notices.recv(64) == b"READY=1"
                yield process
            except TimeoutError:
                pytest.fail(f"{name} did not say that it is ready: {(state / 'log').read_text()[-2000:]}")
            finally:
                process.terminate()
                code = process.wait(30)
            text = (state / "log").read_text()
            assert code == 0, text[-2000:]
            assert "Traceback" not in text
            assert " no effect" not in text


@pytest.mark.timeout(300)
def test_what_they_start_says_when_it_serves_and_stops_in_order(tmp_path: Path) -> None:
    installation = Installation(tmp_path)
    with ExitStack() as running:
        for name in NAMES:
            assert running.enter_context(installation.started(name)).poll() is None
        # All of them run, so that what dashboards and alerts ask for can be looked for here.
        served = {
            name for port in installation.metrics_ports() for name in scrape(f"http://127.0.0.1:{port}/metrics").told()
        }
        missing = {name for name in asked_for() if name not in served}
        assert missing == set()

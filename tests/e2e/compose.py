"""`docker-compose` without an engine: the services of docker-compose.yaml as processes of this machine.

They get the file's own commands, variables, host names, health checks and order, in network and mount namespaces that
end with the test. What only an image has is not tried by it: the user, the read-only root file system, the packages; so
`--build` is taken, and builds nothing.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import yaml

from e2e.kafka_scripts import SOURCES, write_scripts

ROOT = Path(__file__).parents[2]
FILE = ROOT / "docker-compose.yaml"
IMAGE_FILES = ROOT / "deploy" / "docker"
HEALTHY_TIMEOUT_S = 90.0
UP = "docker-compose up --build"
# A place for /var/lib/riacho that is gone with the namespace, and names of the services as compose's own DNS has them.
_HOST = (
    "ip link set lo up && mount --make-rprivate / && mount --bind {hosts} /etc/hosts && mount -t tmpfs tmpfs /var/lib "
    "&& mkdir /var/lib/riacho && cd /var/lib/riacho && echo ready && exec cat"
)
_RIACHO = '#!/bin/sh\nexec {python} -m riacho "$@"\n'
_STAND_IN = '#!/bin/sh\nexec {python} -m e2e.compose {state} "$@"\n'


@dataclass
class Compose:
    directory: Path
    # The process whose namespaces the services are in.
    host: int
    services: dict[str, Any]
    running: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    def words(self, service: str, command: list[str]) -> list[str]:
        """What runs a command where that service is, with its variables alone."""
        variables = {
            "PATH": f"{self.directory / 'bin'}:/usr/local/bin:/usr/bin:/bin",
            "PYTHONPATH": f"{SOURCES}:{ROOT / 'tests'}",
            "HOME": "/var/lib/riacho",
            "RIACHO_DATA_DIR": "/var/lib/riacho",
            **self.services[service].get("environment", {}),
        }
        if java := os.environ.get("JAVA_HOME"):
            variables["JAVA_HOME"] = java
        pairs = [f"{name}={value}" for name, value in variables.items()]
        inside = ["nsenter", "--target", str(self.host), "--net", "--mount", "--"]
        return [*inside, "env", "-i", "--chdir=/var/lib/riacho", *pairs, *command]

    def up(self) -> None:
        """Each when all it depends on are healthy, as `condition: service_healthy` says."""
        while left := [name for name in self.services if name not in self.running]:
            ready = [name for name in left if set(self.services[name].get("depends_on", {})) <= set(self.running)]
            assert ready, f"{left} wait for each other"
            for name in ready:
                self._start(name)
            for name in ready:
                self._wait_until_healthy(name)

    def log(self, service: str) -> str:
        return (self.directory / f"{service}.log").read_text(errors="replace")

    def down(self) -> None:
        for process in reversed(self.running.values()):
            process.terminate()
        for process in self.running.values():
            process.wait(60)

    def _start(self, name: str) -> None:
        service = self.services[name]
        entry = service.get("entrypoint", ["riacho"])
        # The image has the file there.
        command = [
            str(IMAGE_FILES / Path(word).name) if word.startswith("/etc/riacho/") else word
            for word in service["command"]
        ]
        with (self.directory / f"{name}.log").open("wb") as log:
            self.running[name] = subprocess.Popen(
                self.words(name, [*entry, *command]), stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )

    def _wait_until_healthy(self, name: str) -> None:
        kind, *check = self.services[name]["healthcheck"]["test"]
        assert kind == "CMD"
        deadline = time.monotonic() + HEALTHY_TIMEOUT_S
        while subprocess.run(self.words(name, check), capture_output=True, check=False).returncode != 0:
            assert self.running[name].poll() is None, f"{name} ended: {self.log(name)[-2000:]}"
            assert time.monotonic() < deadline, f"{name} is not healthy: {self.log(name)[-2000:]}"
            time.sleep(0.1)


@contextlib.contextmanager
def composed(directory: Path) -> Iterator[Compose]:
    """All services up by `docker-compose up --build`, which `directory / "bin"` has; it takes `ps` and `exec` too."""
    services = yaml.safe_load(_filled_in(FILE.read_text()))["services"]
    scripts = write_scripts(directory / "bin")
    (scripts / "riacho").write_text(_RIACHO.format(python=sys.executable))
    (scripts / "healthy").write_bytes((IMAGE_FILES / "healthy").read_bytes())
    hosts = directory / "hosts"
    hosts.write_text("127.0.0.1 localhost " + " ".join(services) + "\n")
    with subprocess.Popen(
        ["unshare", "--net", "--mount", "sh", "-c", _HOST.format(hosts=hosts)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as host:  # fmt: skip
        assert host.stdin is not None
        assert host.stdout is not None
        assert host.stderr is not None
        if host.stdout.readline() != "ready\n":
            pytest.skip(f"no network namespace can be made here: {host.stderr.read().strip()}")
        compose = Compose(directory, host.pid, services)
        (scripts / "docker-compose").write_text(
            _STAND_IN.format(python=sys.executable, state=f"{directory} {host.pid}")
        )
        for name in ("riacho", "healthy", "docker-compose"):
            (scripts / name).chmod(0o755)
        try:
            with _up(compose):
                yield compose
        finally:
            host.stdin.close()


@contextlib.contextmanager
def _up(compose: Compose) -> Iterator[None]:
    """The notes' line in a terminal of its own, until Ctrl-C."""
    variables = os.environ | {
        "PATH": f"{compose.directory / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": f"{SOURCES}{os.pathsep}{ROOT / 'tests'}",
    }
    with (
        (compose.directory / "up.log").open("w") as log,
        subprocess.Popen(["bash", "-c", f"exec {UP}"], stdout=subprocess.PIPE, stderr=log, env=variables) as terminal,
    ):
        assert terminal.stdout is not None
        try:
            assert terminal.stdout.readline() == b"ready\n", (compose.directory / "up.log").read_text()[-3000:]
            yield
        finally:
            terminal.send_signal(signal.SIGINT)
            terminal.wait(90)


def _filled_in(text: str) -> str:
    """`${NAME:-default}` as compose fills it in where nothing is set."""
    return re.sub(r"\$\{\w+:-([^}]*)\}", r"\1", text)


def main() -> None:
    """The stand-in: DIRECTORY HOST up --build | ps | exec SERVICE COMMAND..."""
    directory, host, verb, *words = sys.argv[1:]
    compose = Compose(Path(directory), int(host), yaml.safe_load(_filled_in(FILE.read_text()))["services"])
    if verb == "up":
        assert words == ["--build"], words
        _stay_up(compose)
        return
    if verb == "ps":
        print("\n".join(compose.services))
        return
    assert verb == "exec", verb
    service, *command = words
    inside = compose.words(service, command)
    os.execvp(inside[0], inside)


def _stay_up(compose: Compose) -> None:
    try:
        compose.up()
        print("ready", flush=True)
        signal.pause()
    except KeyboardInterrupt:
        pass
    finally:
        compose.down()


if __name__ == "__main__":
    main()

"""The brokers under measure, with the same properties on loopback and stock settings otherwise."""

from __future__ import annotations

import atexit
import contextlib
import os
import subprocess
import sys
from pathlib import Path
from typing import Protocol

from bench import ROOT
from bench.builds import full_name, source_of
from support.apache_kafka import KAFKA_VERSION, ApacheKafka, available, wait_until_answers
from support.certificates import Authority
from support.ports import free_port

PROPERTIES = {
    "num.partitions": "1",
    "auto.create.topics.enable": "true",
    "group.initial.rebalance.delay.ms": "0",
    "offsets.topic.replication.factor": "1",
    "transaction.state.log.replication.factor": "1",
    "transaction.state.log.min.isr": "1",
    # Deleted topics leave the disk at once, so that one load's pages are not written out during the next.
    "log.segment.delete.delay.ms": "500",
}


class Peer(Protocol):
    port: int
    tls: Tls | None

    @property
    def pid(self) -> int: ...
    @property
    def is_running(self) -> bool: ...
    def prepare(self) -> None: ...
    def spawn(self) -> None: ...
    def start(self, timeout_s: float = 60) -> str: ...
    def stop(self, timeout_s: float = 60) -> None: ...
    def kill(self) -> None: ...


class Tls:
    """A second listener with TLS, the same for every broker: a certificate on an elliptic curve, from a file."""

    def __init__(self, directory: Path) -> None:
        self.port = free_port()
        self._authority = Authority(directory / "tls")
        self._key_store = self._authority.issue("broker").pem

    @property
    def authority_file(self) -> str:
        return str(self._authority.pem)

    def properties(self, port: int, controller_port: int) -> dict[str, str]:
        return {
            "listeners": ",".join(
                (
                    f"PLAINTEXT://127.0.0.1:{port}",
                    f"TLS://127.0.0.1:{self.port}",
                    f"CONTROLLER://127.0.0.1:{controller_port}",
                )
            ),
            "advertised.listeners": f"PLAINTEXT://127.0.0.1:{port},TLS://127.0.0.1:{self.port}",
            "listener.security.protocol.map": "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,TLS:SSL",
            "ssl.keystore.type": "PEM",
            "ssl.keystore.location": str(self._key_store),
        }


class KafkaPeer(ApacheKafka):
    def __init__(self, directory: Path, has_tls: bool) -> None:
        super().__init__(directory, PROPERTIES)
        self.tls = Tls(directory) if has_tls else None

    @property
    def properties(self) -> dict[str, str]:
        plain = super().properties
        return plain if self.tls is None else plain | self.tls.properties(self.port, self.controller_port)


class Riacho:
    """`python -m riacho broker server.properties`, of this checkout as users install it, or of another commit."""

    def __init__(
        self,
        directory: Path,
        has_tls: bool = False,
        launcher: tuple[str, ...] = ("-m", "riacho"),
        commit: str | None = None,
    ) -> None:
        self.directory = directory
        self._commit = commit
        self.port = free_port()
        self._controller_port = free_port()
        self.metrics_port = free_port()
        self.tls = Tls(directory) if has_tls else None
        self._launcher = launcher
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        assert self._process is not None, "not started"
        return self._process.pid

    @property
    def is_running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def prepare(self) -> None:
        self.directory.mkdir(parents=True, exist_ok=True)
        properties = {
            "process.roles": "broker,controller",
            "node.id": "1",
            "controller.quorum.voters": f"1@127.0.0.1:{self._controller_port}",
            "listeners": f"PLAINTEXT://127.0.0.1:{self.port},CONTROLLER://127.0.0.1:{self._controller_port}",
            "advertised.listeners": f"PLAINTEXT://127.0.0.1:{self.port}",
            "controller.listener.names": "CONTROLLER",
            "listener.security.protocol.map": "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT",
            "log.dirs": str(self.directory / "logs"),
            "riacho.metrics.port": str(self.metrics_port),
            **PROPERTIES,
        }
        if self.tls is not None:
            properties |= self.tls.properties(self.port, self._controller_port)
        lines = "".join(f"{key}={value}\n" for key, value in properties.items())
        (self.directory / "server.properties").write_text(lines)
        # Here, as the first use compiles it: a start that is timed would have that in it.
        source_of(self._commit)

    def spawn(self) -> None:
        assert self._process is None, "already started"
        argv = [sys.executable, *self._launcher, "broker", str(self.directory / "server.properties")]
        with open(self.directory / "server.log", "ab") as out:
            self._process = subprocess.Popen(
                argv, stdin=subprocess.DEVNULL, stdout=out, stderr=out, env=broker_environment(self._commit)
            )
        atexit.register(self.kill)

    def start(self, timeout_s: float = 60) -> str:
        self.prepare()
        self.spawn()
        try:
            wait_until_answers(self.port, timeout_s, self._process)
        except (TimeoutError, RuntimeError) as error:
            self.kill()
            log = (self.directory / "server.log").read_text(errors="replace")[-4_000:]
            raise RuntimeError(f"{error}; its last words:\n{log}") from error
        return f"127.0.0.1:{self.port}"

    def stop(self, timeout_s: float = 60) -> None:
        if self._process is None:
            return
        self._process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout_s)
        self.kill()

    def kill(self) -> None:
        if self._process is None:
            return
        self._process.kill()
        self._process.wait()
        self._process = None
        atexit.unregister(self.kill)


RIACHO, KAFKA = "Riacho", f"Apache Kafka {KAFKA_VERSION}"
_AT_COMMIT = f"{RIACHO} at "


def make_peer(name: str, directory: Path, *, has_tls: bool = False) -> Peer:
    if is_riacho(name):
        return Riacho(directory, has_tls, commit=commit_of(name))
    return KafkaPeer(directory, has_tls)


def is_riacho(name: str) -> bool:
    return name == RIACHO or commit_of(name) is not None


def commit_of(name: str) -> str | None:
    """Of a peer that is this project at another commit."""
    return name.removeprefix(_AT_COMMIT) if name.startswith(_AT_COMMIT) else None


def peers_here(wanted: list[str]) -> tuple[list[str], list[str]]:
    """Which of the wanted peers can run here, and the reasons for those that cannot."""
    names, reasons = [], []
    if "riacho" in wanted:
        names.append(RIACHO)
    names += [_AT_COMMIT + full_name(each.partition("@")[2]) for each in wanted if each.startswith("riacho@")]
    unknown = [each for each in wanted if each not in ("riacho", "kafka") and not each.startswith("riacho@")]
    if unknown:
        raise SystemExit(f"no such peer: {', '.join(unknown)}; there are riacho, kafka and riacho@COMMIT")
    if "kafka" in wanted:
        reason = available()
        if reason is None:
            names.append(KAFKA)
        else:
            reasons.append(f"{KAFKA} is left out: {reason}")
    return names, reasons


def broker_environment(commit: str | None = None) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(source_of(commit))}


def environment() -> dict[str, str]:
    """A load client's."""
    room = os.pathsep.join(str(ROOT / part) for part in ("", "src", "tests"))
    return {**os.environ, "PYTHONPATH": room}

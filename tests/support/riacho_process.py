"""A real Riacho broker process: `python -m riacho broker server.properties` on its own port and directory, forked from
one that has imported it all (see `riacho_nursery`).

The port and the directory belong to the object, not to one run of it, so a broker that was stopped or killed comes back
at the same address with the same data. Ready means that the broker answers ApiVersions, which every client asks first.
"""

from __future__ import annotations

import os
import signal
import socket
import struct
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path

from support.ports import free_port
from support.riacho_nursery import SOURCE, NurseryNode, nursery

HOST = "127.0.0.1"
# ApiVersions v0: api key 18, version 0, correlation id 1, client id "ready".
API_VERSIONS_REQUEST = struct.pack(">ihhih5s", 15, 18, 0, 1, 5, b"ready")
POLL_INTERVAL_S = 0.02


class RiachoProcess:
    """Start, stop, kill and restart one broker. `properties` overrides the defaults, in Kafka's own names."""

    def __init__(self, directory: Path, properties: Mapping[str, str] | None = None) -> None:
        self.directory = directory
        self.port = free_port()
        self.process: NurseryNode | None = None
        self.properties = self._default_properties() | dict(properties or {})
        self._properties_file = directory / "server.properties"
        self._output_file = directory / "broker.out"

    def _default_properties(self) -> dict[str, str]:
        controller_port = free_port()
        return {
            "node.id": "1",
            "process.roles": "broker,controller",
            "listeners": f"PLAINTEXT://{HOST}:{self.port},CONTROLLER://{HOST}:{controller_port}",
            "advertised.listeners": f"PLAINTEXT://{HOST}:{self.port}",
            "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
            "controller.listener.names": "CONTROLLER",
            "controller.quorum.voters": f"1@{HOST}:{controller_port}",
            "log.dirs": str(self.directory / "data"),
            "riacho.metrics.port": "-1",  # brokers of several tests at a time would meet on the default port
        }

    @property
    def bootstrap(self) -> str:
        return f"{HOST}:{self.port}"

    @property
    def pid(self) -> int:
        assert self.process is not None, "the broker is not running"
        return self.process.pid

    @property
    def is_running(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def start(self, timeout_s: float = 30.0) -> str:
        """Start the process and wait until it answers; returns the bootstrap address."""
        assert not self.is_running, "the broker is already running"
        self.directory.mkdir(parents=True, exist_ok=True)
        lines = [f"{name}={value}" for name, value in self.properties.items()]
        self._properties_file.write_text("\n".join(lines) + "\n")
        environment = os.environ | {"PYTHONPATH": str(SOURCE)}
        words = ["broker", str(self._properties_file)]
        self.process = nursery().start(words, environment, self.directory, self._output_file)
        self._wait_until_ready(timeout_s)
        return self.bootstrap

    def _wait_until_ready(self, timeout_s: float) -> None:
        deadline = time.monotonic() + timeout_s
        while not answers_api_versions(self.port):
            if not self.is_running:
                raise RuntimeError(f"the broker exited while starting:\n{self.output_tail()}")
            if time.monotonic() > deadline:
                self.kill()
                raise TimeoutError(f"the broker did not answer within {timeout_s} s:\n{self.output_tail()}")
            time.sleep(POLL_INTERVAL_S)

    def stop(self, timeout_s: float = 20.0) -> int:
        """SIGTERM, the clean way; returns the exit code. Killed after the timeout, which is an error."""
        assert self.process is not None, "the broker was never started"
        if self.is_running:
            self.process.terminate()
        try:
            return self.process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            self.kill()
            raise

    def kill(self) -> None:
        """kill -9: no flush, no goodbye."""
        assert self.process is not None, "the broker was never started"
        if self.is_running:
            self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def output_tail(self, size_bytes: int = 6_000) -> str:
        if not self._output_file.exists():
            return ""
        return self._output_file.read_bytes()[-size_bytes:].decode(errors="replace")

    def resident_bytes(self) -> int:
        """The process's resident memory, from /proc."""
        pages = int(Path(f"/proc/{self.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")


def answers_api_versions(port: int, timeout_s: float = 2.0) -> bool:
    try:
        with socket.create_connection((HOST, port), timeout=timeout_s) as connection:
            connection.sendall(API_VERSIONS_REQUEST)
            answer = connection.recv(8)
    except OSError:
        return False
    return len(answer) == 8 and answer[4:] == struct.pack(">i", 1)

"""Apache Kafka itself, beside Riacho: one combined KRaft broker and controller on free loopback ports.

    with ApacheKafka(tmp_path) as kafka:
        java_tool("kafka-topics", ["--bootstrap-server", kafka.bootstrap, "--list"])

`stop()` then `start()` restarts the same broker on the same ports and data. `available()`, `java_tool()` and
`java_classpath()` come from `support.java` and are offered here too.
"""

from __future__ import annotations

import atexit
import contextlib
import socket
import struct
import subprocess
import time
import uuid
from base64 import urlsafe_b64encode
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType

from support.java import KAFKA_VERSION, available, java_classpath, java_command, java_tool, log4j_config
from support.ports import free_port

__all__ = ["KAFKA_VERSION", "ApacheKafka", "answers", "available", "java_classpath", "java_tool", "wait_until_answers"]

# What bin/kafka-server-start.sh gives a broker when the user says nothing.
STOCK_JVM_FLAGS = (
    "-Xmx1G",
    "-Xms1G",
    "-server",
    "-XX:+UseG1GC",
    "-XX:MaxGCPauseMillis=20",
    "-XX:InitiatingHeapOccupancyPercent=35",
    "-XX:+ExplicitGCInvokesConcurrent",
)

API_VERSIONS_V0 = struct.pack(">ihhih", 10, 18, 0, 1, -1)  # correlation id 1, null client id


class ApacheKafka:
    def __init__(
        self,
        directory: Path | str,
        properties: Mapping[str, str | int] | None = None,
        *,
        jvm_flags: tuple[str, ...] = STOCK_JVM_FLAGS,
        port: int | None = None,
    ) -> None:
        self.directory = Path(directory)
        self.port = port or free_port()
        self.controller_port = free_port()
        self.bootstrap = f"127.0.0.1:{self.port}"
        self.log_dir = self.directory / "kafka-logs"
        self.server_log = self.directory / "server.log"
        self.cluster_id = _random_cluster_id()
        self._overrides = {key: str(value) for key, value in (properties or {}).items()}
        self._jvm_flags = jvm_flags
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        assert self._process is not None, "not started"
        return self._process.pid

    @property
    def is_running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    @property
    def properties(self) -> dict[str, str]:
        return {
            "process.roles": "broker,controller",
            "node.id": "1",
            "controller.quorum.bootstrap.servers": f"127.0.0.1:{self.controller_port}",
            "listeners": f"PLAINTEXT://127.0.0.1:{self.port},CONTROLLER://127.0.0.1:{self.controller_port}",
            "advertised.listeners": f"PLAINTEXT://127.0.0.1:{self.port}",
            "controller.listener.names": "CONTROLLER",
            "listener.security.protocol.map": "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT",
            "log.dirs": str(self.log_dir),
            "offsets.topic.replication.factor": "1",
            "transaction.state.log.replication.factor": "1",
            "transaction.state.log.min.isr": "1",
            "share.coordinator.state.topic.replication.factor": "1",
            "share.coordinator.state.topic.min.isr": "1",
            "group.initial.rebalance.delay.ms": "0",
            **self._overrides,
        }

    def prepare(self) -> None:
        """Write the properties and format the storage, unless it is formatted already."""
        self.directory.mkdir(parents=True, exist_ok=True)
        self._properties_path.write_text("".join(f"{key}={value}\n" for key, value in self.properties.items()))
        self._log4j_path.write_text(log4j_config(target="SYSTEM_OUT", level="INFO"))
        if (self.log_dir / "meta.properties").exists():
            return
        args = ["format", "--standalone", "-t", self.cluster_id, "-c", str(self._properties_path)]
        done = java_tool("kafka-storage", args, timeout=120)
        if done.returncode != 0:
            raise RuntimeError(f"could not format storage: {done.stdout}{done.stderr}")

    def spawn(self) -> None:
        """Start the process and return at once; `start()` also prepares before and waits after."""
        assert self._process is None, "already started"
        argv = java_command(
            "kafka.Kafka", str(self._properties_path), jvm_flags=self._jvm_flags, log4j=str(self._log4j_path)
        )
        with open(self.server_log, "ab") as out:
            self._process = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=out, stderr=out)
        atexit.register(self.kill)

    def start(self, timeout_s: float = 60) -> str:
        self.prepare()
        self.spawn()
        assert self._process is not None
        try:
            wait_until_answers(self.port, timeout_s, self._process)
        except (TimeoutError, RuntimeError) as error:
            self.kill()
            raise RuntimeError(f"{error}; its last words:\n{self.last_words()}") from error
        return self.bootstrap

    def stop(self, timeout_s: float = 60) -> None:
        """Controlled shutdown (SIGTERM); killed when it takes longer than `timeout_s`."""
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

    def last_words(self, size_bytes: int = 4_000) -> str:
        return self.server_log.read_bytes()[-size_bytes:].decode(errors="replace") if self.server_log.exists() else ""

    def __enter__(self) -> ApacheKafka:
        self.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.stop()

    @property
    def _properties_path(self) -> Path:
        return self.directory / "server.properties"

    @property
    def _log4j_path(self) -> Path:
        return self.directory / "log4j2.properties"


def _random_cluster_id() -> str:
    """A uuid as Kafka writes it. The first byte is fixed: an id that began with a dash would be taken for a flag."""
    return urlsafe_b64encode(b"K" + uuid.uuid4().bytes[1:]).decode().rstrip("=")


def answers(port: int, timeout_s: float = 1.0) -> bool:
    """Whether something on this loopback port answers ApiVersions. Kafka does so only once its broker is unfenced."""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=timeout_s) as connection:
            connection.sendall(API_VERSIONS_V0)
            return connection.recv(8)[4:] == struct.pack(">i", 1)
    except OSError:
        return False


def wait_until_answers(port: int, timeout_s: float, process: subprocess.Popen[bytes] | None = None) -> None:
    """Poll until the port answers. TimeoutError when it never does, RuntimeError when the process ends first."""
    deadline = time.monotonic() + timeout_s
    while not answers(port):
        if process is not None and process.poll() is not None:
            raise RuntimeError(f"the broker ended with {process.returncode}")
        if time.monotonic() > deadline:
            raise TimeoutError(f"nothing answered on port {port} within {timeout_s} s")
        time.sleep(0.02)

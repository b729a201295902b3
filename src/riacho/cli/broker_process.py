"""One broker as a child process: `python -m riacho broker server-N.properties`, with its logs in the data directory.

It runs in a session of its own: Ctrl-C in a terminal reaches the supervisor alone, which then stops its children in
good order. The port belongs to the object, not to one run of it, so a broker that died comes back at the same address.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping

from riacho.base.errors import ErrorCode, KafkaError
from riacho.broker.local_cluster import ClusterPlan, NodePorts
from riacho.cli.data_dir import DataDir
from riacho.cli.process_mark import ProcessMark, mark
from riacho.cli.readiness import answers
from riacho.client.loopback import HOST, free_port, is_free

START_TIMEOUT_S = 30.0
STOP_TIMEOUT_S = 30.0
POLL_S = 0.02
# How the broker's sentence begins when it cannot have the port.
_METRICS_FAILURE = "metrics address"
_METRICS_PORT_TRIES = 3
# What a log line starts with before it comes to the point.
_LOG_PREFIX = re.compile(r"^\d{4}-\d\d-\d\d \S+ [A-Z]+ |^riacho: |^Error: ")


class BrokerProcess:
    """`membership` are the properties that make it a node of its cluster: nothing beats those. The others,
    `properties`, give way to `KAFKA_*` variables, as a properties file does."""

    def __init__(
        self,
        directory: DataDir,
        port: int,
        *,
        node_id: int = 1,
        metrics_port: int = -1,
        may_move_metrics: bool = False,
        properties: Mapping[str, str] | None = None,
        membership: Mapping[str, str] | None = None,
        is_isolated: bool = False,
    ) -> None:
        self.directory = directory
        self.port = port
        self.node_id = node_id
        self.metrics_port = metrics_port
        self._may_move_metrics = may_move_metrics
        self._metrics_tries_left = 0
        self._is_isolated = is_isolated
        alone = ClusterPlan(None, (node_id,), {node_id: NodePorts(port, metrics_port)})
        self._membership = {
            **(membership or alone.properties(node_id)),
            "log.dirs": str(directory.broker_data(node_id)),
        }
        self.properties = {
            # One machine: nobody else is about to join a new group.
            "group.initial.rebalance.delay.ms": "0",
            **(properties or {}),
            **self._membership,
        }
        self._process: subprocess.Popen[bytes] | None = None
        self._mark: ProcessMark | None = None
        self._log_position = 0

    @property
    def bootstrap(self) -> str:
        return f"{HOST}:{self.port}"

    @property
    def metrics(self) -> str | None:
        return f"http://{HOST}:{self.metrics_port}/metrics" if self.metrics_port > 0 else None

    @property
    def process(self) -> ProcessMark:
        """Of the last start; it may have ended since."""
        assert self._mark is not None, "the broker was never started"
        return self._mark

    @property
    def is_running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    @property
    def exit_text(self) -> str:
        """How it ended, in words."""
        code = self._process.poll() if self._process is not None else None
        if code is None:
            return "still running"
        return f"killed by {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"

    def spawn(self) -> None:
        """Start it and return at once."""
        assert not self.is_running, "the broker is already running"
        self.directory.create()
        self._metrics_tries_left = _METRICS_PORT_TRIES
        self._settle_metrics_port()
        path = self.directory.broker_properties(self.node_id)
        path.write_text("".join(f"{key}={_escaped(value)}\n" for key, value in self.properties.items()))
        error_log = self.directory.error_log(self.node_id)
        command = [sys.executable, "-m", "riacho", "broker", str(path)]
        command += ["--access-log", str(self.directory.access_log(self.node_id)), "--error-log", str(error_log)]
        command += ["--audit-log", str(self.directory.audit_log(self.node_id))]
        # KAFKA_* variables go before a properties file, and these must be as the supervisor believes them to be.
        for key, value in self._membership.items():
            command += ["--override", f"{key}={value}"]
        with error_log.open("ab") as output:
            self._log_position = output.tell()
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                env=_environment(self._is_isolated),
                start_new_session=True,
            )
        self._mark = mark(self._process.pid)

    def _has_lost_metrics_port(self) -> bool:
        """Looking before the start is not enough: another broker may bind the port between our look and our start."""
        return self._may_move_metrics and not is_free(self.metrics_port)

    def _failed_for_metrics(self) -> bool:
        """Whether the last start failed for this port; it may be free again by now, if another took it for a moment."""
        return self._may_move_metrics and _METRICS_FAILURE in self.last_words()

    def _settle_metrics_port(self) -> None:
        """A port that nobody asked for must not keep the broker down when another program took it meanwhile."""
        if self._has_lost_metrics_port():
            self.metrics_port = free_port()
        self.properties["riacho.metrics.port"] = str(self.metrics_port)

    def spawn_again(self) -> bool:
        """After a start that failed for lack of a metrics port that nobody asked for; False when it was not that."""
        if self.is_running or not self._metrics_tries_left:
            return False
        if not self._has_lost_metrics_port() and not self._failed_for_metrics():
            return False
        tries_left = self._metrics_tries_left - 1
        self.spawn()
        self._metrics_tries_left = tries_left
        return True

    def wait_until_ready(self, timeout_s: float = START_TIMEOUT_S, pause: Callable[[float], None] = time.sleep) -> None:
        """Until it answers; KafkaError with its last words when it does not."""
        deadline = time.monotonic() + timeout_s
        while not (self.is_running and answers(HOST, self.port)):
            if not self.is_running and not self.spawn_again():
                raise self.not_started()
            if time.monotonic() > deadline:
                self.kill()
                raise self.not_ready(timeout_s)
            pause(POLL_S)

    def not_started(self) -> KafkaError:
        return KafkaError(ErrorCode.BROKER_NOT_AVAILABLE, f"Broker {self.node_id} did not start: {self.last_words()}")

    def not_ready(self, timeout_s: float) -> KafkaError:
        log = self.directory.error_log(self.node_id)
        return KafkaError(
            ErrorCode.BROKER_NOT_AVAILABLE, f"Broker {self.node_id} was not ready within {timeout_s:g} s; see {log}."
        )

    def last_words(self) -> str:
        """The last line that it wrote since it was started."""
        with self.directory.error_log(self.node_id).open("rb") as log:
            log.seek(self._log_position)
            lines = [line.strip() for line in log.read().decode(errors="replace").splitlines() if line.strip()]
        return _LOG_PREFIX.sub("", lines[-1]) if lines else self.exit_text

    def terminate(self) -> None:
        """SIGTERM: ask it to end in good order."""
        if self._process is not None and self.is_running:
            self._process.terminate()

    def stop(self, timeout_s: float = STOP_TIMEOUT_S) -> bool:
        """SIGTERM and wait; False when it had to be killed."""
        if self._process is None:
            return True
        self.terminate()
        try:
            self._process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            self.kill()
            return False
        return True

    def kill(self) -> None:
        """kill -9: no flush, no goodbye."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()


def _escaped(value: str) -> str:
    """As a properties file wants it: a backslash would start an escape."""
    return value.replace("\\", "\\\\").replace("\n", "\\n")


def _environment(is_isolated: bool) -> dict[str, str]:
    """Ours, with this very package on the path, and without the KAFKA_ variables that are not for this broker.

    Those are settings of a broker, save for one that is for clients; an isolated broker takes none of them.
    """
    import riacho

    left_out = "KAFKA_" if is_isolated else "KAFKA_BOOTSTRAP_SERVERS"
    environment = {key: value for key, value in os.environ.items() if not key.startswith(left_out)}
    source = os.path.dirname(os.path.dirname(os.path.abspath(riacho.__file__)))
    paths = [source, *filter(None, environment.get("PYTHONPATH", "").split(os.pathsep))]
    environment["PYTHONPATH"] = os.pathsep.join(dict.fromkeys(paths))
    return environment

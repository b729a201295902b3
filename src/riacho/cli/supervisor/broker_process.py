"""One broker as a child process: `python -m riacho broker server-N.properties`, with its logs in the data directory.

The port belongs to the object, not to one run of it, so a broker that died comes back at the same address.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

from riacho.broker.local_cluster import ClusterPlan, NodePorts
from riacho.cli.data_dir import DataDir
from riacho.cli.supervisor.child_process import (
    POLL_S,
    START_TIMEOUT_S,
    ChildProcess,
    child_environment,
    properties_text,
)
from riacho.cli.supervisor.readiness import answers
from riacho.client.loopback import HOST, free_port, is_free

# How the broker's sentence begins when it cannot have the port.
_METRICS_FAILURE = "metrics address"
_METRICS_PORT_TRIES = 3


class BrokerProcess(ChildProcess):
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
        super().__init__()
        self.directory = directory
        self.port = port
        self.node_id = node_id
        self.label = f"broker {node_id}"
        self.log = directory.error_log(node_id)
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

    def settings(self) -> dict[str, Any]:
        """What another object is made from that is to look after the same process."""
        return {
            "port": self.port,
            "metrics_port": self.metrics_port,
            "may_move_metrics": self._may_move_metrics,
            "properties": self.properties,
            "membership": self._membership,
        }

    @property
    def bootstrap(self) -> str:
        return f"{HOST}:{self.port}"

    @property
    def metrics(self) -> str | None:
        return f"http://{HOST}:{self.metrics_port}/metrics" if self.metrics_port > 0 else None

    def spawn(self) -> None:
        self.directory.create()
        self._metrics_tries_left = _METRICS_PORT_TRIES
        self._settle_metrics_port()
        path = self.directory.broker_properties(self.node_id)
        path.write_text(properties_text(self.properties))
        command = ["broker", str(path)]
        command += ["--access-log", str(self.directory.access_log(self.node_id)), "--error-log", str(self.log)]
        command += ["--audit-log", str(self.directory.audit_log(self.node_id))]
        command += ["--agent-log", str(self.directory.agent_log(self.node_id))]
        command += ["--referrer-log", str(self.directory.referrer_log(self.node_id))]
        # KAFKA_* variables go before a properties file, and these must be as the supervisor believes them to be.
        for key, value in self._membership.items():
            command += ["--override", f"{key}={value}"]
        # KAFKA_* variables are settings of a broker, save for one that is for clients; an isolated one takes none.
        self._run(command, child_environment("KAFKA_" if self._is_isolated else "KAFKA_BOOTSTRAP_SERVERS"))

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

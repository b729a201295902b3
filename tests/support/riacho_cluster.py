"""A Riacho cluster of real processes: `python -m riacho broker server.properties`, one for each node; most of them are
forked from one that has imported it all (see `riacho_nursery`).

    with RiachoCluster(tmp_path) as cluster:
        cluster.kill(cluster.view.leader_of("topic"))

With a static quorum storage needs no formatting: `cluster.id` in every node's properties says where it belongs.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from support.apache_cluster import random_id
from support.cluster_processes import Node, Process, ProcessCluster
from support.riacho_nursery import SOURCE, nursery

COMMAND = [sys.executable, "-m", "riacho"]


class RiachoCluster(ProcessCluster):
    kind = "riacho"
    start_timeout_s = 60.0

    def __init__(
        self,
        directory: Path,
        brokers: int = 3,
        properties: Mapping[str, str] | None = None,
        *,
        is_forked: bool = True,
        **options: Any,
    ) -> None:
        """`is_forked=False`: every node starts as a user's does, for whoever measures it."""
        self.cluster_id = random_id()
        self._is_forked = is_forked
        # Nodes side by side would meet on the default metrics port.
        own = {"cluster.id": self.cluster_id, "riacho.metrics.port": "-1"}
        super().__init__(directory, brokers, own | dict(properties or {}), **options)

    def command(self, node: Node) -> list[str]:
        return [*COMMAND, "broker", str(node.properties_file)]

    def run(self, command: list[str], node: Node) -> Process:
        environment = self.environment()
        is_plain = command[: len(COMMAND)] == COMMAND and environment["PYTHONPATH"] == str(SOURCE)
        if not (self._is_forked and is_plain):
            return super().run(command, node)
        return nursery().start(command[len(COMMAND) :], environment, node.directory, node.output_file)

    def prepare(self, node: Node) -> None:
        """A static quorum needs nothing; a dynamic one starts from what kafka-storage writes (KIP-853)."""
        if self.quorum == "static" or (node.log_dir / "meta.properties").exists():
            return
        flag = "--standalone" if node is self.voters[0] else "--no-initial-controllers"
        args = ["format", "-t", self.cluster_id, "-c", str(node.properties_file), flag]
        program = "from riacho.cli.kafka.storage import main; main()"
        argv = [sys.executable, "-c", program, *args]
        done = subprocess.run(argv, capture_output=True, text=True, env=self.environment(), timeout=30, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"could not format storage: {done.stdout}{done.stderr}")

    def environment(self) -> dict[str, str]:
        return os.environ | {"PYTHONPATH": str(SOURCE)}

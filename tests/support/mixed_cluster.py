"""One cluster of Riacho's and Apache Kafka's processes. Which node is whose can change between two runs of it: the
directory, the ports and the settings stay.

    with MixedCluster(tmp_path, riacho={1, 2}) as cluster:
        cluster.kill(2)
        cluster.riacho.discard(2)
        cluster.start(2)            # Apache Kafka now, on what Riacho left
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from support.apache_cluster import ApacheCluster
from support.cluster_processes import Node, Process
from support.riacho_cluster import RiachoCluster

# Riacho has no streams groups: a cluster that finalised them, which is Apache Kafka's default, does not let it in.
FEATURES = {"streams.version": 0}


class MixedCluster(ApacheCluster):
    kind = "mixed"
    start_timeout_s = 120.0
    # A leader of Apache Kafka's calls a batch out of order whose predecessor went to the leader before it; librdkafka
    # then starts a new epoch and writes again what may be there already. With one request in flight nothing overtakes.
    producer_settings = {"max.in.flight": 1}

    def __init__(
        self,
        directory: Path,
        brokers: int = 3,
        properties: Mapping[str, str] | None = None,
        *,
        riacho: Iterable[int],
        features: Mapping[str, int] | None = FEATURES,
        **options: Any,
    ) -> None:
        super().__init__(directory, brokers, properties, features=features, **options)
        self.riacho = set(riacho)
        # Knows how Riacho's nodes are prepared and run; it has none of its own.
        self._ours = RiachoCluster(directory, 0, quorum=self.quorum)
        self._ours.cluster_id = self.cluster_id
        self._ours.voters = self.voters

    def server_properties(self, node: Node) -> dict[str, str]:
        found = super().server_properties(node)
        if node.node_id in self.riacho:
            found |= {"cluster.id": self.cluster_id, "riacho.metrics.port": "-1"}
        return found

    def command(self, node: Node) -> list[str]:
        return self._ours.command(node) if node.node_id in self.riacho else super().command(node)

    def prepare(self, node: Node) -> None:
        if node.node_id in self.riacho:
            self._ours.prepare(node)
        else:
            super().prepare(node)

    def run(self, command: list[str], node: Node) -> Process:
        return self._ours.run(command, node) if node.node_id in self.riacho else super().run(command, node)

"""Clusters for tests: Riacho always, Apache Kafka beside it when `RIACHO_CONFORMANCE_PEER` is `1` (or `only`)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from conformance.running_broker import kinds
from support.cluster_processes import ProcessCluster


class ClusterMaker:
    """Makes started clusters of one kind and ends them; what their nodes said is shown when the test fails."""

    def __init__(self, kind: str, directory: Path) -> None:
        self.kind = kind
        self._directory = directory
        self._made: list[ProcessCluster] = []

    def __call__(self, **options: Any) -> ProcessCluster:
        cluster = self.unstarted(**options)
        cluster.start_all()
        return cluster

    def only(self, **options: Any) -> ProcessCluster:
        """A started cluster, after ending those made before: a small machine has no room for two."""
        self.close()
        return self(**options)

    def unstarted(self, **options: Any) -> ProcessCluster:
        from support.apache_cluster import ApacheCluster
        from support.riacho_cluster import RiachoCluster

        kind: type[ProcessCluster] = ApacheCluster if self.kind == "apache" else RiachoCluster
        cluster = kind(self._directory / f"cluster-{len(self._made)}", **options)
        self._made.append(cluster)
        return cluster

    def close(self) -> None:
        for cluster in self._made:
            print(cluster.output_tails())
            cluster.close()


def _maker(request: pytest.FixtureRequest, directory: Path) -> Iterator[ClusterMaker]:
    kind: str = request.param
    if kind == "running":
        pytest.skip("these tests kill brokers: they start their own")
    if kind == "apache":
        from support.java import available

        reason = available()
        if reason:
            pytest.skip(f"no Apache Kafka beside us: {reason}")
    maker = ClusterMaker(kind, directory)
    try:
        yield maker
    finally:
        maker.close()


@pytest.fixture(params=kinds())
def make_cluster(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ClusterMaker]:
    yield from _maker(request, tmp_path)


@pytest.fixture(scope="module", params=kinds())
def make_module_cluster(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ClusterMaker]:
    yield from _maker(request, tmp_path_factory.mktemp(request.param))

"""A cluster that comes back as a whole: what clients that ask at the worst moment are told."""

from __future__ import annotations

import threading

import pytest

from cluster.conftest import ClusterMaker
from conformance.raw import ClosedByBroker, RawConnection
from support.cluster_processes import Node
from support.cluster_topics import create_topic, wait_until_led

TOPIC = "whole"
pytestmark = pytest.mark.timeout(180)


class Asker:
    """Asks one node for metadata all the time, and keeps how many brokers it was told of."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self._stop = threading.Event()
        self.told: list[int] = []
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        while not self._stop.is_set():
            try:
                with RawConnection((self._node.host, self._node.port)) as connection:
                    while not self._stop.is_set():
                        answer = connection.ask("Metadata", 9, topics=[{"name": TOPIC}])
                        self.told.append(len(answer.brokers))
            except (OSError, ClosedByBroker):
                continue

    def stop(self) -> list[int]:
        self._stop.set()
        self._thread.join(30)
        return self.told


def test_nobody_is_told_that_there_are_no_brokers(make_cluster: ClusterMaker) -> None:
    """librdkafka forgets every address when it is told of none, and never comes back."""
    cluster = make_cluster()
    if cluster.kind == "apache":
        pytest.skip("Apache Kafka is known to tell so (librdkafka issue 5301)")
    create_topic(cluster, TOPIC, 3)
    for _ in range(3):
        for node_id in cluster.nodes:
            cluster.kill(node_id)
        askers = [Asker(node) for node in cluster.brokers]
        for node_id in cluster.nodes:
            cluster.spawn(node_id)
        cluster.wait_for_brokers(set(cluster.nodes))
        wait_until_led(cluster, TOPIC, 3)
        told = [asker.stop() for asker in askers]
        assert all(told), "every node was asked and answered"
        assert min(min(each) for each in told) >= 1
        assert max(max(each) for each in told) == 3

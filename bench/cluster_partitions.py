"""Many partitions with three replicas each: making them, and the way back of a whole cluster that has them."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Mapping

from bench.batches import batch_of
from conformance.raw import ClosedByBroker, RawConnection
from support.cluster_processes import ProcessCluster
from support.cluster_view import ClusterView, PartitionState

TIMEOUT_S = 600.0
PER_TOPIC = 1_000
AT_ONCE = 500  # partitions of one Produce request
REPLICATION_FACTOR = 3


def create_s(cluster: ProcessCluster, partitions: int) -> dict[str, float]:
    """Seconds from the request until every broker names a leader of each, and until each took a replicated write."""
    started = time.perf_counter()
    _create(cluster, {"wide": partitions})
    for node in cluster.brokers:
        _wait_for_leaders(ClusterView([(node.host, node.port)], 60_000), {"wide": partitions}, started)
    led_s = time.perf_counter() - started
    _write_to_all(cluster, {"wide": partitions}, started)
    return {"all have leaders": led_s, "all written to": time.perf_counter() - started}


def restart_s(cluster: ProcessCluster, partitions: int) -> dict[str, float]:
    """Stop every broker cleanly, start all at once; seconds until each partition took a replicated write."""
    wanted = {f"many-{number}": PER_TOPIC for number in range(partitions // PER_TOPIC)}
    started = time.perf_counter()
    for name, count in wanted.items():
        _create(cluster, {name: count})
    _write_to_all(cluster, wanted, started)
    made = time.perf_counter()
    for node in cluster.nodes.values():
        assert node.process is not None
        node.process.terminate()
    for node_id in cluster.nodes:
        cluster.stop(node_id, timeout_s=300)
    stopped = time.perf_counter()
    for node_id in cluster.nodes:
        cluster.spawn(node_id)
    _write_to_all(cluster, wanted, stopped)
    back = time.perf_counter()
    return {"create": made - started, "clean stop": stopped - made, "restart until all are written to": back - stopped}


def _create(cluster: ProcessCluster, wanted: Mapping[str, int]) -> None:
    node = cluster.brokers[0]
    with RawConnection((node.host, node.port)) as connection:
        connection.socket.settimeout(TIMEOUT_S)
        topics = [
            {"name": name, "num_partitions": count, "replication_factor": REPLICATION_FACTOR}
            for name, count in wanted.items()
        ]
        answer = connection.ask("CreateTopics", 7, topics=topics, timeout_ms=int(TIMEOUT_S * 1000))
        refused = [(each.name, each.error_code, each.error_message) for each in answer.topics if each.error_code]
        if refused:
            raise RuntimeError(f"CreateTopics was refused: {refused}")


def _wait_for_leaders(
    view: ClusterView, wanted: Mapping[str, int], started: float
) -> dict[str, dict[int, PartitionState]]:
    while True:
        try:
            found = {name: view.partitions(name) for name in wanted}
            if all(_is_led(found[name], count) for name, count in wanted.items()):
                return found
        except Exception as error:  # a starting cluster refuses in many ways
            last: object = error
        else:
            last = {name: sum(state.leader > 0 for state in each.values()) for name, each in found.items()}
        if time.perf_counter() - started > TIMEOUT_S:
            raise TimeoutError(f"partitions without a leader after {TIMEOUT_S} s: {last}")
        time.sleep(0.02)


def _is_led(found: Mapping[int, PartitionState], count: int) -> bool:
    return len(found) == count and all(state.leader > 0 for state in found.values())


def _write_to_all(cluster: ProcessCluster, wanted: Mapping[str, int], started: float) -> None:
    """A write with acks=all to each partition, again where it is refused, until each was acknowledged."""
    missing = {(name, index) for name, count in wanted.items() for index in range(count)}
    while missing:
        found = _wait_for_leaders(ClusterView([(n.host, n.port) for n in cluster.brokers], 60_000), wanted, started)
        by_leader: dict[int, list[tuple[str, int]]] = defaultdict(list)
        for name, index in sorted(missing):
            by_leader[found[name][index].leader].append((name, index))
        for leader, places in by_leader.items():
            node = cluster.nodes[leader]
            for at in range(0, len(places), AT_ONCE):
                missing -= _write((node.host, node.port), places[at : at + AT_ONCE])
        if missing and time.perf_counter() - started > TIMEOUT_S:
            raise TimeoutError(f"{len(missing)} partitions took no write within {TIMEOUT_S} s")


def _write(address: tuple[str, int], places: list[tuple[str, int]]) -> set[tuple[str, int]]:
    """The places whose write was acknowledged."""
    by_topic: dict[str, list[dict[str, object]]] = defaultdict(list)
    for name, index in places:
        by_topic[name].append({"index": index, "records": batch_of(100, 1)})
    data = [{"name": name, "partition_data": each} for name, each in by_topic.items()]
    try:
        with RawConnection(address) as connection:
            connection.socket.settimeout(60)
            answer = connection.ask("Produce", 9, acks=-1, timeout_ms=20_000, topic_data=data)
    except (OSError, ClosedByBroker):
        return set()
    return {
        (topic.name, each.index)
        for topic in answer.responses
        for each in topic.partition_responses
        if each.error_code == 0
    }

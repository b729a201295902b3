"""A broker that is gone: every call is answered, in time and in one sentence; when it is back, so is the proxy."""

from __future__ import annotations

from time import monotonic

from riacho.testing import KafkaCluster
from support.rest_proxy_world import TIMEOUT_S, ProxyWorld, produce


def test_calls_are_answered_while_the_broker_is_gone_and_work_when_it_is_back() -> None:
    with KafkaCluster({"group.initial.rebalance.delay.ms": "0"}) as cluster:
        cluster.create_topic("t")
        produce(cluster.bootstrap_servers, "t", [b"1"])
        world = ProxyWorld(cluster.bootstrap_servers, admin_timeout_s=1.0)
        try:
            reader = world.create("g", "i")
            world.post(f"{reader}/subscription", {"topics": ["t"]})
            assert [record["offset"] for record in world.read(reader, 1)] == [0]
            cluster.stop(1)
            for path in ("/topics", "/topics/t", "/topics/t/partitions"):
                answer = world.get(path)
                assert (answer.status_code, answer.json()["error_code"]) == (503, 50302), path
            # Nothing comes, and that is an answer too.
            assert world.get(f"{reader}/records?timeout=10").json() == []
            cluster.start(1)
            _until_answered(world, "/topics/t")
            produce(cluster.bootstrap_servers, "t", [b"2"])
            # What was not committed yet may be read again.
            seen: list[int] = []
            while 1 not in seen:
                seen += [record["offset"] for record in world.read(reader, 1)]
        finally:
            world.stop()


def _until_answered(world: ProxyWorld, path: str) -> None:
    deadline = monotonic() + TIMEOUT_S
    while world.get(path).status_code != 200:
        assert monotonic() < deadline, "the proxy did not find the broker again"

"""Records reach a reader or wait for the next one: failures on the way, readers that hang up, two calls at a time."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from time import monotonic, sleep
from typing import Any

import pytest

from riacho.rest_proxy.consumers.instance import ConsumerInstance
from riacho.rest_proxy.v2 import consumer_records
from riacho.testing import KafkaCluster
from support.rest_proxy_world import JSON_V2, TIMEOUT_S, ProxyWorld, produce


def until(is_so: Callable[[], bool]) -> None:
    deadline = monotonic() + TIMEOUT_S
    while not is_so():
        assert monotonic() < deadline, "it did not come to that"
        sleep(0.01)


def instance_of(proxy: ProxyWorld, group: str, name: str) -> ConsumerInstance:
    found = proxy.consumers._instances[group, name]
    assert found is not None
    return found


def test_what_an_unforeseen_failure_kept_back_comes_with_the_next_call(
    proxy: ProxyWorld, cluster: KafkaCluster, topic: str, group: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    produce(cluster.bootstrap_servers, topic, [b"1", b"2"])
    path = proxy.create(group, "i")
    proxy.post(f"{path}/subscription", {"topics": [topic]})

    async def broken(*_: Any) -> bytes:
        raise RuntimeError("nobody thought of this")

    buffer = instance_of(proxy, group, "i")._poller.buffer
    until(lambda: len(buffer) == 2)
    with monkeypatch.context() as patch:
        patch.setattr(consumer_records, "array_text", broken)
        assert proxy.get(f"{path}/records", accept=JSON_V2).status_code == 500
    assert [record["value"] for record in proxy.read(path, 2)] == [1, 2]


def test_a_reader_that_hung_up_while_it_waited_is_given_nothing(
    proxy: ProxyWorld, cluster: KafkaCluster, topic: str, group: str
) -> None:
    path = proxy.create(group, "i", **{"consumer.request.timeout.ms": 60_000})
    proxy.post(f"{path}/assignments", {"partitions": [{"topic": topic, "partition": 0}]})
    instance = instance_of(proxy, group, "i")
    url = proxy.listen()
    assert proxy._server is not None
    connections = proxy._server.server_state.connections
    until(lambda: not connections)
    with socket.create_connection(("127.0.0.1", int(url.rpartition(":")[2])), TIMEOUT_S) as caller:
        caller.sendall(f"GET {path}/records HTTP/1.1\r\nHost: proxy\r\nAccept: {JSON_V2}\r\n\r\n".encode())
        until(lambda: instance.calls_in_flight == 1 and instance._waiting == 1)
    until(lambda: not connections)
    produce(cluster.bootstrap_servers, topic, [b"1"])
    until(lambda: instance.calls_in_flight == 0)
    assert [record["value"] for record in proxy.read(path, 1, query="?timeout=1000")] == [1]


def test_two_calls_at_a_time_take_turns(
    proxy: ProxyWorld, cluster: KafkaCluster, topic: str, group: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else one could commit what lies behind records that the other is still at, and may have to put back."""
    produce(cluster.bootstrap_servers, topic, [b"1", b"2", b"3"])
    path = proxy.create(group, "i")
    proxy.post(f"{path}/subscription", {"topics": [topic]})
    buffer = instance_of(proxy, group, "i")._poller.buffer
    until(lambda: len(buffer) == 3)
    decode = consumer_records.json_texts
    at_it: set[int] = set()
    together: list[int] = []

    async def slowly(decoders: Any, format: Any, records: Any) -> Any:
        at_it.add(id(records))
        together.append(len(at_it))
        for _ in range(200):
            await asyncio.sleep(0)
        at_it.remove(id(records))
        return await decode(decoders, format, records)

    monkeypatch.setattr(consumer_records, "json_texts", slowly)

    async def read_together() -> list[Any]:
        calls = (proxy._client.get(f"{path}/records?max_bytes=1", headers={"accept": JSON_V2}) for _ in range(3))
        return [answer.json()[0]["value"] for answer in await asyncio.gather(*calls)]

    assert sorted(proxy.thread.run(read_together())) == [1, 2, 3]
    assert together == [1, 1, 1]

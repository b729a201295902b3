"""What the control center is shown: a cluster with many topics and groups, and topics with many messages.

Every tenth topic has three partitions, the others have one, and each has some records. Every second group has a member
that is there, the others are those of consumers that have gone; every tenth has committed to three topics.
"""

from __future__ import annotations

import struct
import time
from collections.abc import Iterator

from confluent_kafka import Producer

from bench.batches import batch_of
from bench.requests import Admin, produce, produce_error_position
from riacho.client.cluster import Cluster, check
from riacho.client.groups import commit_offsets
from riacho.client.settings import client_settings
from riacho.wire.messages.join_group_request import JoinGroupRequest, JoinGroupRequestProtocol
from riacho.wire.messages.join_group_response import JoinGroupResponse
from riacho.wire.messages.sync_group_request import SyncGroupRequest, SyncGroupRequestAssignment
from riacho.wire.messages.sync_group_response import SyncGroupResponse

_TOPICS_A_REQUEST = 1_000
_AREAS = ("billing", "catalog", "delivery", "orders", "payments", "search", "stock", "web")
_KINDS = ("created", "changed", "removed", "seen")
# The longest that a broker takes: members stay without heartbeats for as long as the bench lasts.
_SESSION_TIMEOUT_MS = 1_800_000
# The last version that lets a member in at its first request.
_JOIN_VERSION, _SYNC_VERSION = 3, 2
_MESSAGE_BYTES = 200
_FLUSH_S = 120


def topic_name(number: int) -> str:
    area, kind = _AREAS[number % len(_AREAS)], _KINDS[number // len(_AREAS) % len(_KINDS)]
    return f"{area}.{kind}.{number:05}"


def group_name(number: int) -> str:
    return f"{_AREAS[number % len(_AREAS)]}-reader-{number:05}"


def fill_topics(port: int, count: int, first: int = 0) -> None:
    names = {number: topic_name(number) for number in range(first, count)}
    with Admin(port) as admin:
        for partitions in (1, 3):
            some = [name for number, name in names.items() if (number % 10 == 0) is (partitions == 3)]
            for at in range(0, len(some), _TOPICS_A_REQUEST):
                batch = some[at : at + _TOPICS_A_REQUEST]
                admin.create_topics(batch, partitions)
                admin.wait_for_leaders(dict.fromkeys(batch, partitions))
        for number, name in names.items():
            _written(admin, name, records=number % 20 + 1)


def _written(admin: Admin, topic: str, records: int) -> None:
    request, at = produce(topic, 0, batch_of(100, records), 1), produce_error_position(topic) - 4
    deadline = time.monotonic() + 30
    while (code := struct.unpack_from(">h", admin.ask(request), at)[0]) != 0:
        if time.monotonic() > deadline:
            raise RuntimeError(f"{topic} cannot be written to: error code {code}")
        time.sleep(0.01)


def fill_groups(port: int, count: int, topics: int, first: int = 0) -> None:
    with Cluster(client_settings(f"127.0.0.1:{port}", {})) as cluster:
        for number in range(first, count):
            group = group_name(number)
            committed = {(topic_name((number + step) % topics), 0): 0 for step in range(3 if number % 10 == 0 else 1)}
            commit_offsets(cluster, group, committed)
            if number % 2:
                _join(cluster, group)


def _join(cluster: Cluster, group: str) -> None:
    connection = cluster.coordinator(group)
    joined = cluster.ask(
        JoinGroupRequest(
            group_id=group,
            session_timeout_ms=_SESSION_TIMEOUT_MS,
            rebalance_timeout_ms=60_000,
            protocol_type="consumer",
            protocols=[JoinGroupRequestProtocol(name="range", metadata=b"")],
        ),
        JoinGroupResponse,
        connection,
        _JOIN_VERSION,
    )
    check(joined.error_code)
    synced = cluster.ask(
        SyncGroupRequest(
            group_id=group,
            generation_id=joined.generation_id,
            member_id=joined.member_id,
            assignments=[SyncGroupRequestAssignment(member_id=joined.member_id, assignment=b"")],
        ),
        SyncGroupResponse,
        connection,
        _SYNC_VERSION,
    )
    check(synced.error_code)


def messages(count: int) -> Iterator[tuple[str, str]]:
    """Keys, and values that are JSON of 200 bytes."""
    for number in range(count):
        value = (
            f'{{"order":{number},"customer":"c-{number * 7919 % 1_000_003:07}","amount":{number % 10_000 / 100:.2f},'
            f'"currency":"EUR","state":"{_KINDS[number % 4]}","items":[{number % 13},{number % 17}],"note":"'
        )
        yield f"key-{number:08}", value + "n" * max(0, _MESSAGE_BYTES - len(value) - 2) + '"}'


def fill_messages(port: int, topic: str, count: int, partitions: int, codec: str) -> None:
    """Dealt out to the partitions in turn, so that the last keys are the newest of each."""
    with Admin(port) as admin:
        admin.create_topic(topic, partitions)
    producer = Producer(
        {
            "bootstrap.servers": f"127.0.0.1:{port}",
            "compression.type": codec,
            "linger.ms": 20,
            "batch.size": 256 * 1024,
            "queue.buffering.max.messages": 200_000,
            "acks": "all",
        }
    )
    failed: list[str] = []

    def delivered(error: object, _: object) -> None:
        if error is not None:
            failed.append(str(error))

    for number, (key, value) in enumerate(messages(count)):
        while True:
            try:
                producer.produce(topic, value, key, partition=number % partitions, on_delivery=delivered)
                break
            except BufferError:
                producer.poll(0.05)
        if number % 1_000 == 0:
            producer.poll(0)
    if producer.flush(_FLUSH_S) or failed:
        raise RuntimeError(f"{topic} was not written whole: {failed[:1]}")

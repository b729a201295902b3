"""Producers that the leaders of a topic's partitions remember (KIP-664)."""

from __future__ import annotations

import msgspec
from starlette.responses import Response

from riacho.client.cluster import Cluster
from riacho.client.transactions import describe_producers
from riacho.console.parts import Parts
from riacho.web.answers import json_answer
from riacho.web.call import Call
from riacho.web.endpoint import Endpoint

_PRODUCERS_MAX = 5_000


class Producer(msgspec.Struct):
    partition: int
    producer_id: int
    producer_epoch: int
    last_sequence: int | None
    last_timestamp_ms: int | None
    coordinator_epoch: int | None
    # Where its transaction begins in this partition; None where none is open.
    transaction_start_offset: int | None


class Producers(msgspec.Struct):
    items: list[Producer]
    # There are more than these.
    is_cut: bool


def endpoints(parts: Parts) -> list[Endpoint]:
    async def get(call: Call) -> Response:
        topic = call.segment("t")
        return json_answer(await parts.clusters.of(call).kafka.ask(lambda c: _of(c, topic)))

    return [
        Endpoint("GET", "/api/v1/clusters/{c}/topics/{t}/producers", get, "Producers of a topic.",
                 tag="transactions", answers={200: Producers}),
    ]  # fmt: skip


def _of(cluster: Cluster, topic: str) -> Producers:
    partitions = sorted(each.partition_index for each in cluster.topics([topic])[topic].partitions)
    found = describe_producers(cluster, [(topic, partition) for partition in partitions])
    rows = [
        Producer(
            partition,
            each.producer_id,
            each.producer_epoch,
            _known(each.last_sequence),
            _known(each.last_timestamp),
            _known(each.coordinator_epoch),
            _known(each.current_txn_start_offset),
        )
        for (_, partition), states in sorted(found.items())
        for each in states
    ]
    return Producers(rows[:_PRODUCERS_MAX], len(rows) > _PRODUCERS_MAX)


def _known(value: int) -> int | None:
    return None if value < 0 else value

"""Transactions as their coordinators tell of them (KIP-664), and ending one that hangs."""

from __future__ import annotations

from contextlib import suppress

import msgspec
from starlette.responses import Response

from riacho.base.errors import ErrorCode, KafkaError
from riacho.client.cluster import Cluster
from riacho.client.transactions import describe_transaction, describe_transactions_at, fence, list_transactions
from riacho.console.api.listing import PAGE_QUERY, Page, cut, fields_of
from riacho.console.api.now import now_ms
from riacho.console.parts import Parts
from riacho.web.answers import json_answer, no_content
from riacho.web.call import Call
from riacho.web.endpoint import Endpoint, Query
from riacho.wire.messages.describe_transactions_response import TransactionState

_SORTS = fields_of("id", "state", "producer_id", "coordinator", "started_ms")
_STATE = Query("state", str, "Only those in this state: Ongoing, CompleteCommit...")
_ONGOING = "Ongoing"
_DESCRIBED_MAX = 100


class TransactionRow(msgspec.Struct):
    id: str
    producer_id: int
    state: str
    coordinator: int
    # Of those that are under way; None where it was not asked.
    started_ms: int | None


class TransactionPartition(msgspec.Struct):
    topic: str
    partition: int


class Transaction(msgspec.Struct):
    id: str
    coordinator: int
    state: str
    producer_id: int
    producer_epoch: int
    timeout_ms: int
    started_ms: int | None
    partitions: list[TransactionPartition]


def endpoints(parts: Parts) -> list[Endpoint]:
    async def get_all(call: Call) -> Response:
        state = call.text("state")
        rows = await parts.clusters.of(call).kafka.ask(_all)
        wanted = [row for row in rows if not state or row.state == state]
        part = cut(call, wanted, lambda row: f"{row.id} {row.producer_id}", _SORTS, "id")
        return json_answer(Page(list(part.rows), part.total, part.page, part.page_size, now_ms(), None))

    async def get(call: Call) -> Response:
        transactional_id = call.segment("id")
        return json_answer(await parts.clusters.of(call).kafka.ask(lambda c: _one(c, transactional_id)))

    async def post_abort(call: Call) -> Response:
        transactional_id = call.segment("id")
        await parts.clusters.of(call).kafka.ask(lambda c: _abort(c, transactional_id))
        return no_content()

    base = "/api/v1/clusters/{c}/transactions"
    return [
        Endpoint("GET", base, get_all, "Transactional ids and what they are at.", tag="transactions",
                 query=(*PAGE_QUERY, _STATE), answers={200: Page[TransactionRow]}),
        Endpoint("GET", base + "/{id}", get, "One, with the partitions that it has written to.", tag="transactions",
                 answers={200: Transaction}),
        Endpoint("POST", base + "/{id}/abort", post_abort, "Abort what is open, and fence its producer.",
                 tag="transactions", answers={204: None}),
    ]  # fmt: skip


def _all(cluster: Cluster) -> list[TransactionRow]:
    rows = [
        TransactionRow(each.transactional_id, each.producer_id, each.transaction_state, coordinator, None)
        for coordinator, states in list_transactions(cluster).items()
        for each in states
    ]
    by_coordinator: dict[int, list[TransactionRow]] = {}
    for row in [each for each in rows if each.state == _ONGOING][:_DESCRIBED_MAX]:
        by_coordinator.setdefault(row.coordinator, []).append(row)
    for coordinator, ongoing in by_coordinator.items():
        # Where they have ended since, or it is away, the list goes without.
        with suppress(KafkaError):
            told = describe_transactions_at(cluster, coordinator, [row.id for row in ongoing])
            for row in ongoing:
                row.started_ms = _started_ms(told[row.id]) if row.id in told else None
    return sorted(rows, key=lambda row: row.id)


def _one(cluster: Cluster, transactional_id: str) -> Transaction:
    try:
        found = describe_transaction(cluster, transactional_id)
    except KafkaError as error:
        if error.code is ErrorCode.TRANSACTIONAL_ID_NOT_FOUND:
            raise KafkaError(error.code, f"There is no transactional id {transactional_id}.") from None
        raise
    state = found.state
    return Transaction(
        id=transactional_id,
        coordinator=found.coordinator_id,
        state=state.transaction_state,
        producer_id=state.producer_id,
        producer_epoch=state.producer_epoch,
        timeout_ms=state.transaction_timeout_ms,
        started_ms=_started_ms(state),
        partitions=[
            TransactionPartition(topic.topic, partition)
            for topic in sorted(state.topics, key=lambda each: each.topic)
            for partition in sorted(topic.partitions)
        ],
    )


def _started_ms(state: TransactionState) -> int | None:
    return state.transaction_start_time_ms if state.transaction_start_time_ms >= 0 else None


def _abort(cluster: Cluster, transactional_id: str) -> None:
    # Fencing would make one that is not there.
    _one(cluster, transactional_id)
    fence(cluster, transactional_id)

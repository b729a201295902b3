from __future__ import annotations

import pytest

from riacho.base.errors import ErrorCode, KafkaError
from riacho.transactions.listing import unknown_states
from riacho.wire.messages.describe_transactions_response import TopicData, TransactionState
from riacho.wire.messages.list_transactions_request import ListTransactionsRequest
from support.transaction_world import ID, T0, T1, TransactionWorld


@pytest.fixture
def world() -> TransactionWorld:
    """Empty, Ongoing and PrepareCommit, 1000 ms after the transactions have started."""
    world = TransactionWorld()
    world.initialised("idle")
    world.add(world.initialised("open-1"), T0, transactional_id="open-1")
    prepared = world.initialised("prepared")
    world.add(prepared, T0, T1, ("s", 4), transactional_id="prepared")
    world.ask_end(prepared, committed=True, transactional_id="prepared")
    world.pass_time(1_000)
    return world


def test_everything(world: TransactionWorld) -> None:
    listed = world.shard.list(ListTransactionsRequest(), world.now_ms)
    assert [(each.transactional_id, each.producer_id, each.transaction_state) for each in listed] == [
        ("idle", 1_000, "Empty"),
        ("open-1", 1_001, "Ongoing"),
        ("prepared", 1_002, "PrepareCommit"),
    ]


def test_filters(world: TransactionWorld) -> None:
    assert world.listed(state_filters=["Ongoing", "PrepareCommit"]) == ["open-1", "prepared"]
    assert world.listed(state_filters=["Nonsense"]) == []
    assert world.listed(producer_id_filters=[1_002, 5]) == ["prepared"]
    assert world.listed(producer_id_filters=[1_002], state_filters=["Empty"]) == []


def test_by_how_long_it_is_open(world: TransactionWorld) -> None:
    # One that never started counts as very old, in Kafka too.
    assert world.listed(duration_filter=999) == ["idle", "open-1", "prepared"]
    assert world.listed(duration_filter=1_000) == ["idle"]
    assert world.listed(duration_filter=-1) == ["idle", "open-1", "prepared"]


def test_by_pattern(world: TransactionWorld) -> None:
    assert world.listed(transactional_id_pattern="(open|idle).*") == ["idle", "open-1"]
    assert world.listed(transactional_id_pattern="open") == []
    assert world.listed(transactional_id_pattern="") == ["idle", "open-1", "prepared"]
    assert world.listed(transactional_id_pattern=None) == ["idle", "open-1", "prepared"]


@pytest.mark.parametrize("pattern", ["(", "a(?=b)", r"(a)\1", "(.{1000}){1000}"])
def test_patterns_that_cannot_be_used(world: TransactionWorld, pattern: str) -> None:
    with pytest.raises(KafkaError) as caught:
        world.listed(transactional_id_pattern=pattern)
    assert caught.value.code is ErrorCode.INVALID_REGULAR_EXPRESSION


def test_a_pattern_that_would_take_too_much() -> None:
    """Of those that are taken, a backtracking engine would never come to an end with this one."""
    world = TransactionWorld()
    world.initialised("a" * 200)
    assert world.listed(transactional_id_pattern="(a|a?)+b") == []
    with pytest.raises(KafkaError) as caught:
        world.listed(transactional_id_pattern="((0|1){100}){100}")
    assert caught.value.code is ErrorCode.INVALID_REGULAR_EXPRESSION


def test_unknown_states() -> None:
    assert unknown_states(ListTransactionsRequest(state_filters=["Ongoing", "X", "ongoing", "X", "Dead"])) == [
        "X",
        "ongoing",
    ]


def test_describe(world: TransactionWorld) -> None:
    assert world.shard.describe("prepared") == TransactionState(
        transactional_id="prepared",
        transaction_state="PrepareCommit",
        transaction_timeout_ms=60_000,
        transaction_start_time_ms=world.now_ms - 1_000,
        producer_id=1_002,
        producer_epoch=1,
        topics=[TopicData(topic="s", partitions=[4]), TopicData(topic="t", partitions=[0, 1])],
    )
    assert world.shard.describe("idle").transaction_start_time_ms == -1


def test_describe_what_is_not_there(world: TransactionWorld) -> None:
    assert world.shard.describe(ID).error_code == ErrorCode.TRANSACTIONAL_ID_NOT_FOUND
    assert world.shard.describe(ID).transactional_id == ID
    assert world.shard.describe("").error_code == ErrorCode.INVALID_REQUEST

"""Conversations with two brokers (`produce_conversations.py`) that leave nothing to chance: each came of a mistake that
a fast path of produce could make."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from support.produce_batches import KINDS, Client
from support.produce_changes import CHANGES, ISR_SHRINKS, NEEDS_TWO, TRANSACTIONAL_ID_IS_DENIED, Change
from support.produce_conversations import TwoBrokers
from support.produce_world import ALONE, REPLICATED

# Version and acks: without flexible fields and with them, topics by name and by id.
WAYS = ((8, 1), (13, -1))
INDEXES = (REPLICATED, ALONE)
# Longer than a quota of one byte a second silences a client.
LONG_MS = 300_000


def _clients(version: int, acks: int) -> tuple[Client, Client]:
    return Client(version, acks, "c", 7), Client(version, acks, "d", 8)


def _warm(brokers: TwoBrokers, index: int, is_transactional: bool) -> str:
    """Both clients have their fast paths, and their transactions are open; the kind of batch that they go on with."""
    kind = "transactional" if is_transactional else "idempotent"
    for who, client in enumerate(brokers.clients):
        # Its coordinator ends what a producer left open before it has another epoch.
        brokers.end_transaction(index, client.producer_id)
        brokers.start_again(who, index)
        before = brokers.fast.served_fast
        brokers.produce(who, index, [kind, kind, kind], is_transactional)
        assert brokers.fast.served_fast > before
        epoch = brokers.batches.sequences[client.producer_id, index].epoch
        assert brokers.fast.has_transaction(client.producer_id, epoch, index) == is_transactional
    return kind


def play_change(change: Change, first: Change | None, version: int, acks: int, index: int) -> None:
    """A change counts from the next request on; two clients have their fast paths when it comes."""
    with TwoBrokers.of(*_clients(version, acks)) as brokers:
        if first is not None:
            brokers.make(first)
        for is_transactional in (False, True):
            kind = _warm(brokers, index, is_transactional)
            brokers.make(change)
            for who in (1, 0, 1, 0):
                brokers.produce(who, index, [kind], is_transactional)
                brokers.both_did_the_same()
                brokers.pass_time(400)
            brokers.produce(1, index, ["plain", "plain", "too large", "plain", "plain", "long ago"], is_transactional)
            brokers.pass_time(LONG_MS)
            brokers.both_did_the_same()
            brokers.undo(change)
            _warm(brokers, index, is_transactional)
            brokers.produce(0, index, [kind, "too large", "long ago", kind], is_transactional)
            brokers.both_did_the_same()


def play_kinds(version: int, acks: int, index: int) -> None:
    """Each kind of batch comes where a fast path is, in a transaction and in none."""
    with TwoBrokers.of(*_clients(version, acks)) as brokers:
        for is_transactional in (False, True):
            for kind in dict.fromkeys(KINDS):
                usual = _warm(brokers, index, is_transactional)
                brokers.produce(0, index, [kind, usual, kind, "plain"], is_transactional)
                brokers.both_did_the_same()
                brokers.pass_time(2_000)


def play_unnamed_transaction(version: int, acks: int, index: int) -> None:
    """A transaction is open, and a request of its producer that names no transactional id has a batch of it."""
    with TwoBrokers.of(*_clients(version, acks)) as brokers:
        kind = _warm(brokers, index, True)
        brokers.produce(0, index, ["plain", "plain", kind], False)


def play_denied_transaction(between: str, version: int, acks: int, index: int) -> None:
    """A transaction is open when its id is denied; `between` comes before the next batch of it."""
    with TwoBrokers.of(*_clients(version, acks)) as brokers:
        kind = _warm(brokers, index, True)
        brokers.make(TRANSACTIONAL_ID_IS_DENIED)
        brokers.produce(0, index, [between], True)
        brokers.batches.sequences[7, index].next = brokers.batches.sequences[7, index].last = 3
        brokers.produce(0, index, [kind], True)


def play_no_such_acks(version: int) -> None:
    """It takes long to find that out, so the next request is there before."""
    with TwoBrokers.of(Client(version, 2)) as brokers:
        brokers.produce(0, ALONE, ["takes long", "plain", "plain"], False)


def play_deadlines(version: int) -> None:
    """A later request has the shorter timeout."""
    with TwoBrokers.of(Client(version, -1, timeout_ms=1_500), Client(version, -1, timeout_ms=300)) as brokers:
        for who in (0, 1):
            brokers.produce(who, REPLICATED, ["plain"], False)
        brokers.replicate()
        for who in (0, 1):
            brokers.produce(who, REPLICATED, ["plain"], False)
        brokers.pass_time(400)
        brokers.both_did_the_same()
        brokers.pass_time(2_000)


def play_order(version: int) -> None:
    """An answer that need not wait comes after one that must."""
    with TwoBrokers.of(Client(version, -1), Client(version, 1)) as brokers:
        for who in (1, 0, 1, 0, 1):
            brokers.produce(who, REPLICATED, ["plain", "plain"], False)
            brokers.both_did_the_same()
        brokers.replicate()


def play_growing_log(version: int, acks: int, index: int) -> None:
    """What replicas have and where the log starts moves while there are fast paths."""
    with TwoBrokers.of(*_clients(version, acks)) as brokers:
        for _ in range(3):
            for who in (0, 1):
                brokers.produce(who, index, ["several", "plain", "plain"], False)
                brokers.both_did_the_same()
            brokers.replicate()
            brokers.delete_records(index)


Case = Callable[[], None]


def cases() -> Iterator[tuple[str, Case]]:
    """All of them, by name."""
    for version, acks in WAYS:
        yield f"no such acks v{version}", partial(play_no_such_acks, version)
        yield f"deadlines v{version}", partial(play_deadlines, version)
        yield f"order v{version}", partial(play_order, version)
        for index in INDEXES:
            where = f"v{version} acks={acks} partition={index}"
            yield f"growing log {where}", partial(play_growing_log, version, acks, index)
            yield f"unnamed transaction {where}", partial(play_unnamed_transaction, version, acks, index)
            for between in ("plain", "several", "takes long in transaction", "transactional"):
                played = partial(play_denied_transaction, between, version, acks, index)
                yield f"denied transaction, {between} {where}", played
            for first, change in ((NEEDS_TWO, ISR_SHRINKS), *((None, each) for each in CHANGES)):
                named = change.name if first is None else f"{first.name} before, {change.name}"
                yield f"{named} {where}", partial(play_change, change, first, version, acks, index)
            yield f"kinds {where}", partial(play_kinds, version, acks, index)

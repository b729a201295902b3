"""The bytes are those that Apache Kafka 4.3's TransactionLog writes for the same state."""

from __future__ import annotations

import pytest

from riacho.base.coordination import CoordinatorRecord
from riacho.transactions.records import TransactionStored, parse_record, transaction_record, transaction_tombstone
from riacho.transactions.state import COMPLETE_COMMIT, EMPTY, ONGOING, PREPARE_COMMIT
from riacho.transactions.transaction import Transaction

START_MS = 1_700_000_000_001
ID = "tx-é"
KEY = "0000000574782dc3a9"

EMPTY_V1 = Transaction(
    transactional_id=ID,
    producer_id=1_000,
    previous_producer_id=1_000,
    producer_epoch=0,
    timeout_ms=60_000,
    state=EMPTY,
    last_update_ms=START_MS - 1,
)
ONGOING_V2 = Transaction(
    transactional_id=ID,
    producer_id=1_000,
    previous_producer_id=1_000,
    producer_epoch=3,
    timeout_ms=60_000,
    state=ONGOING,
    partitions=frozenset({("a", 1), ("a", 0)}),
    start_ms=START_MS,
    last_update_ms=START_MS + 1,
    client_version=2,
)
PREPARE_V2 = Transaction(
    transactional_id=ID,
    producer_id=1_000,
    previous_producer_id=1_000,
    next_producer_id=2_000,
    producer_epoch=32_767,
    timeout_ms=60_000,
    state=PREPARE_COMMIT,
    partitions=frozenset({("a", 0)}),
    start_ms=START_MS,
    last_update_ms=START_MS + 2,
    client_version=2,
)
COMPLETE_V2 = Transaction(
    transactional_id=ID,
    producer_id=2_000,
    previous_producer_id=1_000,
    producer_epoch=0,
    timeout_ms=60_000,
    state=COMPLETE_COMMIT,
    start_ms=START_MS,
    last_update_ms=START_MS + 3,
    client_version=2,
)
COMPLETE_V0 = Transaction(
    transactional_id=ID,
    producer_id=1_000,
    producer_epoch=0,
    timeout_ms=60_000,
    state=COMPLETE_COMMIT,
    start_ms=START_MS,
    last_update_ms=START_MS + 3,
)
PREPARE_V0 = Transaction(
    transactional_id=ID,
    producer_id=1_000,
    producer_epoch=32_767,
    timeout_ms=60_000,
    state=PREPARE_COMMIT,
    partitions=frozenset({("a", 0)}),
    start_ms=START_MS,
    last_update_ms=START_MS + 2,
)

V0 = [
    (PREPARE_V0, "000000000000000003e87fff0000ea60020000000100016100000001000000000000018bcfe568030000018bcfe56801"),
    (COMPLETE_V0, "000000000000000003e800000000ea6004000000000000018bcfe568040000018bcfe56801"),
]
V1 = [
    (EMPTY_V1, "000100000000000003e800000000ea6000000000018bcfe56800ffffffffffffffff01000800000000000003e8"),
    (
        ONGOING_V2,
        "000100000000000003e800030000ea6001020261030000000000000001000000018bcfe568020000018bcfe56801"
        "02000800000000000003e802020002",
    ),
    (
        PREPARE_V2,
        "000100000000000003e87fff0000ea60020202610200000000000000018bcfe568030000018bcfe56801"
        "03000800000000000003e8010800000000000007d002020002",
    ),
    (
        COMPLETE_V2,
        "000100000000000007d000000000ea6004010000018bcfe568040000018bcfe5680102000800000000000003e802020002",
    ),
]


@pytest.mark.parametrize(("transaction", "value"), V0)
def test_values_of_transaction_version_0(transaction: Transaction, value: str) -> None:
    record = transaction_record(transaction, 0)
    assert (record.key.hex(), (record.value or b"").hex()) == (KEY, value)
    assert parse_record(*record) == TransactionStored(ID, transaction)


@pytest.mark.parametrize("transaction_version", [1, 2])
@pytest.mark.parametrize(("transaction", "value"), V1)
def test_values_of_transaction_versions_from_1_on(
    transaction: Transaction, value: str, transaction_version: int
) -> None:
    record = transaction_record(transaction, transaction_version)
    assert (record.key.hex(), (record.value or b"").hex()) == (KEY, value)
    assert parse_record(*record) == TransactionStored(ID, transaction)


def test_version_0_has_no_room_for_other_producer_ids() -> None:
    stored = parse_record(*transaction_record(COMPLETE_V2, 0))
    assert stored is not None
    assert stored.transaction is not None
    assert stored.transaction.previous_producer_id == -1
    assert stored.transaction.client_version == 0


def test_the_last_epoch_stays_in_memory() -> None:
    stored = parse_record(*transaction_record(Transaction(**{**_fields(EMPTY_V1), "last_producer_epoch": 5}), 2))
    assert stored is not None
    assert stored.transaction is not None
    assert stored.transaction.last_producer_epoch == -1


def test_a_tombstone() -> None:
    assert parse_record(*transaction_tombstone(ID)) == TransactionStored(ID, None)
    assert transaction_tombstone(ID) == CoordinatorRecord(bytes.fromhex(KEY), None)


@pytest.mark.parametrize(("key", "value"), [("", "00"), ("00010003746978", "0001"), (KEY, "0002ff"), (KEY, "ffff")])
def test_records_of_a_later_kafka_are_left_alone(key: str, value: str) -> None:
    assert parse_record(bytes.fromhex(key), bytes.fromhex(value)) is None


def _fields(transaction: Transaction) -> dict[str, object]:
    return {name: getattr(transaction, name) for name in transaction.__struct_fields__}

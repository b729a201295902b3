"""The transaction topic's records: a 2-byte version before the key's or the value's fields.

The key's version is the record's type, of which there is one. Values are written in version 0, or in version 1 from
transaction version 1 on: only that one has room for the ids of the previous and the next producer (KIP-890). A
tombstone removes the transactional id.
"""

from __future__ import annotations

import struct
from collections import defaultdict
from typing import NamedTuple

from riacho.base.coordination import CoordinatorRecord
from riacho.transactions.state import BY_NUMBER, EMPTY
from riacho.transactions.transaction import Partition, Transaction
from riacho.wire.codec import decode, encoder
from riacho.wire.messages.transaction_log_key import TransactionLogKey
from riacho.wire.messages.transaction_log_value import PartitionsSchema, TransactionLogValue

TRANSACTION_LOG = 0
VALUE_VERSION_MAX = 1
# The transaction version from which on values are written in version 1.
VALUE_VERSION_1_SINCE = 1

_VERSION = struct.Struct(">h")


class TransactionStored(NamedTuple):
    """A transactional id's state, or its removal when there is none."""

    transactional_id: str
    transaction: Transaction | None


def transaction_record(transaction: Transaction, transaction_version: int) -> CoordinatorRecord:
    version = VALUE_VERSION_MAX if transaction_version >= VALUE_VERSION_1_SINCE else 0
    out = bytearray(_VERSION.pack(version))
    encoder(TransactionLogValue, version)(_value(transaction, version), out, None)
    return CoordinatorRecord(_key(transaction.transactional_id), bytes(out))


def transaction_tombstone(transactional_id: str) -> CoordinatorRecord:
    return CoordinatorRecord(_key(transactional_id), None)


def parse_record(key: bytes, value: bytes | None) -> TransactionStored | None:
    """What a record says; None for a type or a version that a later Kafka may have written."""
    if len(key) < _VERSION.size or _VERSION.unpack_from(key)[0] != TRANSACTION_LOG:
        return None
    transactional_id = decode(TransactionLogKey, 0, key, _VERSION.size).transactional_id
    if value is None:
        return TransactionStored(transactional_id, None)
    version = _VERSION.unpack_from(value)[0]
    if not 0 <= version <= VALUE_VERSION_MAX:
        return None
    stored = decode(TransactionLogValue, version, value, _VERSION.size)
    return TransactionStored(transactional_id, _transaction(transactional_id, stored))


def _value(transaction: Transaction, version: int) -> TransactionLogValue:
    value = TransactionLogValue(
        producer_id=transaction.producer_id,
        producer_epoch=transaction.producer_epoch,
        transaction_timeout_ms=transaction.timeout_ms,
        transaction_status=transaction.state.number,
        # Kafka leaves the list out, rather than empty, where there can be no partition.
        transaction_partitions=None if transaction.state is EMPTY else _by_topic(transaction.partitions),
        transaction_last_update_timestamp_ms=transaction.last_update_ms,
        transaction_start_timestamp_ms=transaction.start_ms,
    )
    if version >= 1:
        value.previous_producer_id = transaction.previous_producer_id
        value.next_producer_id = transaction.next_producer_id
        value.client_transaction_version = transaction.client_version
    return value


def _by_topic(partitions: frozenset[Partition]) -> list[PartitionsSchema]:
    ids: dict[str, list[int]] = defaultdict(list)
    for topic, partition in sorted(partitions):
        ids[topic].append(partition)
    return [PartitionsSchema(topic=topic, partition_ids=partition_ids) for topic, partition_ids in ids.items()]


def _transaction(transactional_id: str, value: TransactionLogValue) -> Transaction:
    return Transaction(
        transactional_id=transactional_id,
        producer_id=value.producer_id,
        producer_epoch=value.producer_epoch,
        previous_producer_id=value.previous_producer_id,
        next_producer_id=value.next_producer_id,
        timeout_ms=value.transaction_timeout_ms,
        state=BY_NUMBER[value.transaction_status],
        partitions=frozenset(
            (each.topic, partition) for each in value.transaction_partitions or () for partition in each.partition_ids
        ),
        start_ms=value.transaction_start_timestamp_ms,
        last_update_ms=value.transaction_last_update_timestamp_ms,
        client_version=value.client_transaction_version,
    )


def _key(transactional_id: str) -> bytes:
    out = bytearray(_VERSION.pack(TRANSACTION_LOG))
    encoder(TransactionLogKey, 0)(TransactionLogKey(transactional_id=transactional_id), out, None)
    return bytes(out)

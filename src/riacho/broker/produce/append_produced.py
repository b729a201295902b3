"""A produced batch on its way into the log: every batch that a client writes is appended here, and nowhere else.

The usual way (`broker/handlers/produce.py`) and the fast path (`produce_fast_path.py`) differ in how they read the
request and write the answer. What a batch must pass, in which order it is refused, and what is counted, is the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from riacho.base.errors import ErrorCode, KafkaError
from riacho.broker.produce.produce_checking import Refused
from riacho.partition.validation import ValidBatch, validate_produced
from riacho.wire.batch import TRANSACTIONAL_BIT, stamp

if TYPE_CHECKING:
    from riacho.broker.counters.topic_metrics import TopicCounts
    from riacho.broker.partitions.hosted_partition import HostedPartition
    from riacho.broker.produce.append_checks import AppendChecks
    from riacho.log.log import Appended
    from riacho.wire.batch import Buffer


def append_produced(
    partition: HostedPartition,
    records: Buffer | None,
    checked: ValidBatch | Refused | None,
    needs_replicas: bool,
    version: int,
    now_ms: int,
    checks: AppendChecks,
) -> Appended:
    """Append a batch, or raise the KafkaError with which it is refused; then `records` are as the client sent them.

    `checked`: what `produce_checking.py` found already; where that is nothing, TakesLongError may be raised too.
    `needs_replicas`: acks=all.
    """
    # As they are, so that compiled code adds to them directly.
    counts: TopicCounts = partition.counts
    counts.produce_requests += 1
    if not partition.is_leader:
        partition.check_leader()
    if partition.is_internal:
        checks.check_internal_topic(partition)
    if needs_replicas and not partition.has_enough_replicas:
        partition.check_enough_replicas()
    if checked is None:
        valid = validate_produced(records, partition.rules, now_ms, version)
    elif isinstance(checked, Refused):
        raise checked.error()
    else:
        valid = checked
    header = valid.header
    if header.attributes & TRANSACTIONAL_BIT:
        checks.check_transaction(partition, header)
    log = partition.log
    if header.base_sequence > 0 and log.producer_state.producers.get(header.producer_id) is None:
        # Its state may be gone with its records, and then it goes on anywhere.
        checks.check_turn(partition, header)
    try:
        appended = log.append(valid.buffer, header, partition.leader_epoch, now_ms)
    except KafkaError as error:
        # A write that failed was given its place before.
        stamp(valid.buffer, 0, -1)
        if error.code is ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER:
            checks.check_turn(partition, header)
        raise
    partition.advance()
    counts.bytes_in += header.batch_length
    counts.messages_in += header.record_count
    return appended

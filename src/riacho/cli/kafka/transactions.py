"""kafka-transactions: transactions and the producers of partitions, shown; those that hang, found and ended."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from riacho.base.errors import KafkaError
from riacho.cli.kafka.connect import open_cluster
from riacho.cli.kafka.flags.jopt import Arguments
from riacho.cli.kafka.hanging_transactions import find_hanging, partitions_to_search
from riacho.cli.kafka.launch import ToolError, launch
from riacho.cli.kafka.text.sentences import words
from riacho.cli.kafka.text.tables import print_table
from riacho.client.cluster import Cluster
from riacho.client.transactions import (
    Abort,
    abort,
    describe_producers,
    describe_transaction,
    fence,
    list_transactions,
)

_LISTED = ("TransactionalId", "Coordinator", "ProducerId", "TransactionState")
_DESCRIBED = (
    "CoordinatorId",
    "TransactionalId",
    "ProducerId",
    "ProducerEpoch",
    "TransactionState",
    "TransactionTimeoutMs",
    "CurrentTransactionStartTimeMs",
    "TransactionDurationMs",
    "TopicPartitions",
)
_PRODUCERS = (
    "ProducerId",
    "ProducerEpoch",
    "LatestCoordinatorEpoch",
    "LastSequence",
    "LastTimestamp",
    "CurrentTransactionStartOffset",
)
_HANGING = (
    "Topic",
    "Partition",
    "ProducerId",
    "ProducerEpoch",
    "CoordinatorEpoch",
    "StartOffset",
    "LastTimestamp",
    "Duration(min)",
)
_NONE = "None"
_MINUTE_MS = 60_000

T = TypeVar("T")


def main() -> None:
    launch("kafka-transactions", run)


def run(arguments: Arguments) -> int:
    commands: dict[str, Callable[[Cluster, Arguments], None]] = {
        "list": _list,
        "describe": _describe,
        "describe-producers": _describe_producers,
        "abort": _abort,
        "find-hanging": _find_hanging,
        "forceTerminateTransaction": _terminate,
    }
    _check(arguments)
    with open_cluster(arguments) as cluster:
        commands[arguments.command or ""](cluster, arguments)
    return 0


def _check(arguments: Arguments) -> None:
    if arguments.command == "abort":
        if not arguments.has("start-offset") and not arguments.has("producer-id"):
            raise ToolError(
                "The transaction to abort must be identified either with --start-offset (for brokers on 3.0 or above) "
                "or with --producer-id, --producer-epoch, and --coordinator-epoch (for older brokers)"
            )
        if not arguments.has("start-offset"):
            for name in ("producer-epoch", "coordinator-epoch"):
                if not arguments.has(name):
                    raise ToolError(f"Missing required argument --{name}")
    if arguments.command == "find-hanging":
        if not arguments.has("topic") and not arguments.has("broker-id"):
            raise ToolError(
                "The `find-hanging` command requires either --topic or --broker-id to limit the scope of the search"
            )
        if arguments.has("partition") and not arguments.has("topic"):
            raise ToolError("The --partition argument requires --topic to be provided")


def _list(cluster: Cluster, arguments: Arguments) -> None:
    listed = _or_say(
        "Failed to list transactions",
        lambda: list_transactions(
            cluster,
            duration_ms=arguments.need_number("duration-filter"),
            pattern=arguments.text("transactional-id-pattern"),
        ),
    )
    rows = [
        [each.transactional_id, str(broker_id), str(each.producer_id), each.transaction_state]
        for broker_id, states in listed.items()
        for each in states
    ]
    print_table(_LISTED, rows)


def _describe(cluster: Cluster, arguments: Arguments) -> None:
    transactional_id = arguments.need("transactional-id")
    coordinator_id, state = _or_say(
        f"Failed to describe transaction state of transactional-id `{transactional_id}`",
        lambda: describe_transaction(cluster, transactional_id),
    )
    started_ms = state.transaction_start_time_ms
    is_started = started_ms >= 0
    row = [
        str(coordinator_id),
        transactional_id,
        str(state.producer_id),
        str(state.producer_epoch),
        state.transaction_state,
        str(state.transaction_timeout_ms),
        str(started_ms) if is_started else _NONE,
        str(_now_ms() - started_ms) if is_started else _NONE,
        ",".join(f"{topic.topic}-{index}" for topic in state.topics for index in topic.partitions),
    ]
    print_table(_DESCRIBED, [row])


def _describe_producers(cluster: Cluster, arguments: Arguments) -> None:
    where = arguments.need("topic"), arguments.need_number("partition")
    broker_id = arguments.number("broker-id")
    asked = "leader" if broker_id is None else f"broker {broker_id}"
    described = _or_say(
        f"Failed to describe producers for partition {where[0]}-{where[1]} on {asked}",
        lambda: describe_producers(cluster, [where], broker_id),
    )
    rows = [
        [
            str(producer.producer_id),
            str(producer.producer_epoch),
            str(producer.coordinator_epoch),
            str(producer.last_sequence),
            str(producer.last_timestamp),
            _NONE if producer.current_txn_start_offset < 0 else str(producer.current_txn_start_offset),
        ]
        for producer in described[where]
    ]
    print_table(_PRODUCERS, rows)


def _abort(cluster: Cluster, arguments: Arguments) -> None:
    where = arguments.need("topic"), arguments.need_number("partition")
    if arguments.has("start-offset"):
        transaction = _transaction_at(cluster, *where, arguments.need_number("start-offset"))
    else:
        transaction = Abort(
            *where,
            arguments.need_number("producer-id"),
            arguments.need_number("producer-epoch"),
            # A producer that never ended a transaction has none; no leader epoch is below 0.
            max(arguments.need_number("coordinator-epoch"), 0),
        )
    _or_say(f"Failed to abort transaction {_spec(transaction)}", lambda: abort(cluster, transaction))


def _transaction_at(cluster: Cluster, topic: str, partition: int, start_offset: int) -> Abort:
    described = _or_say(
        f"Failed to validate producer state for partition {topic}-{partition}",
        lambda: describe_producers(cluster, [(topic, partition)]),
    )
    for producer in described[topic, partition]:
        if producer.current_txn_start_offset == start_offset:
            epoch = max(producer.coordinator_epoch, 0)
            return Abort(topic, partition, producer.producer_id, producer.producer_epoch, epoch)
    raise ToolError(
        f"Could not find any open transactions starting at offset {start_offset} on partition {topic}-{partition}"
    )


def _spec(transaction: Abort) -> str:
    return (
        f"AbortTransactionSpec(topicPartition={transaction.topic}-{transaction.partition}, "
        f"producerId={transaction.producer_id}, producerEpoch={transaction.producer_epoch}, "
        f"coordinatorEpoch={transaction.coordinator_epoch})"
    )


def _find_hanging(cluster: Cluster, arguments: Arguments) -> None:
    topic, partition, broker_id = (
        arguments.text("topic"),
        arguments.number("partition"),
        arguments.number("broker-id"),
    )
    timeout_ms = arguments.need_number("max-transaction-timeout") * _MINUTE_MS
    now_ms = _now_ms()
    found = _or_say(
        "Failed to find hanging transactions",
        lambda: find_hanging(
            cluster, partitions_to_search(cluster, topic, partition, broker_id), broker_id, timeout_ms, now_ms
        ),
    )
    rows = [
        [
            each.topic,
            str(each.partition),
            str(each.producer.producer_id),
            str(each.producer.producer_epoch),
            str(each.producer.coordinator_epoch),
            str(each.producer.current_txn_start_offset),
            str(each.producer.last_timestamp),
            str((now_ms - each.producer.last_timestamp) // _MINUTE_MS),
        ]
        for each in found
    ]
    print_table(_HANGING, rows)


def _terminate(cluster: Cluster, arguments: Arguments) -> None:
    transactional_id = arguments.need("transactionalId")
    _or_say(f"Failed to force terminate transactionalId `{transactional_id}`", lambda: fence(cluster, transactional_id))


def _or_say(failure: str, work: Callable[[], T]) -> T:
    try:
        return work()
    except KafkaError as error:
        raise ToolError(f"{failure}: {error.detail or words(error.code)}") from error


def _now_ms() -> int:
    return time.time_ns() // 1_000_000

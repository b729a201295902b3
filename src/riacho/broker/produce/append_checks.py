"""What a produced batch must pass that depends on its request, not on the batch and its partition alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from riacho.broker.partitions.hosted_partition import HostedPartition
    from riacho.wire.batch import BatchHeader


class NeedsUsualWayError(Exception):
    """The fast path does not have what this check asks for."""


class AppendChecks(Protocol):
    """Each raises the KafkaError with which the batch is refused. They are asked only where there is a question."""

    def check_internal_topic(self, partition: HostedPartition) -> None:
        """The partition is an internal topic's."""

    def check_transaction(self, partition: HostedPartition, header: BatchHeader) -> None:
        """The batch is a transaction's."""

    def check_turn(self, partition: HostedPartition, header: BatchHeader) -> None:
        """The batch does not continue what the log has of its producer: it may have overtaken those before it."""

"""Which coordinator epochs a marker may have.

The epoch of a transaction coordinator is the leader epoch of its partition of `__transaction_state`. A partition takes
no marker of an earlier epoch than the last one, so a marker of an epoch that no coordinator will ever have would keep
the true one from ending that producer's transactions for good. Apache Kafka believes whoever may send markers; here an
epoch that is new to the producer must be one that the metadata knows of.

A coordinator may learn that it leads before this broker does. So an epoch that is a little ahead is sent back, in words
on which a coordinator tries again; by then the metadata is here. What is far ahead is refused for good.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from riacho.base.errors import ErrorCode, KafkaError
from riacho.metadata.image.topic_names import TRANSACTION_STATE

if TYPE_CHECKING:
    from riacho.broker.logs import Logs
    from riacho.metadata.image.image import MetadataImage
    from riacho.partition.producers import Producer

EPOCHS_AHEAD_MAX = 1_000


class CoordinatorEpochs:
    """As of one image of the metadata, for the markers of one request."""

    __slots__ = ("_image", "_is_logged", "_latest", "_logs")

    def __init__(self, image: MetadataImage, logs: Logs) -> None:
        self._image = image
        self._logs = logs
        self._latest: int | None = None
        self._is_logged = False

    def check(self, producer: Producer | None, coordinator_epoch: int) -> None:
        """KafkaError where no coordinator can have this epoch, as far as this broker knows."""
        if producer is not None and coordinator_epoch <= producer.coordinator_epoch:
            return
        latest = self._latest_epoch()
        if coordinator_epoch <= latest:
            return
        detail = f"coordinator epoch {coordinator_epoch} is past {latest}, the latest of {TRANSACTION_STATE}"
        if coordinator_epoch <= latest + EPOCHS_AHEAD_MAX:
            raise KafkaError(ErrorCode.NOT_LEADER_OR_FOLLOWER, detail)
        if not self._is_logged:
            self._is_logged = True
            self._logs.markers_refused(detail)
        raise KafkaError(ErrorCode.TRANSACTION_COORDINATOR_FENCED, detail)

    def _latest_epoch(self) -> int:
        """Markers do not name the partition that coordinates their producer: the latest of all epochs."""
        if self._latest is None:
            topic = self._image.topics.get(TRANSACTION_STATE)
            epochs = () if topic is None else (each.leader_epoch for each in topic.partitions)
            # Transactions that hang without a coordinator are ended by hand, with epoch 0 (KIP-664).
            self._latest = max(epochs, default=0)
        return self._latest

"""What a share consumer and one broker have agreed on: the partitions read there, request after request (KIP-932).

A session begins with epoch 0, which names all partitions; each request after it counts one up, and names only what is
new, what is no longer wanted, and what is acknowledged. Epoch -1 ends it. A broker that has lost the session, or counts
otherwise, says so, and it begins anew: the records that it had handed out come again when their locks run out.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from riacho.wire.messages import share_acknowledge_request, share_fetch_request

FIRST_EPOCH = 0
FINAL_EPOCH = -1
_EPOCH_MAX = 2_147_483_647
_FETCH_MAX_WAIT_MS = 500
_FETCH_MAX_BYTES = 50 * 1024 * 1024


class Share(NamedTuple):
    """A share-partition, as requests name it."""

    topic_id: bytes
    partition: int


class Acknowledged(NamedTuple):
    first_offset: int
    last_offset: int
    kind: int


class ShareSession:
    def __init__(self, node_id: int, group_id: str, member_id: str) -> None:
        self.node_id = node_id
        self.epoch = FIRST_EPOCH
        self._group_id = group_id
        self._member_id = member_id
        self._known: set[Share] = set()
        self._pending: dict[Share, list[Acknowledged]] = {}

    @property
    def has_pending(self) -> bool:
        return bool(self._pending)

    def acknowledge(self, share: Share, offset: int, kind: int) -> None:
        """To be sent with the next request; neighbours of the same kind go as one."""
        runs = self._pending.setdefault(share, [])
        if runs and runs[-1].last_offset == offset - 1 and runs[-1].kind == kind:
            runs[-1] = runs[-1]._replace(last_offset=offset)
        else:
            runs.append(Acknowledged(offset, offset, kind))

    def reset(self) -> None:
        """The broker does not know this session any more."""
        self.epoch = FIRST_EPOCH
        self._known.clear()
        self._pending.clear()

    def advance(self) -> None:
        """The last request was taken."""
        self.epoch = 1 if self.epoch in (FINAL_EPOCH, _EPOCH_MAX) else self.epoch + 1

    def fetch(
        self, wanted: Iterable[Share], max_records: int, max_wait_ms: int
    ) -> share_fetch_request.ShareFetchRequest:
        message = share_fetch_request
        shares = set(wanted)
        if self.epoch == FIRST_EPOCH:
            # A new session may acknowledge nothing: whatever was handed out before belongs to another.
            self._pending.clear()
        acknowledged = self._take_pending()
        topics: dict[bytes, message.FetchTopic] = {}
        for share in sorted({*(shares - self._known), *acknowledged}):
            topic = topics.setdefault(share.topic_id, message.FetchTopic(topic_id=share.topic_id))
            batches = [
                message.AcknowledgementBatch(
                    first_offset=a.first_offset, last_offset=a.last_offset, acknowledge_types=[a.kind]
                )
                for a in acknowledged.get(share, ())
            ]
            topic.partitions.append(
                message.FetchPartition(partition_index=share.partition, acknowledgement_batches=batches)
            )
        forgotten: dict[bytes, message.ForgottenTopic] = {}
        for share in sorted(self._known - shares):
            topic_gone = forgotten.setdefault(share.topic_id, message.ForgottenTopic(topic_id=share.topic_id))
            topic_gone.partitions.append(share.partition)
        self._known = shares
        return message.ShareFetchRequest(
            group_id=self._group_id,
            member_id=self._member_id,
            share_session_epoch=self.epoch,
            max_wait_ms=min(max_wait_ms, _FETCH_MAX_WAIT_MS),
            min_bytes=1,
            max_bytes=_FETCH_MAX_BYTES,
            max_records=max_records,
            batch_size=max_records,
            topics=list(topics.values()),
            forgotten_topics_data=list(forgotten.values()),
        )

    def acknowledgement(self, *, is_last: bool, is_renewal: bool) -> share_acknowledge_request.ShareAcknowledgeRequest:
        message = share_acknowledge_request
        topics: dict[bytes, message.AcknowledgeTopic] = {}
        for share, runs in sorted(self._take_pending().items()):
            topic = topics.setdefault(share.topic_id, message.AcknowledgeTopic(topic_id=share.topic_id))
            batches = [
                message.AcknowledgementBatch(
                    first_offset=a.first_offset, last_offset=a.last_offset, acknowledge_types=[a.kind]
                )
                for a in runs
            ]
            topic.partitions.append(
                message.AcknowledgePartition(partition_index=share.partition, acknowledgement_batches=batches)
            )
        return message.ShareAcknowledgeRequest(
            group_id=self._group_id,
            member_id=self._member_id,
            share_session_epoch=FINAL_EPOCH if is_last else self.epoch,
            is_renew_ack=is_renewal,
            topics=list(topics.values()),
        )

    def _take_pending(self) -> dict[Share, list[Acknowledged]]:
        taken, self._pending = self._pending, {}
        return taken

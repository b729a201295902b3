"""Share groups of this broker's group coordinator, and what they ask of the share coordinator (KIP-932).

The group coordinator knows who is in a group and which share-partitions it has begun with; the share coordinator knows
how far each of them is. Whatever concerns both goes through here: state is created in the background when a heartbeat
finds a partition without, and is created or deleted before AlterShareGroupOffsets, DeleteShareGroupOffsets and
DeleteGroups are answered.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from riacho.base.errors import ErrorCode, KafkaError
from riacho.broker.requests.later import Outcome, settled
from riacho.client.tasks import Tasks
from riacho.groups.share.heartbeat import StateToCreate
from riacho.groups.share.offsets import DeleteState
from riacho.groups.share.state import ShareState, TopicShare
from riacho.groups.share_operations import (
    BEGIN_ALTER_OFFSETS,
    BEGIN_DELETE_GROUP,
    BEGIN_DELETE_OFFSETS,
    SHARE_STATE_OF_GROUP,
    STATE_DELETED,
    STATE_INITIALIZED,
)
from riacho.wire.messages.alter_share_group_offsets_response import AlterShareGroupOffsetsResponse
from riacho.wire.messages.delete_share_group_offsets_response import DeleteShareGroupOffsetsResponse
from riacho.wire.messages.describe_share_group_offsets_response import (
    DescribeShareGroupOffsetsResponsePartition,
    DescribeShareGroupOffsetsResponseTopic,
)

if TYPE_CHECKING:
    from riacho.broker.coordinators.group_runtime import GroupRuntime
    from riacho.broker.quorum.metadata_cache import MetadataCache
    from riacho.broker.shares.share_lag import ShareLag
    from riacho.broker.shares.share_persister import SharePersister
    from riacho.wire.messages.alter_share_group_offsets_request import AlterShareGroupOffsetsRequest
    from riacho.wire.messages.delete_share_group_offsets_request import DeleteShareGroupOffsetsRequest

_logger = logging.getLogger("riacho.groups")

SHARE_VERSION = "share.version"
# What went wrong with which partitions, by topic.
Errors = dict[bytes, dict[int, KafkaError]]


class ShareGroupRuntime:
    def __init__(self, groups: GroupRuntime, metadata: MetadataCache, persister: SharePersister, lag: ShareLag) -> None:
        self._groups = groups
        self._metadata = metadata
        self._persister = persister
        self._lag = lag
        self._tasks: Tasks[None] = Tasks()

    @property
    def is_enabled(self) -> bool:
        return self._metadata.image.features.get(SHARE_VERSION, 0) > 0

    async def alter_offsets(self, request: AlterShareGroupOffsetsRequest) -> AlterShareGroupOffsetsResponse:
        outcome = await settled(self._groups.ask(BEGIN_ALTER_OFFSETS, request))
        if outcome.to_create is None:
            return outcome.response
        errors = await self._create_state(outcome.to_create)
        for topic in outcome.response.responses:
            for partition in topic.partitions:
                error = errors.get(topic.topic_id, {}).get(partition.partition_index)
                if error is not None:
                    partition.error_code, partition.error_message = error.code, error.detail or error.code.name
        return outcome.response

    async def delete_offsets(self, request: DeleteShareGroupOffsetsRequest) -> DeleteShareGroupOffsetsResponse:
        outcome = await settled(self._groups.ask(BEGIN_DELETE_OFFSETS, request))
        return outcome.response(await self._delete_state(request.group_id, outcome))

    async def delete_state_of(self, group_id: str) -> ErrorCode:
        """What must be done before the group itself may be deleted; nothing, when it is no share group."""
        outcome = await settled(self._groups.ask(BEGIN_DELETE_GROUP, group_id))
        if outcome.code is not ErrorCode.NONE:
            return outcome.code
        errors = await self._delete_state(group_id, outcome)
        return next(iter(errors.values()), ErrorCode.NONE)

    async def known_partitions(self, group_id: str) -> Mapping[bytes, TopicShare]:
        """The share-partitions that have state; KafkaError when another broker coordinates the group."""
        asked: Outcome[ShareState | ErrorCode] = self._groups.ask(SHARE_STATE_OF_GROUP, group_id)
        found: ShareState | ErrorCode = await settled(asked)
        if isinstance(found, ErrorCode):
            raise KafkaError(found)
        return found.initialized

    async def described_offsets(
        self, group_id: str, topic_id: bytes, name: str, partitions: Collection[int]
    ) -> DescribeShareGroupOffsetsResponseTopic:
        summaries = await self._persister.read_summary(group_id, topic_id, partitions)
        described = []
        for index in partitions:
            summary = summaries[index]
            if isinstance(summary, KafkaError):
                described.append(DescribeShareGroupOffsetsResponsePartition(partition_index=index, start_offset=-1))
                continue
            answer = DescribeShareGroupOffsetsResponsePartition(
                partition_index=index, start_offset=summary.start_offset, leader_epoch=summary.leader_epoch
            )
            if summary.start_offset >= 0 and summary.delivery_complete_count >= 0:
                try:
                    end = await self._lag.end_offset(name, index)
                except KafkaError as error:
                    answer = DescribeShareGroupOffsetsResponsePartition(
                        partition_index=index, error_code=error.code, error_message=error.detail or error.code.name
                    )
                else:
                    answer.lag = end - summary.start_offset - summary.delivery_complete_count
            described.append(answer)
        return DescribeShareGroupOffsetsResponseTopic(topic_name=name, topic_id=topic_id, partitions=described)

    def create_state(self, wanted: StateToCreate) -> None:
        """A heartbeat found share-partitions without state. Its answer does not wait for them."""
        self._tasks.start(self._create_in_background(wanted))

    def close(self) -> None:
        self._tasks.cancel()
        self._lag.close()

    # Within

    async def _create_in_background(self, wanted: StateToCreate) -> None:
        try:
            await self._create_state(wanted)
        except Exception:
            # The next heartbeat after the retry interval asks again.
            _logger.exception("share state not created group_id=%s", wanted.group_id)

    async def _create_state(self, wanted: StateToCreate) -> Errors:
        errors: Errors = {}
        done: dict[bytes, list[int]] = {}
        for topic_id, offsets in wanted.offsets.items():
            outcomes = await self._persister.initialize(wanted.group_id, wanted.group_epoch, topic_id, offsets)
            failed = {partition: error for partition, error in outcomes.items() if error is not None}
            if failed:
                errors[topic_id] = failed
            done[topic_id] = [partition for partition in outcomes if partition not in failed]
        await self._settle(wanted.group_id, done, succeeded=True)
        await self._settle(wanted.group_id, {t: list(failed) for t, failed in errors.items()}, succeeded=False)
        for topic_id, failed in errors.items():
            _logger.warning(
                "share state not created group_id=%s topic_id=%s partitions=%s error=%s",
                wanted.group_id,
                topic_id.hex(),
                ",".join(map(str, failed)),
                next(iter(failed.values())),
            )
        return errors

    async def _delete_state(self, group_id: str, outcome: DeleteState) -> dict[bytes, ErrorCode]:
        errors: dict[bytes, ErrorCode] = {}
        for topic_id, partitions in outcome.partitions.items():
            outcomes = await self._persister.delete(group_id, topic_id, partitions)
            failed = [error for error in outcomes.values() if error is not None]
            if failed:
                errors[topic_id] = failed[0].code
        gone = [topic_id for topic_id in outcome.partitions if topic_id not in errors]
        if gone:
            _note(group_id, await settled(self._groups.ask(STATE_DELETED, group_id, gone)))
        return errors

    async def _settle(self, group_id: str, partitions: Mapping[bytes, list[int]], *, succeeded: bool) -> None:
        if any(partitions.values()):
            outcome = self._groups.ask(STATE_INITIALIZED, group_id, partitions, succeeded=succeeded)
            _note(group_id, await settled(outcome))


def _note(group_id: str, code: ErrorCode) -> None:
    if code is not ErrorCode.NONE:
        # Another broker coordinates the group now, and will find it half done in its records.
        _logger.warning("share state not written down group_id=%s error=%s", group_id, code.name)

"""The way to the stored state of share-partitions: finds the share coordinator of each, on this broker or another.

A coordinator that moves, loads or cannot be reached is tried again for a while. Whatever is asked may be asked twice:
the coordinator's answers are the same then (`shares/state_batches.py` says why for writes).
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from riacho.base.backoff import Backoff
from riacho.base.errors import ErrorCode, KafkaError
from riacho.shares.state_batches import StateBatch
from riacho.shares.state_records import ShareKey, StoredState, key_text
from riacho.wire.messages import (
    delete_share_group_state_request,
    initialize_share_group_state_request,
    read_share_group_state_request,
    read_share_group_state_summary_request,
    write_share_group_state_request,
)
from riacho.wire.schema import Message

if TYPE_CHECKING:
    from riacho.broker.peers.node_peers import NodePeers
    from riacho.broker.shares.share_coordinator import ShareCoordinator

_TRIES_MAX = 6
_BACKOFF = Backoff(100, 1_000)
_TIMEOUT_MS = 10_000
_ELSEWHERE = frozenset(
    {
        ErrorCode.NOT_COORDINATOR,
        ErrorCode.COORDINATOR_NOT_AVAILABLE,
        ErrorCode.COORDINATOR_LOAD_IN_PROGRESS,
        ErrorCode.NETWORK_EXCEPTION,
        ErrorCode.REQUEST_TIMED_OUT,
        ErrorCode.LISTENER_NOT_FOUND,
        ErrorCode.UNKNOWN_SERVER_ERROR,
    }
)

Outcomes = dict[int, KafkaError | None]


class SharePersister:
    def __init__(self, node_id: int, coordinator: ShareCoordinator, peers: NodePeers) -> None:
        """`coordinator` is this broker's, `peers` lead to the others."""
        self._node_id = node_id
        self._coordinator = coordinator
        self._peers = peers

    # For the group coordinator: many partitions of one topic, an outcome for each.

    async def initialize(
        self, group_id: str, state_epoch: int, topic_id: bytes, start_offsets: Mapping[int, int]
    ) -> Outcomes:
        """Start offset -1: by `share.auto.offset.reset`, when the partition is first read."""

        async def one(key: ShareKey) -> None:
            await self._initialize(key, state_epoch, start_offsets[key.partition])

        return await _each(group_id, topic_id, start_offsets, one)

    async def delete(self, group_id: str, topic_id: bytes, partitions: Iterable[int]) -> Outcomes:
        return await _each(group_id, topic_id, partitions, self._delete)

    async def read_summary(
        self, group_id: str, topic_id: bytes, partitions: Iterable[int]
    ) -> dict[int, StoredState | KafkaError]:
        """Where each stands, without the states of records; a start offset of -1 where nothing is stored."""
        found: dict[int, StoredState | KafkaError] = {}

        async def one(key: ShareKey) -> None:
            found[key.partition] = await self._read_summary(key)

        for partition, error in (await _each(group_id, topic_id, partitions, one)).items():
            if error is not None:
                found[partition] = error
        return found

    # For the leader of a partition: one share-partition. KafkaError when it is refused.

    async def read(self, key: ShareKey, leader_epoch: int) -> StoredState:
        message = read_share_group_state_request
        partition = message.PartitionData(partition=key.partition, leader_epoch=leader_epoch)
        request = message.ReadShareGroupStateRequest(
            group_id=key.group_id, topics=[message.ReadStateData(topic_id=key.topic_id, partitions=[partition])]
        )
        found = await self._call(key, lambda: self._coordinator.read(key, leader_epoch), request)
        return found if isinstance(found, StoredState) else _stored(found, leader_epoch)

    async def write(self, key: ShareKey, change: StoredState) -> None:
        message = write_share_group_state_request
        partition = message.PartitionData(
            partition=key.partition,
            state_epoch=change.state_epoch,
            leader_epoch=change.leader_epoch,
            start_offset=change.start_offset,
            delivery_complete_count=change.delivery_complete_count,
            state_batches=[message.StateBatch(*batch) for batch in change.state_batches],
        )
        request = message.WriteShareGroupStateRequest(
            group_id=key.group_id, topics=[message.WriteStateData(topic_id=key.topic_id, partitions=[partition])]
        )
        await self._call(key, lambda: self._coordinator.write(key, change), request)

    def close(self) -> None:
        self._peers.close()

    # Within

    async def _initialize(self, key: ShareKey, state_epoch: int, start_offset: int) -> None:
        message = initialize_share_group_state_request
        partition = message.PartitionData(partition=key.partition, state_epoch=state_epoch, start_offset=start_offset)
        request = message.InitializeShareGroupStateRequest(
            group_id=key.group_id, topics=[message.InitializeStateData(topic_id=key.topic_id, partitions=[partition])]
        )
        await self._call(key, lambda: self._coordinator.initialize(key, state_epoch, start_offset), request)

    async def _delete(self, key: ShareKey) -> None:
        message = delete_share_group_state_request
        partition = message.PartitionData(partition=key.partition)
        request = message.DeleteShareGroupStateRequest(
            group_id=key.group_id, topics=[message.DeleteStateData(topic_id=key.topic_id, partitions=[partition])]
        )
        await self._call(key, lambda: self._coordinator.delete(key), request)

    async def _read_summary(self, key: ShareKey) -> StoredState:
        message = read_share_group_state_summary_request
        partition = message.PartitionData(partition=key.partition, leader_epoch=-1)
        request = message.ReadShareGroupStateSummaryRequest(
            group_id=key.group_id,
            topics=[message.ReadStateSummaryData(topic_id=key.topic_id, partitions=[partition])],
        )
        found = await self._call(key, lambda: self._coordinator.read_summary(key), request)
        if isinstance(found, StoredState):
            return found
        return StoredState(0, found.state_epoch, found.leader_epoch, found.start_offset, found.delivery_complete_count)

    async def _call(self, key: ShareKey, local: Callable[[], Awaitable[Any]], request: Message) -> Any:
        """What the local coordinator returns, or the partition's result of another broker's answer."""
        for failures in range(1, _TRIES_MAX + 1):
            try:
                node_id = await self._coordinator.coordinator_of(key_text(key))
                if node_id == self._node_id:
                    return await local()
                return await self._ask(node_id, request)
            except KafkaError as error:
                if error.code not in _ELSEWHERE or failures == _TRIES_MAX:
                    raise
            await asyncio.sleep(_BACKOFF.pause_ms(failures) / 1000)
        raise AssertionError("the last try raises or returns")

    async def _ask(self, node_id: int, request: Message) -> Any:
        answer = await self._peers.get(node_id).send(request, timeout_ms=_TIMEOUT_MS)
        results = [partition for topic in answer.results for partition in topic.partitions]
        if len(results) != 1:
            raise KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR, f"broker {node_id} gave {len(results)} results for one")
        if results[0].error_code:
            raise KafkaError(ErrorCode(results[0].error_code), results[0].error_message)
        return results[0]


async def _each(
    group_id: str, topic_id: bytes, partitions: Iterable[int], act: Callable[[ShareKey], Awaitable[None]]
) -> Outcomes:
    keys = [ShareKey(group_id, topic_id, partition) for partition in partitions]
    outcomes = await asyncio.gather(*(act(key) for key in keys), return_exceptions=True)
    found: Outcomes = {}
    for key, outcome in zip(keys, outcomes, strict=True):
        if outcome is not None and not isinstance(outcome, KafkaError):
            raise outcome
        found[key.partition] = outcome
    return found


def _stored(found: Any, leader_epoch: int) -> StoredState:
    batches = tuple(
        StateBatch(batch.first_offset, batch.last_offset, batch.delivery_state, batch.delivery_count)
        for batch in found.state_batches
    )
    return StoredState(0, found.state_epoch, leader_epoch, found.start_offset, 0, batches)

"""A member of a classic consumer group: joins, reads what it is given, commits now and then, and joins again."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from riacho.base.errors import ErrorCode, KafkaError
from riacho.client.peer.peer import Peer
from riacho.wire.messages.find_coordinator_request import FindCoordinatorRequest
from riacho.wire.messages.heartbeat_request import HeartbeatRequest
from riacho.wire.messages.join_group_request import JoinGroupRequest, JoinGroupRequestProtocol
from riacho.wire.messages.join_group_response import JoinGroupResponse
from riacho.wire.messages.leave_group_request import LeaveGroupRequest, MemberIdentity
from riacho.wire.messages.offset_commit_request import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from riacho.wire.messages.offset_fetch_request import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestTopics,
)
from riacho.wire.messages.sync_group_request import SyncGroupRequest, SyncGroupRequestAssignment
from riacho.wire.schema import Message
from support.simulated_client import SimulatedClient
from support.simulated_history import History, Read
from support.simulated_reader import SimulatedReader

SESSION_TIMEOUT_MS = 10_000
_HEARTBEAT_S = 1.0
_COMMIT_CHANCE = 0.5

# What a member is told when its place in the group is not what it was.
_REJOIN = frozenset(
    {
        ErrorCode.REBALANCE_IN_PROGRESS,
        ErrorCode.ILLEGAL_GENERATION,
        ErrorCode.UNKNOWN_MEMBER_ID,
        ErrorCode.FENCED_INSTANCE_ID,
    }
)


class Rejoin(Exception):
    """This generation is over."""


class SimulatedGroupMember:
    def __init__(self, client: SimulatedClient, history: History, group: str, topic: str, partitions: int) -> None:
        self.client = client
        self.is_stopping = False
        # Of what this member reads at the moment.
        self.readers: dict[int, SimulatedReader] = {}
        self._history = history
        self._group = group
        self._topic = topic
        self._partitions = partitions
        self._member_id = ""
        self._generation = -1
        self._coordinator: Peer | None = None

    async def run(self) -> None:
        while not self.is_stopping:
            try:
                await self._join()
                await self._consume()
            except Rejoin:
                await self.client.back_off()
        if self._member_id:
            await self._leave()
        self.client.close()

    # --- the coordinator

    async def _ask(self, request: Message, **options: Any) -> Any:
        """A network that fails ends the generation: who coordinates may have changed."""
        try:
            if self._coordinator is None:
                await self._find()
            assert self._coordinator is not None
            return await self._coordinator.send(request, **options)
        except KafkaError as error:
            self.client.check_passing(error.code)
            self._coordinator = None
            raise Rejoin from None

    async def _find(self) -> None:
        response = await self.client.any().send(FindCoordinatorRequest(key_type=0, coordinator_keys=[self._group]))
        found = response.coordinators[0]
        if found.error_code:
            raise KafkaError(ErrorCode(found.error_code))
        self._coordinator = self.client.peer((found.host, found.port))

    def _check(self, error_code: int) -> None:
        if not error_code:
            return
        code = ErrorCode(error_code)
        if code is ErrorCode.UNKNOWN_MEMBER_ID:
            self._member_id = ""
        elif code not in _REJOIN:
            self.client.check_passing(code)
            self._coordinator = None
        raise Rejoin

    # --- membership

    async def _join(self) -> None:
        request = JoinGroupRequest(
            group_id=self._group,
            session_timeout_ms=SESSION_TIMEOUT_MS,
            rebalance_timeout_ms=SESSION_TIMEOUT_MS,
            member_id=self._member_id,
            protocol_type="consumer",
            protocols=[JoinGroupRequestProtocol(name="range", metadata=self.client.name.encode())],
        )
        response: JoinGroupResponse = await self._ask(request, timeout_ms=3 * SESSION_TIMEOUT_MS)
        if response.error_code == ErrorCode.MEMBER_ID_REQUIRED:
            self._member_id = response.member_id
            raise Rejoin
        self._check(response.error_code)
        self._member_id, self._generation = response.member_id, response.generation_id
        await self._sync(response)

    async def _sync(self, joined: JoinGroupResponse) -> None:
        shares: dict[str, list[int]] = {}
        if joined.leader == self._member_id:
            members = sorted(member.member_id for member in joined.members)
            for partition in range(self._partitions):
                shares.setdefault(members[partition % len(members)], []).append(partition)
        request = SyncGroupRequest(
            group_id=self._group,
            generation_id=self._generation,
            member_id=self._member_id,
            protocol_type="consumer",
            protocol_name="range",
            assignments=[
                SyncGroupRequestAssignment(member_id=member_id, assignment=json.dumps(share).encode())
                for member_id, share in shares.items()
            ],
        )
        response = await self._ask(request, timeout_ms=3 * SESSION_TIMEOUT_MS)
        self._check(response.error_code)
        given = json.loads(bytes(response.assignment) or b"[]")
        keys = tuple((self._topic, partition) for partition in given)
        self._history.assignments.append((self._group, self._member_id, self._generation, keys))
        self.readers = {}
        for partition in given:
            self.readers[partition] = SimulatedReader(self.client, self._history, self._topic, partition)
            self.readers[partition].position = await self._committed(partition)

    async def _leave(self) -> None:
        request = LeaveGroupRequest(group_id=self._group, members=[MemberIdentity(member_id=self._member_id)])
        try:
            await self._ask(request)
        except Rejoin:
            self.client.world.event(f"{self.client.name} left without saying so")

    # --- offsets

    async def _committed(self, partition: int) -> int:
        key = (self._group, (self._topic, partition))
        known = self._history.commits.get(key, -1)
        topics = [OffsetFetchRequestTopics(name=self._topic, partition_indexes=[partition])]
        group = OffsetFetchRequestGroup(group_id=self._group, topics=topics)
        response = await self._ask(OffsetFetchRequest(groups=[group]), version=9)
        self._check(response.groups[0].error_code)
        answer = response.groups[0].topics[0].partitions[0]
        self._check(answer.error_code)
        found: int = answer.committed_offset
        assert found >= known, f"{self._group} had committed {known} of {key[1]}; now it is {found}"
        return max(found, 0)

    async def _commit(self, partition: int, offset: int) -> None:
        part = OffsetCommitRequestPartition(partition_index=partition, committed_offset=offset)
        request = OffsetCommitRequest(
            group_id=self._group,
            generation_id_or_member_epoch=self._generation,
            member_id=self._member_id,
            topics=[OffsetCommitRequestTopic(name=self._topic, partitions=[part])],
        )
        response = await self._ask(request, version=9)
        self._check(response.topics[0].partitions[0].error_code)
        key = (self._group, (self._topic, partition))
        self._history.commits[key] = max(offset, self._history.commits.get(key, -1))

    # --- reading

    async def _consume(self) -> None:
        last_beat = self.client.world.loop.time()
        committed = {partition: reader.position for partition, reader in self.readers.items()}
        while not self.is_stopping:
            if self.client.world.loop.time() - last_beat > _HEARTBEAT_S or not self.readers:
                last_beat = self.client.world.loop.time()
                await self._heartbeat()
            for partition, reader in self.readers.items():
                found = await reader.poll()
                key = (self._topic, partition)
                self._history.group_reads += [Read(self._group, key, offset, value) for offset, value in found]
                # Not after every fetch; but once there is no more, all of it.
                is_due = self.client.rng.random() < _COMMIT_CHANCE if found else reader.position > committed[partition]
                if is_due:
                    await self._commit(partition, reader.position)
                    committed[partition] = reader.position
            if not self.readers:
                await asyncio.sleep(_HEARTBEAT_S)

    async def _heartbeat(self) -> None:
        request = HeartbeatRequest(group_id=self._group, generation_id=self._generation, member_id=self._member_id)
        self._check((await self._ask(request)).error_code)

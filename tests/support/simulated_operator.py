"""One who looks after a cluster while things fail: moves replicas, gives leadership back, creates a topic."""

from __future__ import annotations

import asyncio
from typing import Any

from riacho.base.errors import ErrorCode, KafkaError
from riacho.wire.messages.alter_partition_reassignments_request import (
    AlterPartitionReassignmentsRequest,
    ReassignablePartition,
    ReassignableTopic,
)
from riacho.wire.messages.elect_leaders_request import ElectLeadersRequest
from riacho.wire.messages.metadata_request import MetadataRequest
from riacho.wire.schema import Message
from support.simulated_client import SimulatedClient

_TIMEOUT_MS = 3_000
_PREFERRED = 0
_PAUSE_S = (0.1, 3.0)
# What may be said of a wish that does not fit how things are.
_DECLINED = frozenset(
    {
        ErrorCode.INVALID_REPLICA_ASSIGNMENT,
        ErrorCode.NO_REASSIGNMENT_IN_PROGRESS,
        ErrorCode.ELECTION_NOT_NEEDED,
        ErrorCode.PREFERRED_LEADER_NOT_AVAILABLE,
        ErrorCode.ELIGIBLE_LEADERS_NOT_AVAILABLE,
    }
)


class SimulatedOperator:
    def __init__(self, client: SimulatedClient, replication_factor: int) -> None:
        self.client = client
        self._replication_factor = replication_factor

    async def run(self) -> None:
        """Until it is cancelled."""
        rng = self.client.rng
        while True:
            await asyncio.sleep(rng.uniform(*_PAUSE_S))
            await rng.choice((self._elect, self._move, self._move, self._cancel))()

    async def _elect(self) -> None:
        response = await self._ask(ElectLeadersRequest(_PREFERRED, None, _TIMEOUT_MS))
        if response is not None:
            self._note(response.error_code, "elects preferred leaders")
            for topic in response.replica_election_results:
                for result in topic.partition_result:
                    self._check(result.error_code)

    async def _move(self) -> None:
        await self._reassign(to_other_replicas=True)

    async def _cancel(self) -> None:
        await self._reassign(to_other_replicas=False)

    async def _reassign(self, *, to_other_replicas: bool) -> None:
        known = await self._ask(MetadataRequest(topics=None))
        if known is None or not known.topics:
            return
        rng = self.client.rng
        topic = rng.choice(known.topics)
        index = rng.choice(topic.partitions).partition_index
        brokers = sorted(broker.node_id for broker in known.brokers)
        # One less than there should be, as often as not: more has to move.
        count = min(len(brokers), self._replication_factor - (rng.random() < 0.5))
        replicas = rng.sample(brokers, count) if to_other_replicas else None
        part = ReassignablePartition(index, replicas)
        request = AlterPartitionReassignmentsRequest(
            timeout_ms=_TIMEOUT_MS, topics=[ReassignableTopic(topic.name, [part])]
        )
        response = await self._ask(request)
        if response is not None:
            code = response.error_code or response.responses[0].partitions[0].error_code
            self._note(code, f"moves {topic.name}-{index} to {replicas}")

    async def _ask(self, request: Message) -> Any:
        """None when nobody answered: whether it was done is not known."""
        try:
            return await self.client.any().send(request)
        except KafkaError as error:
            self.client.check_passing(error.code)
            return None

    def _note(self, error_code: int, what: str) -> None:
        self.client.world.event(f"{self.client.name} {what}: {ErrorCode(error_code).name}")
        self._check(error_code)

    def _check(self, error_code: int) -> None:
        code = ErrorCode(error_code)
        if code and code not in _DECLINED:
            self.client.check_passing(code)

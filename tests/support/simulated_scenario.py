"""The run that every seed makes: clients at work, faults among them, then quiet, and a look at what is there."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from support.simulated_client import SimulatedClient
from support.simulated_faults import Fault, run_schedule
from support.simulated_group_member import SimulatedGroupMember
from support.simulated_history import History
from support.simulated_invariants import AFTER, DURING, Invariant
from support.simulated_operator import SimulatedOperator
from support.simulated_producer import ACKS_LEADER, IN_FLIGHT_MAX, SimulatedProducer
from support.simulated_reader import SimulatedReader
from support.simulated_world import World

_TOPIC = "events"
# Created while things fail.
_LATER_TOPIC = "orders"
_GROUP = "readers"
_CHECK_S = 0.25
# Everything must be back to normal this long after the last fault.
_PROGRESS_S = 60.0


class Scenario:
    fault_pause_s_max = 4.0

    def __init__(
        self,
        world: World,
        faults: tuple[Fault, ...],
        *,
        partitions: int = 2,
        replication_factor: int = 1,
        configs: dict[str, str] | None = None,
        duration_s: float = 20,
        pause_s: float = 0.2,
        reads_from_followers: bool = False,
        is_operated: bool = False,
    ) -> None:
        self.world = world
        self.history = History()
        self.producers: list[SimulatedProducer] = []
        self.readers: list[SimulatedReader] = []
        self._faults = faults
        self._partitions = partitions
        self._replication_factor = replication_factor
        self._configs = configs or {}
        self._duration_s = duration_s
        self._pause_s = pause_s
        self._reads_from_followers = reads_from_followers
        self._is_operated = is_operated
        self.members: list[SimulatedGroupMember] = []
        self._tasks: list[Any] = []
        self.during: list[Invariant] = [kind() for kind in DURING]

    async def run(self) -> None:
        world = self.world
        await world.start_all()
        watching = world.loop.create_task(self._watch())
        setup = SimulatedClient(world, "setup")
        await setup.create_topic(_TOPIC, self._partitions, self._replication_factor, self._configs)
        setup.close()
        self._start_clients()
        operating = self._operate() if self._is_operated else None
        await run_schedule(world, self._faults, self._duration_s, self.fault_pause_s_max)
        world.event("all faults are over")
        if operating is not None:
            operating.cancel()
        await self._wind_down()
        await self._read_all()
        watching.cancel()
        for invariant in [*self.during, *(kind() for kind in AFTER)]:
            invariant.check(world, self.history)
        world.event(f"acked={len(self.history.acked)} read={len(self.history.reads)}")

    def _start_clients(self) -> None:
        for partition in range(self._partitions):
            self._produce(f"all-{partition}", _TOPIC, partition, in_flight_max=IN_FLIGHT_MAX)
            self._read(f"reader-{partition}", _TOPIC, partition)
        self._produce("all-again-0", _TOPIC, 0)
        self._produce("plain-0", _TOPIC, 0, is_idempotent=False)
        self._produce("leader-0", _TOPIC, 0, acks=ACKS_LEADER)
        for number in range(2):
            self._join(f"member-{number}")

    def _operate(self) -> Any:
        """Beside the faults, and over with them."""
        operator = SimulatedOperator(SimulatedClient(self.world, "operator"), self._replication_factor)

        async def run() -> None:
            await asyncio.sleep(operator.client.rng.uniform(0, 5))
            await operator.client.create_topic(_LATER_TOPIC, 1, self._replication_factor, self._configs)
            self._produce("all-later", _LATER_TOPIC, 0)
            self._read("reader-later", _LATER_TOPIC, 0)
            await operator.run()

        return self.world.start_client("operator", run)

    def _produce(self, name: str, topic: str, partition: int, **options: Any) -> None:
        client = SimulatedClient(self.world, name)
        producer = SimulatedProducer(client, self.history, topic, partition, pause_s=self._pause_s, **options)
        self.producers.append(producer)
        self._tasks.append(self.world.start_client(name, producer.run))

    def _read(self, name: str, topic: str, partition: int) -> None:
        client = SimulatedClient(self.world, name)
        rack = client.rng.choice(list(self.world.nodes.values())).rack if self._reads_from_followers else ""
        reader = SimulatedReader(client, self.history, topic, partition, rack=rack)
        self.readers.append(reader)
        self._tasks.append(self.world.start_client(name, reader.run))

    def _join(self, name: str) -> None:
        client = SimulatedClient(self.world, name)
        member = SimulatedGroupMember(client, self.history, _GROUP, _TOPIC, self._partitions)
        self.members.append(member)
        self._tasks.append(self.world.start_client(name, member.run))

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(_CHECK_S)
            for invariant in self.during:
                try:
                    invariant.check(self.world, self.history)
                except AssertionError as error:
                    self.world.failed(type(invariant).__name__, error)
                    return

    async def _wind_down(self) -> None:
        """Every producer gets one more batch through, every reader comes to the end."""
        await self.world.whole(_PROGRESS_S)
        before = [producer.sent_count for producer in self.producers]
        for producer, count in zip(self.producers, before, strict=True):
            await self._until(lambda p=producer, n=count: p.acked_count > n, f"{producer.client.name} sent no more")  # type: ignore[misc]
        for producer in self.producers:
            producer.is_stopping = True
        for reader in self.readers:
            await self._caught_up(reader)
        for member in self.members:
            member.is_stopping = True
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _caught_up(self, reader: SimulatedReader) -> None:
        end = max((acked.offset for acked in self.history.acked if acked.partition == reader.key), default=-1) + 1
        await self._until(lambda: reader.position >= end, f"{reader.client.name} has not read to {end}")
        reader.is_stopping = True
        if reader.key[0] == _TOPIC:
            group = (_GROUP, reader.key)
            await self._until(lambda: self.history.commits.get(group, 0) >= end, f"{group} has not read to {end}")

    async def _until(self, is_so: Callable[[], bool], else_said: str) -> None:
        deadline = self.world.loop.time() + _PROGRESS_S
        while not is_so():
            assert self.world.loop.time() < deadline, f"{else_said} within {_PROGRESS_S:.0f} s"
            await asyncio.sleep(0.1)

    async def _read_all(self) -> None:
        for topic, partition in [reader.key for reader in self.readers]:
            client = SimulatedClient(self.world, f"final-{topic}-{partition}")
            await SimulatedReader(client, self.history, topic, partition).read_whole()

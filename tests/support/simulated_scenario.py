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
from support.simulated_producer import ACKS_LEADER, SimulatedProducer
from support.simulated_reader import SimulatedReader
from support.simulated_world import World

_TOPIC = "events"
_GROUP = "readers"
_CHECK_S = 0.25
# Everything must be back to normal this long after the last fault.
_PROGRESS_S = 60.0


class Scenario:
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
        self.members: list[SimulatedGroupMember] = []
        self._tasks: list[Any] = []
        self._during: list[Invariant] = [kind() for kind in DURING]

    async def run(self) -> None:
        world = self.world
        await world.start_all()
        watching = world.loop.create_task(self._watch())
        setup = SimulatedClient(world, "setup")
        await setup.create_topic(_TOPIC, self._partitions, self._replication_factor, self._configs)
        setup.close()
        self._start_clients()
        await run_schedule(world, self._faults, self._duration_s)
        world.event("all faults are over")
        await self._wind_down()
        await self._read_all()
        watching.cancel()
        for invariant in [*self._during, *(kind() for kind in AFTER)]:
            invariant.check(world, self.history)
        world.event(f"acked={len(self.history.acked)} read={len(self.history.reads)}")

    def _start_clients(self) -> None:
        for partition in range(self._partitions):
            self._produce(f"all-{partition}", partition)
            self._read(f"reader-{partition}", partition)
        self._produce("all-again-0", 0)
        self._produce("plain-0", 0, is_idempotent=False)
        self._produce("leader-0", 0, is_idempotent=False, acks=ACKS_LEADER)

        for number in range(2):
            self._join(f"member-{number}")

    def _produce(self, name: str, partition: int, **options: Any) -> None:
        client = SimulatedClient(self.world, name)
        producer = SimulatedProducer(client, self.history, _TOPIC, partition, pause_s=self._pause_s, **options)
        self.producers.append(producer)
        self._tasks.append(self.world.start_client(name, producer.run))

    def _read(self, name: str, partition: int) -> None:
        reader = SimulatedReader(SimulatedClient(self.world, name), self.history, _TOPIC, partition)
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
            for invariant in self._during:
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
            await self._until(lambda p=producer, n=count: p.sent_count > n, f"{producer.client.name} sent no more")  # type: ignore[misc]
        for producer in self.producers:
            producer.is_stopping = True
        for partition, reader in enumerate(self.readers):
            await self._caught_up(partition, reader)
        for member in self.members:
            member.is_stopping = True
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _caught_up(self, partition: int, reader: SimulatedReader) -> None:
        key = (_TOPIC, partition)
        end = max((acked.offset for acked in self.history.acked if acked.partition == key), default=-1) + 1
        await self._until(lambda: reader.position >= end, f"{reader.client.name} has not read to {end}")
        reader.is_stopping = True
        await self._until(
            lambda: self.history.commits.get((_GROUP, key), 0) >= end, f"{_GROUP} has not read {key} to {end}"
        )

    async def _until(self, is_so: Callable[[], bool], else_said: str) -> None:
        deadline = self.world.loop.time() + _PROGRESS_S
        while not is_so():
            assert self.world.loop.time() < deadline, f"{else_said} within {_PROGRESS_S:.0f} s"
            await asyncio.sleep(0.1)

    async def _read_all(self) -> None:
        for partition in range(self._partitions):
            client = SimulatedClient(self.world, f"final-{partition}")
            await SimulatedReader(client, self.history, _TOPIC, partition).read_whole()

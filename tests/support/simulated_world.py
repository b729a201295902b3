"""A world made from a seed: time, network, disks, and the brokers and clients in it. The same seed gives the same run.

    with World(seed, brokers=3) as world:
        world.run(scenario(world))

When the run fails, what is raised tells the seed, the command that replays it, and the trace.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import os
import random
import uuid
import warnings
from collections.abc import Callable, Coroutine, Mapping
from random import Random
from types import TracebackType
from typing import Any, Self
from unittest import mock

from support.simulated_network import SimulatedNetwork
from support.simulated_node import BROKER_PORT, CONTROLLER_PORT, SimulatedNode
from support.simulated_order import ordered_sets
from support.simulated_time import Life, SimulatedLoop
from support.simulated_trace import Trace

_PROPERTIES = {
    "riacho.metrics.port": "-1",
    "offsets.topic.num.partitions": "2",
    "group.initial.rebalance.delay.ms": "0",
}


class SimulationFailed(AssertionError):
    """A run that broke an invariant, never ended, or met an error that nobody expected."""


class World:
    def __init__(
        self,
        seed: int,
        *,
        brokers: int = 1,
        properties: Mapping[str, str] | None = None,
        replay: str = "tests/simulation",
    ) -> None:
        self.seed = seed
        self.rng = Random(f"{seed}/faults")
        self.trace = Trace()
        self.loop = SimulatedLoop(Random(f"{seed}/threads"))
        self.loop.set_exception_handler(self._unhandled)
        self.network = SimulatedNetwork(self.loop, Random(f"{seed}/network"), self.trace)
        self.failures: list[tuple[str, BaseException]] = []
        self._broken: asyncio.Future[None] | None = None
        self._replay = replay
        self._exits = contextlib.ExitStack()
        self.client_hosts: list[str] = []
        self._given = dict(properties or {})
        self._voters = range(1, brokers + 1)
        self.nodes = {node_id: SimulatedNode(self, node_id, self._properties(node_id)) for node_id in self._voters}

    def _properties(self, node_id: int) -> dict[str, str]:
        own: dict[str, str] = {
            "listeners": f"PLAINTEXT://node{node_id}:{BROKER_PORT}",
            "cluster.id": "c2ltdWxhdGlvbi13b3JsZA",
            "broker.rack": f"rack{node_id}",
        }
        if len(self._voters) > 1:
            own["controller.listener.names"] = "CONTROLLER"
            own["controller.quorum.voters"] = ",".join(f"{n}@node{n}:{CONTROLLER_PORT}" for n in self._voters)
            if node_id in self._voters:
                own["listeners"] += f",CONTROLLER://node{node_id}:{CONTROLLER_PORT}"
            else:
                own["process.roles"] = "broker"
        return {**_PROPERTIES, **own, **self._given}

    # --- life

    def __enter__(self) -> Self:
        self._exits.enter_context(ordered_sets("riacho.broker"))
        # What reaches past the ports for chance (log roll jitter, member ids) is seeded here.
        chance = Random(f"{self.seed}/chance")

        def uuid4() -> uuid.UUID:
            return uuid.UUID(bytes=chance.randbytes(16), version=4)

        self._exits.enter_context(mock.patch.object(uuid, "uuid4", uuid4))
        self._exits.enter_context(mock.patch.object(os, "urandom", chance.randbytes))
        # A crash leaves coroutines that never got to run.
        self._exits.enter_context(warnings.catch_warnings())
        warnings.filterwarnings("ignore", "coroutine .* was never awaited", RuntimeWarning)
        state = random.getstate()
        self._exits.callback(random.setstate, state)
        random.seed(self.seed)
        if gc.isenabled():
            # A collection could unwind what a crash left, at a moment that the seed does not decide.
            gc.disable()
            self._exits.callback(gc.enable)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        for node in self.nodes.values():
            if node.is_up:
                node.crash()
        self.loop.end()
        self._exits.close()

    def run(self, main: Coroutine[Any, Any, Any], *, limit_s: float = 600) -> None:
        try:
            self.loop.run_until_complete(self._limited(main, limit_s))
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt):
                raise
            raise SimulationFailed(self._report(error)) from error

    async def _limited(self, main: Coroutine[Any, Any, Any], limit_s: float) -> None:
        task = self.loop.create_task(main)
        self._broken = self.loop.create_future()
        await asyncio.wait((task, self._broken), timeout=limit_s, return_when=asyncio.FIRST_COMPLETED)
        if self.failures:
            task.cancel()
            what, error = self.failures[0]
            raise AssertionError(f"{what}: {error!r}") from error
        if not task.done():
            stack = task.get_stack()
            where = f"{stack[-1].f_code.co_qualname}:{stack[-1].f_lineno}" if stack else "?"
            raise AssertionError(f"not done within {limit_s} s of virtual time; it is in {where}")
        task.result()

    def _report(self, error: BaseException) -> str:
        reason = f"{type(error).__name__}: {error}"
        others = "".join(f"\nalso: {what}: {failure!r}" for what, failure in self.failures[1:])
        command = f"RIACHO_SIMULATION_SEED={self.seed} python -m pytest {self._replay}"
        return f"seed {self.seed}: {reason}{others}\n{self.trace.text()}\nreplay: {command}\nseed {self.seed}: {reason}"

    # --- what happens

    def event(self, text: str) -> None:
        self.trace.event(self.loop.now_us, text)

    def failed(self, what: str, error: BaseException) -> None:
        self.event(f"FAILED {what}: {error!r}")
        self.failures.append((what, error))
        if self._broken is not None and not self._broken.done():
            self._broken.set_result(None)

    def _unhandled(self, loop: Any, context: dict[str, Any]) -> None:
        error = context.get("exception")
        if error is None:
            self.event(f"loop: {context.get('message')}")
        else:
            self.failed(str(context.get("message")), error)

    # --- who is there

    @property
    def up(self) -> list[SimulatedNode]:
        return [node for node in self.nodes.values() if node.is_up]

    def add_broker(self) -> SimulatedNode:
        """One that has no vote; to be started."""
        node_id = len(self.nodes) + 1
        self.nodes[node_id] = SimulatedNode(self, node_id, self._properties(node_id))
        return self.nodes[node_id]

    async def start_all(self) -> None:
        """Together: a node of a cluster may not be ready before the others are there."""
        down = [node for node in self.nodes.values() if not node.is_up]
        results = await asyncio.gather(*(node.start() for node in down), return_exceptions=True)
        for result in results:
            if isinstance(result, BaseException):
                raise result

    async def whole(self, limit_s: float = 120) -> None:
        """Until every node is up, knows the same metadata, and every replica is in sync."""
        deadline = self.loop.time() + limit_s
        while not self._is_whole():
            assert self.loop.time() < deadline, f"not whole within {limit_s} s: {self._lacking()}"
            await asyncio.sleep(0.1)

    async def led(self, limit_s: float = 60) -> None:
        """Until every partition has a leader, as those see it that are up."""
        deadline = self.loop.time() + limit_s
        while leaderless := self._leaderless():
            assert self.loop.time() < deadline, f"no leader within {limit_s} s: {leaderless}"
            await asyncio.sleep(0.1)

    def _leaderless(self) -> list[str]:
        up = {node.id for node in self.up}
        return [
            f"{topic.name}-{index} {partition}"
            for node in self.up
            for topic in node.metadata.image.topics.values()
            for index, partition in enumerate(topic.partitions)
            if partition.leader not in up
        ]

    def _is_whole(self) -> bool:
        return not self._lacking()

    def _lacking(self) -> str:
        down = [node.host for node in self.nodes.values() if not node.is_up]
        if down:
            return f"{down} are down"
        images = [node.metadata.image for node in self.nodes.values()]
        if len({image.end_offset for image in images}) > 1:
            return f"metadata ends at {[image.end_offset for image in images]}"
        for topic in images[0].topics.values():
            for index, partition in enumerate(topic.partitions):
                if set(partition.isr) != set(partition.replicas) or partition.leader < 0:
                    return f"{topic.name}-{index} has leader {partition.leader} and isr {partition.isr}"
                if partition.is_reassigning:
                    return f"{topic.name}-{index} is being reassigned"
        return ""

    @property
    def bootstrap(self) -> list[tuple[str, int]]:
        return [(node.host, BROKER_PORT) for node in self.nodes.values()]

    def client_host(self) -> str:
        self.client_hosts.append(f"client{len(self.client_hosts) + 1}")
        return self.client_hosts[-1]

    def start_client(self, name: str, run: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
        """A task with a life of its own; what it raises fails the run."""
        task = self.loop.create_task(run(), name=name, context=Life(name).context())
        task.add_done_callback(self._client_ended)
        return task

    def _client_ended(self, task: asyncio.Task[Any]) -> None:
        error = None if task.cancelled() else task.exception()
        if error is not None:
            self.failed(f"client {task.get_name()}", error)

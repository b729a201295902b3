"""One broker under supervision: ready when it answers and is a member of its cluster; obeys orders."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection

from riacho.cli.supervisor.broker_process import BrokerProcess
from riacho.cli.supervisor.readiness import answers, sees
from riacho.cli.supervisor.run_state import BrokerState, Phase
from riacho.cli.supervisor.supervision import Supervised
from riacho.client.loopback import HOST


class SupervisedBroker(Supervised):
    def __init__(
        self,
        process: BrokerProcess,
        *,
        is_controller: bool,
        members: Collection[int],
        say: Callable[[str], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(process, say=say, clock=clock)
        self.process = process
        self.is_controller = is_controller
        self.generation = 0
        # Brokers that it must know of to be ready: all at first, itself when it comes back.
        self.members = frozenset(members)

    @property
    def node_id(self) -> int:
        return self.process.node_id

    @property
    def state(self) -> BrokerState:
        process = self.process
        return BrokerState(
            process.node_id,
            process.process,
            process.bootstrap,
            process.metrics,
            self.restarts,
            self.is_controller,
            self.phase,
            self.generation,
        )

    def adopt(self, state: BrokerState) -> None:
        self.adopt_process(state.process, state.phase, state.restarts)
        self.generation = state.generation

    def follow(self, generation: int, *, is_down: bool) -> None:
        """Orders: to be down or up, and how many restarts were asked for so far."""
        is_restart = generation > self.generation
        self.generation = max(generation, self.generation)
        if is_down:
            if self.phase not in (Phase.STOPPED, Phase.STOPPING) or self._starts_again:
                self._say(f"broker {self.node_id} stops as told")
                self.stop()
        elif self.phase is Phase.STOPPED:
            self._say(f"broker {self.node_id} starts as told")
            self.start()
        elif is_restart or (self.phase is Phase.STOPPING and not self._starts_again):
            self._say(f"broker {self.node_id} restarts as told")
            if self.phase is not Phase.STOPPING:
                self.stop()
            self._starts_again = True

    def is_ready(self) -> bool:
        if not answers(HOST, self.process.port):
            return False
        members = {self.node_id} if self.has_been_ready else self.members
        return not members or sees(HOST, self.process.port, members)

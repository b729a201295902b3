"""One HTTP service under supervision: ready when it says that it is well."""

from __future__ import annotations

import time
from collections.abc import Callable

from riacho.cli.supervisor.readiness import is_healthy
from riacho.cli.supervisor.run_state import Phase, ServiceState
from riacho.cli.supervisor.service_process import ServiceProcess
from riacho.cli.supervisor.supervision import Supervised
from riacho.client.loopback import HOST


class SupervisedService(Supervised):
    # It starts together with the brokers and waits for them, so it gets their time and its own.
    start_timeout_s = 60.0

    def __init__(
        self,
        process: ServiceProcess,
        *,
        say: Callable[[str], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(process, say=say, clock=clock)
        self.process = process
        self.generation = 0

    @property
    def state(self) -> ServiceState:
        process = self.process
        url = process.service.url(process.port)
        return ServiceState(
            process.service.name, process.process, url, str(process.log), self.restarts, self.phase, self.generation
        )

    def adopt(self, state: ServiceState) -> None:
        self.adopt_process(state.process, state.phase, state.restarts)
        self.generation = state.generation

    def follow(self, generation: int) -> None:
        """Orders: how many restarts were asked for so far."""
        if generation <= self.generation:
            return
        self.generation = generation
        self._say(f"{self.process.service.name} restarts as told")
        if self.phase is not Phase.STOPPING:
            self.stop()
        self._starts_again = True

    def is_ready(self) -> bool:
        return is_healthy(HOST, self.process.port)

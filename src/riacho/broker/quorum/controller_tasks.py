"""What the active controller does unasked: leadership back to the preferred replicas, unclean elections where allowed,
tokens that expire; and the loops of those who look after brokers and leaders.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

from riacho.base.errors import KafkaError

if TYPE_CHECKING:
    from riacho.base.decision import Decision
    from riacho.base.ports import Clock
    from riacho.broker.config import BrokerConfig
    from riacho.broker.logs import Logs
    from riacho.broker.quorum.controller_driver import ControllerDriver
    from riacho.broker.quorum.controller_registration import ControllerRegistration
    from riacho.metadata.controller import Controller
    from riacho.metadata.image.records import MetadataRecord


class ControllerTask(Protocol):
    """Runs beside the controller until it is cancelled, and is closed then."""

    async def run(self) -> None: ...

    def close(self) -> None: ...


class ControllerTasks:
    def __init__(
        self,
        config: BrokerConfig,
        clock: Clock,
        logs: Logs,
        controller: ControllerDriver,
        beside: Sequence[ControllerTask],
        registration: ControllerRegistration | None,
    ) -> None:
        """`registration`: of a controller that other nodes reach."""
        self._config = config
        self._clock = clock
        self._logs = logs
        self._controller = controller
        self._beside = beside
        self._registration = registration
        self._tasks: list[asyncio.Task[None]] = []

    def start(self) -> None:
        config = self._config
        chores: list[tuple[int, Callable[[Controller], Decision[MetadataRecord, None]]]] = [
            (config.get("unclean.leader.election.interval.ms"), lambda controller: controller.elect_unclean()),
            (
                config.get("delegation.token.expiry.check.interval.ms"),
                lambda controller: controller.sweep_delegation_tokens(self._clock.now_ms()),
            ),
        ]
        if config.get("auto.leader.rebalance.enable"):
            interval_ms = 1000 * config.get("leader.imbalance.check.interval.seconds")
            chores.append((interval_ms, lambda controller: controller.balance_leaders()))
        loop = asyncio.get_running_loop()
        self._tasks = [loop.create_task(self._repeat(*chore)) for chore in chores]
        self._tasks.extend(loop.create_task(each.run()) for each in self._beside)
        if self._registration is not None:
            self._tasks.append(loop.create_task(self._registration.run()))

    async def stop(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for each in self._beside:
            each.close()

    async def _repeat(self, interval_ms: int, decide: Callable[[Controller], Decision[MetadataRecord, None]]) -> None:
        while True:
            await asyncio.sleep(interval_ms / 1000)
            if self._controller.is_active:
                try:
                    await self._controller.decided(decide)
                except KafkaError as error:
                    self._logs.error.warning("controller chore failed error=%s", error)
                except Exception:
                    # A chore that died of one bad round would never be done again.
                    self._logs.error.exception("controller chore failed")

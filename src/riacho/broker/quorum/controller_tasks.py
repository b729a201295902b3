"""What the active controller does unasked: leadership back to the preferred replicas, unclean elections where allowed,
leaders after an outage.

Also the registration of controllers: each makes itself known to whoever is active (KIP-919).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from riacho.base.errors import KafkaError
from riacho.broker.quorum.leader_recovery import LeaderRecovery
from riacho.metadata.image.features import SUPPORTED
from riacho.wire.messages.controller_registration_request import ControllerRegistrationRequest, Feature, Listener

if TYPE_CHECKING:
    from riacho.base.decision import Decision
    from riacho.broker.node import Broker
    from riacho.metadata.controller import Controller
    from riacho.metadata.image.records import MetadataRecord

_REGISTRATION_RETRY_MS = 500


class ControllerTasks:
    def __init__(self, broker: Broker) -> None:
        self._broker = broker
        self._tasks: list[asyncio.Task[None]] = []
        self._incarnation_id = broker.new_uuid()
        self._leader_recovery = LeaderRecovery(broker)

    def start(self) -> None:
        config = self._broker.config
        self._broker.controller.on_activated.append(self._leader_recovery.activated)
        self._broker.metadata.subscribe(self._leader_recovery.image_changed)
        chores: list[tuple[int, Callable[[Controller], Decision[MetadataRecord, None]]]] = [
            (config.get("unclean.leader.election.interval.ms"), lambda controller: controller.elect_unclean()),
            (
                config.get("delegation.token.expiry.check.interval.ms"),
                lambda controller: controller.sweep_delegation_tokens(self._broker.clock.now_ms()),
            ),
        ]
        if config.get("auto.leader.rebalance.enable"):
            interval_ms = 1000 * config.get("leader.imbalance.check.interval.seconds")
            chores.append((interval_ms, lambda controller: controller.balance_leaders()))
        loop = asyncio.get_running_loop()
        self._tasks = [loop.create_task(self._repeat(*chore)) for chore in chores]
        self._tasks.append(loop.create_task(self._broker.failure_detector.run()))
        self._tasks.append(loop.create_task(self._leader_recovery.run()))
        if self._own_listeners():
            self._tasks.append(loop.create_task(self._register()))

    async def stop(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._broker.failure_detector.close()
        self._leader_recovery.close()

    async def _repeat(self, interval_ms: int, decide: Callable[[Controller], Decision[MetadataRecord, None]]) -> None:
        while True:
            await asyncio.sleep(interval_ms / 1000)
            if self._broker.controller.is_active:
                try:
                    await self._broker.controller.decided(decide)
                except KafkaError as error:
                    self._broker.logs.error.warning("controller chore failed error=%s", error)
                except Exception:
                    # A chore that died of one bad round would never be done again.
                    self._broker.logs.error.exception("controller chore failed")

    def _own_listeners(self) -> list[Listener]:
        config = self._broker.config
        return [
            Listener(name=listener.name, host=host, port=port)
            for listener in self._broker.listeners
            if listener.is_for_controllers
            for host, port in [config.advertised(listener.name, listener.port)]
        ]

    async def _register(self) -> None:
        """Until the metadata show this run of this controller."""
        broker = self._broker
        request = ControllerRegistrationRequest(
            controller_id=broker.node_id,
            incarnation_id=self._incarnation_id,
            listeners=self._own_listeners(),
            features=[
                Feature(name=name, min_supported_version=low, max_supported_version=high)
                for name, (low, high) in SUPPORTED.items()
            ],
        )
        while True:
            known = broker.metadata.image.controllers.get(broker.node_id)
            if known is not None and known.incarnation_id == self._incarnation_id:
                return
            try:
                await broker.controller_channel.send(request)
            except KafkaError as error:
                broker.logs.error.debug("controller registration failed error=%s", error)
            await broker.controller_channel.pause(_REGISTRATION_RETRY_MS)

"""Leaders after an outage: the active controller asks the replicas that are back where their logs end, and decides.

Which partitions wait for that, and for whom: `metadata/partitions/recovery_election.py`. The question is ListOffsets,
as the consumer that looks at what is there, committed or not, whoever leads (replica id -2): every broker, Apache's as
well, answers it with its log end, and ours with the epoch of the last record.

A partition that is complete is decided as soon as all have answered. Else those who are missing are waited for as long
as a silent broker would be, `broker.session.timeout.ms`, counted from when the first of them could have led. There is
work after changes of brokers, and when that time is over.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING

from riacho.base.errors import KafkaError
from riacho.metadata.image.topics import NO_LEADER
from riacho.metadata.partitions import leader_election
from riacho.metadata.partitions.leadership import LeadershipRules, LogEnd
from riacho.metadata.partitions.recovery_election import Asked, PendingElection, pending_elections
from riacho.partition.visibility import DEBUGGING_CONSUMER
from riacho.wire.messages.list_offsets_request import ListOffsetsPartition, ListOffsetsRequest, ListOffsetsTopic

if TYPE_CHECKING:
    from riacho.base.ports import Clock
    from riacho.broker.logs import Logs
    from riacho.broker.peers.node_peers import NodePeers
    from riacho.broker.quorum.controller_driver import ControllerDriver
    from riacho.metadata.image.image import MetadataImage

_PAUSE_MS = 100
_ANSWER_TIMEOUT_MS = 2_000
_LATEST = -1
_ANY_EPOCH = -1


class LeaderRecovery:
    def __init__(
        self, controller: ControllerDriver, peers: NodePeers, clock: Clock, logs: Logs, patience_ms: int
    ) -> None:
        """`patience_ms` is `broker.session.timeout.ms`."""
        self._controller = controller
        self._peers = peers
        self._clock = clock
        self._logs = logs
        self._patience_ms = patience_ms
        self._wake = asyncio.Event()
        # It may be active by now.
        self._wake.set()
        # Since when a partition could have had a leader, in a hurry.
        self._since_ms: dict[tuple[str, int], int] = {}

    def activated(self) -> None:
        self._since_ms.clear()
        self._wake.set()

    def image_changed(self, old: MetadataImage, new: MetadataImage) -> None:
        if new.brokers is not old.brokers:
            self._wake.set()

    def close(self) -> None:
        self._peers.close()

    async def run(self) -> None:
        controller, logs = self._controller, self._logs
        while True:
            await self._wake.wait()
            self._wake.clear()
            while controller.is_active:
                waiting = pending_elections(LeadershipRules(controller.image, controller.values))
                if not waiting:
                    break
                pause_ms = _PAUSE_MS
                try:
                    pause_ms = await self._round(waiting)
                except KafkaError as error:
                    logs.error.warning("recovery of leaders failed error=%s", error)
                except Exception:
                    logs.error.exception("recovery of leaders failed")
                with suppress(TimeoutError):
                    async with asyncio.timeout(pause_ms / 1000):
                        await self._wake.wait()
                        self._wake.clear()
            self._since_ms.clear()

    async def _round(self, waiting: list[PendingElection]) -> int:
        """Decide what can be decided; for how long there is nothing to do if nobody comes or goes."""
        now_ms = self._clock.monotonic_ms()
        patience_ms = self._patience_ms
        keys = [each.key for each in waiting]
        self._since_ms = {key: self._since_ms.get(key, now_ms) for key in keys}
        overdue = {key for key in keys if now_ms - self._since_ms[key] >= patience_ms}
        ripe = [each for each in waiting if each.is_complete or each.key in overdue]
        if not ripe:
            return max(min(self._since_ms.values()) + patience_ms - now_ms, _PAUSE_MS)
        ripe = ripe[: leader_election.ELECTIONS_MAX_PER_ROUND]
        brokers = sorted({broker_id for each in ripe for broker_id in each.present})
        answers = await asyncio.gather(*(self._ask(broker_id, ripe) for broker_id in brokers))
        reported = {broker_id: answer for broker_id, answer in zip(brokers, answers, strict=True) if answer is not None}
        # Whoever does not answer is waited for like one that is not there.
        sure = [
            each
            for each in ripe
            if each.key in overdue or all(id in reported and each.key in reported[id].log_ends for id in each.present)
        ]
        if sure:
            await self._controller.decided(lambda controller: controller.recover_leaders(sure, reported))
            self._log_elections(sure, reported)
        return _PAUSE_MS

    def _log_elections(self, decided: list[PendingElection], reported: dict[int, Asked]) -> None:
        for each in decided:
            partition = self._controller.image.partition(*each.key)
            if partition is not None and partition.leader != NO_LEADER:
                self._logs.error.info(
                    "leader after an outage partition=%s-%d leader=%d log_ends=%s",
                    *each.key,
                    partition.leader,
                    {
                        id: tuple(asked.log_ends[each.key])
                        for id, asked in reported.items()
                        if each.key in asked.log_ends
                    },
                )

    async def _ask(self, broker_id: int, waiting: list[PendingElection]) -> Asked | None:
        registered = self._controller.image.brokers.get(broker_id)
        if registered is None:
            return None
        topics: dict[str, list[int]] = {}
        for each in waiting:
            if broker_id in each.present:
                topics.setdefault(each.topic, []).append(each.partition_id)
        request = ListOffsetsRequest(
            replica_id=DEBUGGING_CONSUMER,
            topics=[
                ListOffsetsTopic(
                    name=name,
                    partitions=[
                        ListOffsetsPartition(partition_index=index, current_leader_epoch=_ANY_EPOCH, timestamp=_LATEST)
                        for index in partitions
                    ],
                )
                for name, partitions in topics.items()
            ],
        )
        try:
            response = await self._peers.get(broker_id).send(request, timeout_ms=_ANSWER_TIMEOUT_MS)
        except KafkaError as error:
            self._logs.error.info("does not tell its log ends broker_id=%d error=%s", broker_id, error)
            return None
        log_ends = {
            (topic.name, partition.partition_index): LogEnd(partition.leader_epoch, partition.offset)
            for topic in response.topics
            for partition in topic.partitions
            if not partition.error_code
        }
        return Asked(registered.epoch, log_ends)

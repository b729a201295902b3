"""The history of one cluster: measured with every look that begins another ten seconds, kept in its ring.

A look that fails leaves a gap. Where looks are further apart than a step, what is measured holds for all the time
between them, up to a minute.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

from riacho.console.clusters.picture import Picture
from riacho.console.clusters.watch import UP, Watch
from riacho.console.history.measuring import ClientKey, Flow, Measured, Measuring
from riacho.console.history.node_counters import CountersSource, NodeAnswer
from riacho.console.history.pipeline_series import PipelineSeries
from riacho.console.history.ring import FINE, Ring
from riacho.console.history.topic_sparks import TopicSparks
from riacho.console.services.pipelines import Pipelines

_log = logging.getLogger("riacho.console")
_STEP_MS = FINE.step_ms
_STEPS_FILLED_MAX = 6
# Connect and KSQL may be slow or away: brokers' figures do not wait for them any longer.
_PIPELINES_TIMEOUT_S = 3.0
# What came in a moment is no rate, and the first look may be right before the next ten seconds begin.
_APART_MS_MIN = 4_000
# After this long without a look nothing is known any more.
STALE_MS = 60_000


def ring_path(directory: Path, cluster_id: str) -> Path:
    """An id is text from the settings: of another form than a file's name is what the file is called."""
    digest = hashlib.sha256(cluster_id.encode()).hexdigest()[:16]
    return directory / f"history-{digest}.ring"


class ClusterHistory:
    def __init__(self, ring: Ring, source: CountersSource, pipelines: Pipelines | None = None) -> None:
        self.ring = ring
        self.measured: Measured | None = None
        self.measured_ms = 0
        self.nodes: dict[int, NodeAnswer] = {}
        self.on_measured: list[Callable[[Picture], None]] = []
        self._source = source
        self._pipelines = pipelines
        self._pipeline_series = PipelineSeries()
        self._measuring = Measuring()
        self._sparks = TopicSparks()
        self._step = -1
        self._task: asyncio.Task[None] | None = None
        self._is_failing = False
        self._is_gap_told = False

    @property
    def has_counters(self) -> bool:
        """Whether brokers tell more than any Kafka does."""
        return bool(self.nodes)

    def looked(self, watch: Watch) -> None:
        """To be told of every look."""
        picture = watch.picture
        if watch.state != UP or picture is None or (self._task is not None and not self._task.done()):
            return
        is_too_soon = 0 <= picture.as_of_ms - self.measured_ms < _APART_MS_MIN
        if picture.as_of_ms // _STEP_MS != self._step and not is_too_soon:
            self._task = asyncio.get_running_loop().create_task(self._collect(picture))

    async def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task
        self.ring.close()

    async def settled(self) -> None:
        """Until what is measured now is kept."""
        if self._task is not None:
            await asyncio.wait({self._task})

    def flow_of(self, topic: str, now_ms: int) -> Flow:
        measured = self._fresh(now_ms)
        return Flow() if measured is None else measured.topics.get(topic, Flow())

    def spark_of(self, topic: str) -> list[float | None]:
        return self._sparks.of(topic)

    def clients(self, now_ms: int) -> dict[ClientKey, float] | None:
        measured = self._fresh(now_ms)
        return None if measured is None or measured.clients is None else dict(measured.clients)

    def _fresh(self, now_ms: int) -> Measured | None:
        return self.measured if now_ms - self.measured_ms < STALE_MS else None

    def totals(self, now_ms: int) -> tuple[Flow, float | None]:
        measured = self._fresh(now_ms)
        return (Flow(), None) if measured is None else (measured.cluster, measured.requests)

    async def _collect(self, picture: Picture) -> None:
        try:
            answers, pipelines = await asyncio.gather(self._counters(), self._pipeline_values())
            await asyncio.to_thread(self._keep, picture, answers, pipelines)
        except Exception:
            # Figures are not worth the looks: the next round tries again.
            if not self._is_failing:
                _log.exception("history cannot be kept")
            self._is_failing = True
            return
        self._is_failing = False
        self.nodes = {each.counters.node_id: each for each in answers}
        for told in self.on_measured:
            told(picture)

    async def _counters(self) -> list[NodeAnswer]:
        return await self._source.ask() if self._source.is_there else []

    async def _pipeline_values(self) -> dict[str, float | None]:
        if self._pipelines is None or not self._pipelines.are_there:
            return {}
        try:
            running = await asyncio.wait_for(self._pipelines.now(), _PIPELINES_TIMEOUT_S)
        except TimeoutError:
            return {}
        return self._pipeline_series.step(running, now_ms=int(asyncio.get_running_loop().time() * 1000))

    def _keep(self, picture: Picture, answers: list[NodeAnswer], pipelines: Mapping[str, float | None]) -> None:
        measured = self._measuring.step(picture, answers)
        step = picture.as_of_ms // _STEP_MS
        skipped = step - self._step - 1 if self._step >= 0 else 0
        first = self._step + 1 if 0 < skipped < _STEPS_FILLED_MAX else step
        if skipped >= _STEPS_FILLED_MAX:
            self._sparks.gap()
        rates = {name: rate for name, flow in measured.topics.items() if (rate := _spark_rate(flow)) is not None}
        self._sparks.add(picture.topics, rates)
        values = {**measured.values, **pipelines}
        self._write(range(first, step + 1), values)
        self.measured, self.measured_ms, self._step = measured, picture.as_of_ms, step

    def _write(self, steps: range, values: Mapping[str, float | None]) -> None:
        """A full disk leaves a gap in the history; rates and alerts, of the disk's as well, go on without it."""
        try:
            for step in steps:
                self.ring.add(step * _STEP_MS, values)
        except OSError as error:
            if not self._is_gap_told:
                _log.warning("history has a gap: it cannot be written reason=%s", error.strerror)
            self._is_gap_told = True
            return
        self._is_gap_told = False


def _spark_rate(flow: Flow) -> float | None:
    return flow.messages_in if flow.bytes_in is None else flow.bytes_in

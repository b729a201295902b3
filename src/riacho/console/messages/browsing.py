"""The message browser of one console: what each cluster needs for it, made when it is first used."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing
from dataclasses import dataclass, field
from time import monotonic
from typing import TypeVar

from riacho.base.errors import ErrorCode, KafkaError
from riacho.client.settings import ClientSettings, client_settings
from riacho.console.clusters.cluster import ConsoleCluster
from riacho.console.clusters.errors import api_error
from riacho.console.messages.brokers import Brokers
from riacho.console.messages.decode import Decoder
from riacho.console.messages.examine import Examiner, Stop
from riacho.console.messages.filters import Filter
from riacho.console.messages.limits import EXPORTS_MAX, SCANS_MAX, TAILS_MAX, WHOLES_MAX
from riacho.console.messages.partition_reader import FETCH_BYTES_MAX, FETCH_BYTES_MIN, PartitionReader
from riacho.console.messages.plans import Plans, WantedPlan
from riacho.console.messages.ranges import Plan, Start, TopicPlace, find_topic, plan_read
from riacho.console.messages.registry import Registry
from riacho.console.messages.row import Row, View
from riacho.console.messages.scan import Scan
from riacho.console.messages.sse import Done, Problem, Progress, event_text
from riacho.console.messages.tails import Tails
from riacho.console.places import EACH_MAX, Places
from riacho.web.call import Call
from riacho.web.errors import ApiError

T = TypeVar("T")
THREADS_MAX = 4
SCAN_S_MAX = 120.0
_PLAN_WAIT_S_MAX = 15.0
_PROGRESS_S = 0.25
_SLICE_ROWS = 200
_WHOLE_FETCH_BYTES_MAX = 512 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """What a caller wants to see of a topic. `limit` is 0 where only what comes from now on is wanted."""

    topic: str
    start: Start = field(default_factory=Start)
    partitions: tuple[int, ...] | None = None
    filter: Filter = field(default_factory=Filter)
    limit: int = 50
    follow: bool = False
    committed_only: bool = True


class _OfCluster:
    def __init__(self, cluster: ConsoleCluster, threads: ThreadPoolExecutor) -> None:
        self._cluster = cluster
        self.plans = Plans(self._plan, wait_s_max=_PLAN_WAIT_S_MAX)
        urls = cluster.config.schema_registry_urls
        self.registry = Registry(urls) if urls else None
        self.decoder = Decoder(self.registry)
        self._settings: ClientSettings | None = None
        self.tails = {
            committed_only: Tails(self.brokers, self.find, threads, committed_only=committed_only)
            for committed_only in (True, False)
        }

    def brokers(self) -> Brokers:
        if self._settings is None:
            client = self._cluster.config.client
            self._settings = client_settings(client["bootstrap.servers"], client)
        return Brokers(self._settings)

    async def _plan(self, wanted: WantedPlan) -> Plan:
        return await self._cluster.kafka.ask(
            lambda client: plan_read(
                client, wanted.topic, wanted.partitions, wanted.start, committed_only=wanted.committed_only
            )
        )

    async def find(self, topic: str) -> TopicPlace:
        return await self._cluster.kafka.ask(lambda cluster: cluster.retry(lambda: find_topic(cluster, topic)))


class Browsing:
    def __init__(self, *, follows_each_max: int = EACH_MAX) -> None:
        """`follows_each_max`: how many pages of one user follow topics at a time."""
        self.threads = ThreadPoolExecutor(THREADS_MAX, thread_name_prefix="console-messages")
        self.searches = Places(SCANS_MAX, "searches are under way")
        # Those that follow a topic wait for their turn to look back.
        self._scanning = asyncio.Semaphore(SCANS_MAX)
        self.exports = Places(EXPORTS_MAX, "exports are under way")
        self.tails = Places(TAILS_MAX, "pages follow topics", follows_each_max)
        self.wholes = Places(WHOLES_MAX, "messages are read as a whole")
        self._clusters: dict[str, _OfCluster] = {}

    def admit(self, call: Call, search: Search) -> None:
        """ApiError 429 where one more would be too many."""
        (self.tails if search.follow else self.searches).take(call)

    def of(self, cluster: ConsoleCluster) -> _OfCluster:
        found = self._clusters.get(cluster.id)
        if found is None:
            found = self._clusters[cluster.id] = _OfCluster(cluster, self.threads)
        return found

    async def plan(self, cluster: ConsoleCluster, search: Search) -> Plan:
        """ApiError."""
        wanted = WantedPlan(search.topic, search.partitions, search.start, search.committed_only)
        return await self.of(cluster).plans.plan(wanted)

    def scan(
        self, cluster: ConsoleCluster, plan: Plan, search: Search, view: View, *, cuts: bool = True, time_s_max: float
    ) -> Scan:
        own = self.of(cluster)
        return Scan(
            plan,
            own.brokers(),
            lambda: own.find(search.topic),
            Examiner(view, search.filter, cuts=cuts),
            self.threads,
            limit=search.limit,
            is_backward=search.start.origin == "newest",
            committed_only=search.committed_only,
            time_s_max=time_s_max,
            # What is not cut waits as a whole.
            fetch_bytes_max=FETCH_BYTES_MAX if cuts else _WHOLE_FETCH_BYTES_MAX,
        )

    # --- streams

    async def events(
        self, cluster: ConsoleCluster, plan: Plan, search: Search, view: View
    ) -> AsyncGenerator[bytes, None]:
        """Of a search; and, where it follows, of what comes after it."""
        if not search.follow:
            scan = self.scan(cluster, plan, search, view, time_s_max=SCAN_S_MAX)
            async with aclosing(self._scanned(scan)) as pieces:
                async for piece in pieces:
                    yield piece
            yield event_text(Done(scan.reason))
            return
        tails = self.of(cluster).tails[search.committed_only]
        try:
            tail = tails.follow(plan, Examiner(view, search.filter))
        except ApiError as error:
            yield event_text(Problem(error.message)) + event_text(Done("end"))
            return
        try:
            for problem in plan.problems:
                tail.tell(problem)
            if search.limit:
                # What comes meanwhile waits: nothing is missed between the two.
                before = [each._replace(end=tail.starts[each.partition]) for each in plan.ranges]
                until = plan._replace(ranges=before, problems=[])
                scan = self.scan(cluster, until, search, view, time_s_max=SCAN_S_MAX)
                async with aclosing(self._scanned(scan)) as pieces:
                    async for piece in pieces:
                        yield piece
                if scan.reason != "end" and search.start.origin != "newest":
                    # Between what was shown and what comes now there would be a gap.
                    yield event_text(Done(scan.reason))
                    return
            async with aclosing(tail.pieces()) as told:
                async for piece in told:
                    yield piece
        finally:
            tails.leave(tail)

    async def _scanned(self, scan: Scan) -> AsyncGenerator[bytes, None]:
        async with self._scanning, aclosing(self._scan_events(scan)) as pieces:
            async for piece in pieces:
                yield piece

    async def _scan_events(self, scan: Scan) -> AsyncGenerator[bytes, None]:
        began = told = monotonic()
        problems = 0
        async with aclosing(scan.rows()) as found:
            async for rows in found:
                for first in range(0, len(rows), _SLICE_ROWS):
                    yield await self.in_thread(_events_of, rows[first : first + _SLICE_ROWS])
                for problem in scan.tally.problems[problems:]:
                    problems += 1
                    yield event_text(Problem(problem))
                if monotonic() - told >= _PROGRESS_S:
                    told = monotonic()
                    yield event_text(_progress(scan, began))
        for problem in scan.tally.problems[problems:]:
            yield event_text(Problem(problem))
        yield event_text(_progress(scan, began))

    async def one(self, cluster: ConsoleCluster, topic: str, partition: int, offset: int, view: View) -> Row:
        """The message at an offset, whether committed or not. ApiError 404."""
        own = self.of(cluster)
        place = await own.find(topic)
        brokers = own.brokers()
        examiner = Examiner(view, Filter(), cuts=False)
        try:
            if partition not in place.leaders:
                raise KafkaError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, f"Topic '{topic}' has no such partition.")
            reader = PartitionReader(
                brokers, place, lambda: own.find(topic), partition, committed_only=False, fetch_bytes=FETCH_BYTES_MIN
            )
            async with aclosing(reader.read(offset, offset + 1)) as answers:
                async for fetched in answers:
                    found = await self.in_thread(
                        lambda answer: examiner.examine(partition, answer, offset + 1, Stop(), 1, keeps_last=False),
                        fetched,
                    )
                    if found.rows:
                        return found.rows[0]
                    break
        except KafkaError as error:
            if error.code is not ErrorCode.OFFSET_OUT_OF_RANGE:
                raise api_error(error) from None
        finally:
            brokers.close()
        raise ApiError(404, 40403, f"Partition {partition} has no message at offset {offset}.")

    async def in_thread(self, work: Callable[..., T], *args: object) -> T:
        """Whatever decodes: it takes its time, and may ask a schema registry."""
        return await asyncio.get_running_loop().run_in_executor(self.threads, work, *args)


def _events_of(rows: list[Row]) -> bytes:
    return b"".join(event_text(row.cut()) for row in rows)


def _progress(scan: Scan, began: float) -> Progress:
    tally = scan.tally
    return Progress(
        tally.scanned,
        tally.matched,
        tally.size_bytes,
        int((monotonic() - began) * 1000),
        {str(each): offset for each, offset in tally.partitions.items()},
        control=tally.control,
        aborted=tally.aborted,
    )

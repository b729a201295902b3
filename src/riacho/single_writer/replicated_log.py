"""The replicated log: reads a service's log into its state, stands for leadership, and writes the log while it leads.

    replicated_log = ReplicatedLog(config, state, upstream)
    await replicated_log.start()
    reply = await replicated_log.change(lambda: state.decide_something())      # on the leader; NotLeader elsewhere
    response = await replicated_log.forward(call)                              # elsewhere

What may go wrong, and what comes of it:

a leader stands still (SIGSTOP) and wakes when another leads
    before it decides: its write is refused, as the other one's init_transactions fenced it; `change` then asks the
    group, learns that the generation is lost, and says NotLeader. Between deciding and writing: the same. While its
    transaction is open: the other one's init_transactions aborted it. After the commit was sent: it is in the log
    before the other one's mark, which the other one read before it led. A decision without records writes nothing, so
    it is confirmed with the group's coordinator before it is given out.
the group loses the leader, which still runs
    as above; the client library reports the loss, or the next claim finds it out.
a zombie fences the rightful leader
    it learns at its next claim that it is none, and writes nothing. The rightful one finds itself fenced at its next
    write, goes through the steps again, and makes the change then: whoever asked for it sees only a delay.
a broker dies, a coordinator moves
    the clients find the new one; what takes longer than `write_timeout_ms` is LogTimeout before the commit was asked
    for, OutcomeUnknown after it. In both cases the term is over: the next decision waits for a new mark, which lies
    behind whatever became of that transaction.
the reader is behind
    `change` does not return, and nothing else is decided, before the state has what was written.
the log is deleted, cut, or begins anew
    the reader finds its position out of range, a write lands where the state has been already, or the topic's id is
    another: the state is cleared and read from the beginning, and leadership taken up again after that. A topic that is
    deleted stays so until an instance is started or someone creates it; one that is made anew with several partitions
    or without compaction is not written.
whoever called is gone (its connection ended)
    the change goes on to its end: a write that nobody waits for must still be seen by the next decision.

Holes in the offsets (markers, aborted writes, compaction) never matter: nothing counts records, all waiting is for
positions, and those pass holes.

A state that has cached nothing but the log may be read on every instance at any time; `barrier` makes such a read see
what was acknowledged before, unless the log's broker is cut off from the cluster and does not know it.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

from starlette.responses import Response

from riacho.base.decision import Decision
from riacho.client.tasks import Tasks
from riacho.single_writer.candidacy import Candidacy
from riacho.single_writer.config import ReplicatedLogConfig
from riacho.single_writer.election import Misfortune
from riacho.single_writer.errors import (
    LeaderUnreachable,
    LogError,
    LogTimeout,
    NotLeader,
    OutcomeUnknown,
    ReplicatedLogError,
)
from riacho.single_writer.forwarding import NotReached, forward, was_forwarded
from riacho.single_writer.log_reader import LogReader
from riacho.single_writer.log_topic import LogTopic
from riacho.single_writer.log_watch import LogWatch
from riacho.single_writer.log_writer import Fenced, LogWriter
from riacho.single_writer.record import Append
from riacho.single_writer.shared_answer import SharedAnswer, seen
from riacho.single_writer.single_thread import SingleThread
from riacho.single_writer.state import ReplicatedState
from riacho.web.call import Call
from riacho.web.upstream import Upstream

T = TypeVar("T")
_logger = logging.getLogger("riacho.single_writer")
_WATCH_S = 1.0
_TOPIC_CHECK_EVERY = 10
_ASK_TIMEOUT_S = 5.0
_ASK_AGAIN_S = 0.1
_CHANGES_MAX = 1_000


class ReplicatedLog:
    def __init__(self, config: ReplicatedLogConfig, state: ReplicatedState, upstream: Upstream | None = None) -> None:
        self._config = config
        self._upstream = upstream
        self._topic = LogTopic(config.topic, config.admin_settings)
        self._watch = LogWatch(config.topic, config.watch_settings)
        self._watch_thread = SingleThread("leadership-watch")
        self._writer = LogWriter(config.topic, config.writer_settings)
        self._writer_thread = SingleThread("leadership-writer")
        self._candidacy = Candidacy(config, self._writer, self._writer_thread)
        self._reader = LogReader(config.topic, config.reader_settings, state, config.noop.key, self._candidacy)
        self._candidacy.reader = self._reader
        self._topic_id: str | None = None
        # Why the topic that is there now cannot be the log: somebody made it anew in another way.
        self._unfit: str | None = None
        self._known_leader_url: str | None = None
        self._log_end = SharedAnswer(lambda: self._watch_thread.run(self._watch.log_end, _ASK_TIMEOUT_S))
        self._leader_asked = SharedAnswer(lambda: self._watch_thread.run(self._watch.leader_url, _ASK_TIMEOUT_S))
        self._lock: asyncio.Lock
        self._changes: Tasks[Any] = Tasks()
        self._watcher: asyncio.Task[None] | None = None
        self._is_stopped = False

    # Life

    async def start(self) -> None:
        """When it returns, the state has what was in the log. LogError or LogTimeout when that cannot be."""
        config = self._config
        timeout_s = config.start_timeout_ms / 1000
        deadline_s = time.monotonic() + timeout_s
        self._lock = asyncio.Lock()
        try:
            self._topic_id = await self._watch_thread.run(
                self._topic.ensure, config.replication_factor, dict(config.topic_configs), timeout_s
            )
            await self._candidacy.start()
            self._reader.start()
            await self._barrier(deadline_s)
        except BaseException:
            await self.stop()
            raise
        self._watcher = asyncio.create_task(self._keep_watch(), name="leadership-watch")

    async def stop(self) -> None:
        """Changes under way end first; then the group is left, so that another instance leads at once."""
        if self._is_stopped:
            return
        self._is_stopped = True
        timeout_s = self._config.stop_timeout_ms / 1000
        if self._watcher is not None:
            self._watcher.cancel()
            await asyncio.wait([self._watcher])
        await self._changes.wait(timeout_s)
        await self._candidacy.stop(timeout_s)
        await self._reader.stop(timeout_s)
        for lane, close in ((self._writer_thread, self._writer.close), (self._watch_thread, self._watch.close)):
            with suppress(TimeoutError):
                async with asyncio.timeout(timeout_s):
                    await lane.run(close)
            lane.close()

    # Who leads

    @property
    def is_leader(self) -> bool:
        """Whether changes are to be made here. `change` may still have to wait until the replicated log is taken up."""
        return self._candidacy.is_assigned

    @property
    def leader_url(self) -> str | None:
        return self._config.url if self._candidacy.is_leading else self._known_leader_url

    # Changes

    async def change(self, decide: Callable[[], Decision[Append, T]]) -> T:
        """What `decide` answers, once its records are in the log and in the state.

        `decide` sees everything that was acknowledged before, here or elsewhere, and may be called more than once: it
        reads the state and changes nothing. NotLeader, LogError, LogTimeout and what it raises itself: nothing was
        written. OutcomeUnknown: maybe.
        """
        if not self._candidacy.is_assigned or self._is_stopped:
            raise NotLeader(leader_url=self.leader_url)
        if len(self._changes) >= _CHANGES_MAX:
            raise LogError("Too many changes are waiting already; nothing was written.")
        # A task of its own: a caller who goes away must not leave a write behind that the next decision does not see.
        task = self._changes.start(self._change(decide, time.monotonic() + self._config.write_timeout_s))
        task.add_done_callback(seen)
        return await asyncio.shield(task)

    async def _change(self, decide: Callable[[], Decision[Append, T]], deadline_s: float) -> T:
        """Until the deadline it may wait for its turn. What it then begins has the same time again, as a write that is
        broken off for lack of time would cost the term."""
        try:
            async with asyncio.timeout(deadline_s - time.monotonic()):
                await self._lock.acquire()
        except TimeoutError:
            raise LogTimeout("Earlier changes take too long; nothing was written.") from None
        try:
            if self._unfit is not None:
                raise LogError(f"{self._unfit} Nothing was written.")
            while time.monotonic() < deadline_s:
                term = await self._candidacy.until_leading(deadline_s)
                await self._reader.reached(self._candidacy.written_to, deadline_s - time.monotonic())
                if self._candidacy.is_leading and self._candidacy.term == term:
                    with suppress(_TermOver):
                        return await self._decide(decide, term)
            raise LogTimeout("The change did not come to its turn in time; nothing was written.")
        finally:
            self._lock.release()

    async def _decide(self, decide: Callable[[], Decision[Append, T]], term: int) -> T:
        """From here to the call of the writer nothing is awaited, so the writer is the one of this term."""
        deadline_s = time.monotonic() + self._config.write_timeout_s
        try:
            decision = decide()
        except Exception:
            await self._confirm(term, deadline_s)
            raise
        if decision.records:
            await self._write(decision.records, term, deadline_s)
        else:
            await self._confirm(term, deadline_s)
        return decision.reply

    async def _confirm(self, term: int, deadline_s: float) -> None:
        if not await self._candidacy.confirm(term, deadline_s):
            raise _TermOver

    async def _write(self, records: list[Append], term: int, deadline_s: float) -> None:
        position = self._reader.position
        candidacy = self._candidacy
        try:
            offset = await self._writer_thread.run(self._writer.write, records, deadline_s - time.monotonic())
        except Fenced:
            candidacy.failed(term, Misfortune.FENCED)
            raise _TermOver from None
        except OutcomeUnknown:
            candidacy.failed(term, Misfortune.OUTCOME_UNKNOWN)
            raise
        except (LogTimeout, LogError):
            if not self._writer.is_open:
                candidacy.failed(term, Misfortune.NO_ANSWER)
            raise
        try:
            candidacy.wrote(offset, position)
            await self._reader.reached(offset + 1, max(deadline_s - time.monotonic(), 0.0))
        except (LogTimeout, LogError) as error:
            raise OutcomeUnknown(f"The change was written, but not read back: {error}") from None

    # Reads

    async def barrier(self) -> None:
        """Until the state has everything that was in the log when this was called; LogTimeout."""
        await self._barrier(time.monotonic() + self._config.write_timeout_s)

    async def _barrier(self, deadline_s: float) -> None:
        while True:
            try:
                end = await self._log_end.ask()
                break
            except LogTimeout:
                # The partition may have no leader for a moment.
                if time.monotonic() + _ASK_AGAIN_S > deadline_s:
                    raise
                await asyncio.sleep(_ASK_AGAIN_S)
        await self._reader.reached(end, max(deadline_s - time.monotonic(), 0.0))

    # The leader, seen from others

    async def forward(self, call: Call) -> Response:
        """The leader's answer. NotLeader when there is none to ask, LeaderUnreachable when it did not get the call."""
        if was_forwarded(call):
            raise NotLeader("The call was forwarded to this instance, which is not the leader.")
        if self._upstream is None or self._candidacy.is_assigned:
            raise NotLeader("This instance is about to lead, or was asked to forward to nobody.")
        tried: str | None = None
        for _ in range(2):
            url = self.leader_url
            if url is None or url == tried:
                url = await self._look_up_leader()
            if url is None or url == self._config.url:
                raise NotLeader("There is no leader at the moment.")
            if url == tried:
                break
            try:
                return await forward(self._upstream, call, url, self._config.forward_timeout_ms / 1000)
            except NotReached as error:
                tried, reason = url, error
        raise LeaderUnreachable(f"The leader cannot be reached: {reason}", leader_url=tried)

    async def _look_up_leader(self) -> str | None:
        with suppress(ReplicatedLogError):
            self._known_leader_url = await self._leader_asked.ask()
        return self._known_leader_url

    async def _keep_watch(self) -> None:
        turns = 0
        while not self._is_stopped:
            turned = self._candidacy.turned
            if not self._candidacy.is_leading:
                await self._look_up_leader()
            if turns % _TOPIC_CHECK_EVERY == 0:
                await self._check_topic()
            turns += 1
            with suppress(TimeoutError):
                async with asyncio.timeout(_WATCH_S):
                    await turned.wait()

    async def _check_topic(self) -> None:
        try:
            found = await self._watch_thread.run(self._topic.topic_id, _ASK_TIMEOUT_S)
        except ReplicatedLogError:
            return
        if found is None:
            _logger.error("log is gone topic=%s", self._config.topic)
            return
        if found != self._topic_id:
            self._topic_id = found
            self._reader.restart()
            self._unfit = "The log was made anew and is not checked yet."
        if self._unfit is not None:
            await self._check_fitness()

    async def _check_fitness(self) -> None:
        try:
            await self._watch_thread.run(self._topic.check, _ASK_TIMEOUT_S)
            self._unfit = None
        except LogTimeout:
            return
        except LogError as error:
            self._unfit = str(error)
            _logger.error("log cannot be used topic=%s reason=%s", self._config.topic, error)


class _TermOver(Exception):
    """Nothing was written or said in this term; the next one decides anew."""

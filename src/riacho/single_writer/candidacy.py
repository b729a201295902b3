"""Does what the election's steps say, one at a time, and tells who asks whether this instance leads.

The theory is in `election.py`. Here is the driver: a task that takes the step which is due and reports how it went.
"""

from __future__ import annotations

import asyncio
import logging
import time
from contextlib import suppress

from riacho.single_writer.config import ReplicatedLogConfig
from riacho.single_writer.election import Election, Misfortune, Step
from riacho.single_writer.errors import LogError, LogTimeout, NotLeader, OutcomeUnknown, ReplicatedLogError
from riacho.single_writer.log_reader import LogReader
from riacho.single_writer.log_writer import Fenced, LogWriter
from riacho.single_writer.membership import ClaimFailed, GenerationLost, Membership
from riacho.single_writer.single_thread import SingleThread

_logger = logging.getLogger("riacho.single_writer")
_CLAIM_AGAIN_S = 0.05
_FAREWELL_S = 1.0


class Candidacy:
    """`written_to` is where the log ended when we last wrote it: no decision before the state has come that far."""

    def __init__(self, config: ReplicatedLogConfig, writer: LogWriter, lane: SingleThread) -> None:
        self._config = config
        self._writer = writer
        self._thread = lane
        self._election = Election()
        self._membership = Membership(
            config.topic, config.membership_settings, config.session_timeout_ms / 1000, candidate=self
        )
        self.reader: LogReader
        self.written_to = 0
        self._driver: asyncio.Task[None] | None = None
        self._turned: asyncio.Event

    async def start(self) -> None:
        self._turned = asyncio.Event()
        self._driver = asyncio.create_task(self._run(), name="leadership-candidacy")
        if self._config.is_eligible:
            self._membership.start()

    async def stop(self, timeout_s: float) -> None:
        """Whoever leads takes back its URL and leaves the group, so that another is assigned at once."""
        if self._driver is None:
            return
        was_leading = self.is_leading
        self._election.stopped()
        self._announce()
        self._driver.cancel()
        await asyncio.wait([self._driver])
        if was_leading:
            with suppress(ReplicatedLogError):
                await self._membership.claim("", _FAREWELL_S)
        await self._membership.stop(timeout_s)

    # What is known

    @property
    def is_assigned(self) -> bool:
        return self._election.is_assigned

    @property
    def is_leading(self) -> bool:
        return self._election.step is Step.LEADING

    @property
    def term(self) -> int:
        return self._election.term

    @property
    def turned(self) -> asyncio.Event:
        """Set at the next change of what is known."""
        return self._turned

    async def until_leading(self, deadline_s: float) -> int:
        """The term. NotLeader at once when another leads, LogTimeout when it is ours and cannot be taken up."""
        while not self.is_leading:
            if not self.is_assigned:
                raise NotLeader
            try:
                async with asyncio.timeout(deadline_s - time.monotonic()):
                    await self._turned.wait()
            except TimeoutError:
                raise LogTimeout("The election of a leader takes too long; nothing was written.") from None
        return self._election.term

    async def confirm(self, term: int, deadline_s: float) -> bool:
        """Whether we led all along, as the group's coordinator says it now; False when the term is over."""
        while self._election.term == term:
            try:
                await self._membership.claim(self._config.url, max(deadline_s - time.monotonic(), 0.0))
                return self._election.term == term
            except GenerationLost:
                self.failed(term, Misfortune.GENERATION_LOST)
            except ClaimFailed as error:
                # The group takes no commits for a moment when a member comes or goes.
                if time.monotonic() + _CLAIM_AGAIN_S > deadline_s:
                    raise LogTimeout(f"{error} Nothing was written.") from None
                await asyncio.sleep(_CLAIM_AGAIN_S)
        return False

    # What happens

    def assigned(self) -> None:
        self._election.assigned()
        self._announce()

    def released(self) -> None:
        if self.is_assigned:
            _logger.info("leadership given up topic=%s term=%d", self._config.topic, self.term)
        self._election.released()
        self._announce()

    def stalled(self) -> None:
        self.failed(self.term, Misfortune.STALLED)

    def log_lost(self) -> None:
        self.written_to = 0
        self.failed(self.term, Misfortune.LOG_LOST)

    def failed(self, term: int, misfortune: Misfortune) -> None:
        if term == self.term and self.is_assigned:
            _logger.warning(
                "leadership in doubt topic=%s term=%d step=%s reason=%s",
                self._config.topic,
                term,
                self._election.step.name.lower(),
                misfortune.value,
            )
        self._election.failed(term, misfortune)
        self._announce()

    def _announce(self) -> None:
        turned, self._turned = self._turned, asyncio.Event()
        turned.set()

    # The driver

    async def _run(self) -> None:
        while self._election.step is not Step.STOPPED:
            turned, term, step = self._turned, self._election.term, self._election.step
            if self._election.must_rejoin:
                self._election.rejoined()
                self._membership.rejoin()
            if step is Step.FOLLOWING and self._writer.is_open:
                await self._thread.run(self._writer.close)
            if step in (Step.FOLLOWING, Step.LEADING):
                await turned.wait()
                continue
            with suppress(TimeoutError):
                async with asyncio.timeout(self._election.rest_ms / 1000):
                    await turned.wait()
                continue
            misfortune = await self._take(step)
            if misfortune is not None:
                self.failed(term, misfortune)
                continue
            self._election.done(term, step)
            self._announce()
            if self.is_leading:
                _logger.info("leading topic=%s term=%d url=%s", self._config.topic, term, self._config.url)

    async def _take(self, step: Step) -> Misfortune | None:
        try:
            await self._do(step)
        except GenerationLost:
            return Misfortune.GENERATION_LOST
        except Fenced:
            return Misfortune.FENCED
        except OutcomeUnknown:
            return Misfortune.OUTCOME_UNKNOWN
        except (ClaimFailed, LogTimeout):
            return Misfortune.NO_ANSWER
        except LogError as error:
            _logger.warning("election step refused step=%s reason=%s", step.name.lower(), error)
            return Misfortune.REFUSED
        except Exception:
            # A driver that ended here would leave an instance that neither leads nor lets another.
            _logger.exception("election step failed step=%s", step.name.lower())
            return Misfortune.REFUSED
        return None

    async def _do(self, step: Step) -> None:
        timeout_s = self._config.write_timeout_s
        if step is Step.VERIFYING:
            await self._membership.claim("", timeout_s)
        elif step is Step.FENCING:
            await self._thread.run(self._writer.open, timeout_s)
        elif step is Step.CLAIMING:
            await self._membership.claim(self._config.url, timeout_s)
        elif step is Step.MARKING:
            position = self.reader.position
            offset = await self._thread.run(self._writer.write, [self._config.noop], timeout_s)
            self.wrote(offset, position)
            await self.reader.reached(offset + 1, timeout_s)

    def wrote(self, offset: int, position: int) -> None:
        """LogError when it was written where the state has been already: the log was cut, and we did not know."""
        if offset < position:
            self.reader.restart()
            self.failed(self.term, Misfortune.LOG_LOST)
            raise LogError(f"Topic {self._config.topic} was cut or deleted, and is read anew.")
        self.written_to = offset + 1

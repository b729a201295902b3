"""The runner processes of a leading service: one for the shared Spark session, one for each that has its own.

Each is started by the first who needs it and quits when it has had nothing to do for a while. What they say arrives in
one bounded queue, in order; a runner that ended says so last. All of them get `alive` again and again while the service
is alive: they end when it does not come (`lifeline.py`).
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from typing import Generic, NamedTuple, TypeVar

import msgspec

from riacho.client.tasks import Tasks
from riacho.pipelines.spark_child.child import Child, ChildEnded
from riacho.pipelines.spark_child.messages import Alive, Command, MessageError, line_of

_log = logging.getLogger("riacho.spark_child")
_EVENTS_MAX = 1_000
_QUIT_S = 5.0
ALIVE_S = 1.0


class Ended(NamedTuple):
    """A runner is gone."""

    trace: str


E = TypeVar("E")


class RunnerEvent(NamedTuple, Generic[E]):
    """Of a runner, or of this service itself: `child` is None then."""

    session: str
    child: Child | None
    event: E | Ended


class Runners(Generic[E]):
    """`settings` is the first line that each is sent, `event_from` reads what it says; `words` are its command."""

    def __init__(self, settings: msgspec.Struct, event_from: Callable[[bytes], E], words: Sequence[str]) -> None:
        self._settings = settings
        self._event_from = event_from
        self._words = list(words)
        self.events: asyncio.Queue[RunnerEvent[E]] = asyncio.Queue(_EVENTS_MAX)
        self.on_heard: Callable[[], None] = _nobody
        self._children: dict[str, Child] = {}
        self._readers: Tasks[None] = Tasks()
        self._ending: Tasks[None] = Tasks()
        self._lock = asyncio.Lock()
        self._beating: asyncio.Task[None] | None = None

    @property
    def sessions(self) -> list[str]:
        return list(self._children)

    def pid(self, session: str) -> int | None:
        child = self._children.get(session)
        return None if child is None else child.pid

    async def send(self, session: str, command: Command) -> None:
        """Send a command to the runner of a session, which is started where there is none. Its end is an event."""
        async with self._lock:
            child = self._children.get(session)
            if child is None:
                child = await self._begin(session)
        try:
            await child.send(line_of(command))
        except ChildEnded:
            _log.debug("runner has ended before it was told session=%s", session or "shared")

    async def send_if_running(self, session: str, command: Command) -> None:
        if session in self._children:
            await self.send(session, command)

    async def _begin(self, session: str) -> Child:
        child = Child("runner", self._words)
        await child.start()
        _log.info("runner started session=%s pid=%s", session or "shared", child.pid)
        self._children[session] = child
        if self._beating is None:
            self._beating = asyncio.create_task(self._beat(), name="runners-alive")
        self._readers.start(self._listen(session, child), name=f"runner-{session or 'shared'}")
        try:
            await child.send(line_of(self._settings))
        except ChildEnded:
            _log.debug("runner ended at once session=%s", session or "shared")
        return child

    async def _beat(self) -> None:
        alive = line_of(Alive())
        while True:
            for child in self._children.values():
                child.remind(alive)
            await asyncio.sleep(ALIVE_S)

    async def _listen(self, session: str, child: Child) -> None:
        while True:
            try:
                event = self._event_from(await child.receive())
            except ChildEnded as end:
                tail = child.tail()
                await self.put(RunnerEvent(session, child, Ended(f"{end}\n{tail}" if tail else str(end))))
                return
            except MessageError as error:
                # What it does cannot be known any more; what it ran is started on another one.
                child.kill()
                await self.put(RunnerEvent(session, child, Ended(f"The runner was ended. {error}")))
                return
            await self.put(RunnerEvent(session, child, event))

    async def put(self, received: RunnerEvent[E]) -> None:
        self.on_heard()
        await self.events.put(received)
        self.on_heard()

    def deafen(self) -> None:
        """What was said in a term that is over; it also lets readers end that wait for room."""
        while not self.events.empty():
            self.events.get_nowait()

    def is_current(self, received: RunnerEvent[E]) -> bool:
        return received.child is None or self._children.get(received.session) is received.child

    def gone(self, received: RunnerEvent[E]) -> None:
        """It has ended; what it started ends as well."""
        if received.child is not None:
            if self._children.get(received.session) is received.child:
                del self._children[received.session]
            self._let_go(received.child, 0.0)

    def kill(self, session: str) -> None:
        child = self._children.get(session)
        if child is not None:
            _log.warning("runner is killed session=%s pid=%s", session or "shared", child.pid)
            child.kill()

    def quit(self, session: str) -> None:
        """One that has nothing to do any more. Whoever needs it next gets another."""
        child = self._children.pop(session, None)
        if child is not None:
            _log.info("runner is let go session=%s pid=%s", session or "shared", child.pid)
            self._let_go(child, _QUIT_S)

    def kill_all(self) -> None:
        """At once: another worker leads, and runs the same connectors."""
        children, self._children = list(self._children.values()), {}
        for child in children:
            child.kill()
            self._let_go(child, 0.0)

    async def close(self) -> None:
        if self._beating is not None:
            self._beating.cancel()
        for session in self.sessions:
            self.quit(session)
        await self._ending.wait()
        self._readers.cancel()
        await self._readers.wait()

    def _let_go(self, child: Child, patience_s: float) -> None:
        self._ending.start(child.end(patience_s))


def _nobody() -> None:
    """Nobody waits."""

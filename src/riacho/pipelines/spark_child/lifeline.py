"""The line to the worker, and what its silence means: a worker that stands still must not leave its connectors at work.

Another worker takes over when the leader's session ends, and starts the same connectors on the same checkpoints. A
leader that was killed closes the line. One that was stopped (SIGSTOP, a machine that hangs) does not: so it says
`alive` all the time, and this process ends with all that it started when nothing has come for a while, which is
shorter than the session. At once, since there may be no time for a batch to end, and doing it again is safe.
"""

from __future__ import annotations

import os
import queue
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress

from riacho.pipelines.spark_child.messages import Alive, line_of

# As the worker writes it; other spellings are read as commands, and mean nothing there.
ALIVE = line_of(Alive()).decode().strip()
TICK_S = 0.5
_LINES_MAX = 1_000
# After the line has been closed: the worker waits no longer either.
FAREWELL_S = 5.0


class Silence:
    """How long nothing has come, counted in looks: while this process itself stood still nobody read."""

    def __init__(self, limit_s: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._limit_s = limit_s
        self._clock = clock
        self._looked_at = clock()
        self._silent_s = 0.0

    def reset(self) -> None:
        self._silent_s = 0.0

    def is_too_long(self) -> bool:
        now = self._clock()
        self._silent_s += min(now - self._looked_at, 2 * TICK_S)
        self._looked_at = now
        return self._silent_s >= self._limit_s


class Lifeline:
    """`lines` are read as they come, whatever the reader of this is busy with; `end` is called where they stop to."""

    def __init__(self, lines: Iterable[str], silence_s: float | None, end: Callable[[str], None] | None = None) -> None:
        self._lines = lines
        self._waiting: queue.Queue[str | None] = queue.Queue(_LINES_MAX)
        self._silence = None if silence_s is None else Silence(silence_s)
        self._end = end or end_group

    def __iter__(self) -> Iterator[str]:
        threading.Thread(target=self._read, name="lifeline", daemon=True).start()
        if self._silence is not None:
            threading.Thread(target=self._watch, args=(self._silence,), name="lifeline-watch", daemon=True).start()
        while (line := self._waiting.get()) is not None:
            yield line

    def _read(self) -> None:
        for line in self._lines:
            if self._silence is not None:
                self._silence.reset()
            if line.strip() != ALIVE:
                self._waiting.put(line)
        self._waiting.put(None)
        if self._silence is not None:
            farewell = threading.Timer(FAREWELL_S, self._end, ["The worker is gone."])
            farewell.daemon = True
            farewell.start()

    def _watch(self, silence: Silence) -> None:
        while not silence.is_too_long():
            time.sleep(TICK_S)
        self._end("The worker has said nothing for too long; the runner ends, as another worker may lead.")


def end_group(reason: str) -> None:
    """This process, its JVM and its workers. Nobody may be reading what it says, so that must not wait."""
    with suppress(OSError):
        os.set_blocking(2, False)
        os.write(2, f"{reason}\n".encode())
    # A runner is the first of its process group; where it was started otherwise, others must not end with it.
    if os.getpgid(0) == os.getpid():
        os.killpg(0, signal.SIGKILL)
    os._exit(3)

"""A bench that is ended, even by kill -9, leaves nothing running.

What it starts (brokers of both kinds, clusters, load clients) is in a process group of its own with it. The process
that the user sees only waits: when it goes, the other notices by a pipe and stops in good order; when either does not,
the whole group is killed.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import signal
import sys
import threading
from collections.abc import Callable
from types import FrameType

from riacho.cli.supervisor.parent_watch import watch

# To stop a cluster in good order, and remove its files.
GRACE_S = 60.0
_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def guarded(main: Callable[[], int]) -> int:
    """Run `main` in a child; its exit code."""
    watched, held = os.pipe()
    # One that comes before either of the two is ready for it must wait, or the other would not learn of it.
    signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING)
    child = os.fork()
    if child == 0:
        os.close(held)
        _be_the_child(main, watched)
    os.close(watched)
    with contextlib.suppress(OSError):
        # Both set it: whoever comes first.
        os.setpgid(child, child)

    def pass_on(number: int, frame: FrameType | None) -> None:
        os.kill(child, signal.SIGTERM)

    for number in _ENDING:
        signal.signal(number, pass_on)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _ENDING)
    try:
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        return code if code >= 0 else 128 - code
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)


def _be_the_child(main: Callable[[], int], watched: int) -> None:
    with contextlib.suppress(OSError):
        os.setpgid(0, 0)
    # As an exception it passes by everything that has to be stopped and removed.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _ENDING)

    is_alone = threading.Event()
    main_thread = threading.main_thread().ident
    assert main_thread is not None

    def end(number: int) -> None:
        if number == signal.SIGTERM:
            is_alone.set()
            # To that thread: another one would take the signal and leave it waiting for whatever it waits for.
            signal.pthread_kill(main_thread, number)
        else:
            os.killpg(0, number)

    # The first to be registered is the last to be called: nobody else is there to clear up.
    atexit.register(lambda: os.killpg(0, signal.SIGKILL) if is_alone.is_set() else None)
    threading.Thread(target=watch, args=(watched, end, GRACE_S), name="guard", daemon=True).start()
    sys.exit(main())

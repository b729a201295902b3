"""Processes that a test starts and talks to."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any


@contextmanager
def child_process(words: Sequence[str], **options: Any) -> Iterator[subprocess.Popen[Any]]:
    """As `with subprocess.Popen(...)`, which waits for the end of the process, but not where the test has failed: what
    nobody told to end would be waited for after the test's time limit, too, and so for ever."""
    with subprocess.Popen(words, **options) as process:
        try:
            yield process
        except BaseException:
            process.kill()
            raise

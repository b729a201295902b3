"""Standard input, output and error of one command: the files of this process, pointed elsewhere while it runs.

The descriptors 0, 1 and 2 themselves are replaced, since libraries write there without Python, and the command gets new
objects over them: what it leaves unwritten, or closes, is gone with it and not met by the next one.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import TextIOWrapper


@contextmanager
def standard_streams(source: int | None = None, output: int | None = None, errors: int | None = None) -> Iterator[None]:
    """None leaves one where it is."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    kept = [os.dup(number) for number in (0, 1, 2)]
    before = sys.stdin, sys.stdout, sys.stderr
    try:
        for number, given in enumerate((source, output, errors)):
            if given is not None:
                os.dup2(given, number)
        sys.stdin, sys.stdout, sys.stderr = mine = (_opened(0), _opened(1), _opened(2))
        try:
            yield
        finally:
            _finish(*mine)
    finally:
        sys.stdin, sys.stdout, sys.stderr = before
        for number, descriptor in enumerate(kept):
            os.dup2(descriptor, number)
            os.close(descriptor)


def _opened(number: int) -> TextIOWrapper:
    """As Python opens its own: by line on a terminal and for errors, else in blocks."""
    mode = "rb" if number == 0 else "wb"
    binary = open(number, mode, closefd=False)  # noqa: SIM115
    by_line = number == 2 or os.isatty(number)
    errors = {0: "surrogateescape", 1: "surrogateescape", 2: "backslashreplace"}[number]
    return TextIOWrapper(binary, encoding="utf-8", errors=errors, line_buffering=by_line, write_through=number == 2)


def _finish(source: TextIOWrapper, output: TextIOWrapper, errors: TextIOWrapper) -> None:
    for stream in (output, errors):
        with suppress(OSError, ValueError):
            # A reader that has gone wants no more; the command has heard of it already.
            stream.flush()
    for stream in (source, output, errors):
        with suppress(OSError, ValueError):
            stream.close()

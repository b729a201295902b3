"""Which functions of riacho call which, while something is watched.

A hop is a call from one function to one of another file, told apart by the two functions: the same call made a hundred
times is one hop. What a function defines inside itself (lambdas, comprehensions) counts as that function. What asyncio,
Spark or a thread calls, tasks among it, has no caller: that is a hop too, since the reader has to find it. A coroutine
that goes on after it has waited was not called again. Code that is made at run time (codecs, dataclasses' constructors)
has no file and is passed over; so is what runs once when a module is imported.

Counted from file to file, whatever the functions, it is about what somebody counts who walks a path by reading.
"""

from __future__ import annotations

import dis
import inspect
import sys
import threading
from collections.abc import Callable
from functools import cache
from types import CodeType, FrameType
from typing import NamedTuple

_ROOT = "/src/riacho/"
_NOBODY = ("", "")


class Call(NamedTuple):
    caller_file: str
    caller: str
    file: str
    function: str

    @property
    def is_hop(self) -> bool:
        return self.caller_file != self.file


class Recorder:
    """`is_watched` says whether what runs now belongs to what is watched."""

    def __init__(self, is_watched: Callable[[], bool] = lambda: True) -> None:
        self.calls: dict[Call, None] = {}
        self._is_watched = is_watched
        self._places: dict[CodeType, tuple[str, str] | None] = {}

    def start(self) -> None:
        self.calls = {}
        threading.setprofile(self._profile)
        sys.setprofile(self._profile)

    def stop(self) -> list[Call]:
        sys.setprofile(None)
        threading.setprofile(None)
        return list(self.calls)

    def _profile(self, frame: FrameType, event: str, _: object) -> None:
        if event != "call":
            return
        place = self._place(frame.f_code)
        if place is None or _is_resumed(frame) or not self._is_watched():
            return
        self.note(Call(*self._caller(frame), *place))

    def note(self, call: Call) -> None:
        self.calls[call] = None

    def _caller(self, frame: FrameType) -> tuple[str, str]:
        back = frame.f_back
        while back is not None:
            place = self._place(back.f_code)
            if place is not None:
                return place
            back = back.f_back
        return _NOBODY

    def _place(self, code: CodeType) -> tuple[str, str] | None:
        try:
            return self._places[code]
        except KeyError:
            return self._places.setdefault(code, _place_of(code))


def _place_of(code: CodeType) -> tuple[str, str] | None:
    _, found, file = code.co_filename.partition(_ROOT)
    # Bodies of modules and classes have no fast locals.
    if not found or not code.co_flags & inspect.CO_OPTIMIZED:
        return None
    return file, code.co_qualname.partition(".<locals>")[0]


def _is_resumed(frame: FrameType) -> bool:
    return frame.f_lasti > _start(frame.f_code)


@cache
def _start(code: CodeType) -> int:
    """Where it begins, for a coroutine once it is waited for."""
    return next(each.offset for each in dis.get_instructions(code) if each.opname == "RESUME")


def show(name: str, calls: list[Call], *, is_listed: bool) -> None:
    hops = [call for call in calls if call.is_hop]
    files = list(dict.fromkeys(call.file for call in calls))
    steps = {(call.caller_file, call.file) for call in hops}
    print(f"{name}: {len(hops)} hops, {len(steps)} from file to file, {len(files)} files", flush=True)
    if is_listed:
        for call in hops:
            print(f"  {call.caller_file or '(loop)'}:{call.caller} -> {call.file}:{call.function}")
        for file in files:
            print(f"  {file}: {', '.join(dict.fromkeys(call.function for call in calls if call.file == file))}")

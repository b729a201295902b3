"""Which entries are wanted: by kind, level, time, text, and by who asked what.

Names are compared as a whole, `*` stands for anything: `--client-id 'app-*'`. A principal may be given without its
type, an agent without its version. Patterns are RE2's, whose time grows with the length of the text alone.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from fnmatch import fnmatchcase

import click

from riacho.base.pattern import compile_pattern
from riacho.cli.logs.entry import LEVELS, Entry
from riacho.cli.position import parse_span_ms

_PATTERN_MEMORY_BYTES_MAX = 8 << 20
_TIME_OF_DAY = re.compile(r"\d\d:\d\d(:\d\d(\.\d{1,6})?)?")
_IN_ANY_CASE = ("api", "listener")
Matches = Callable[[str], bool]


@dataclass(frozen=True)
class Wanted:
    kinds: Collection[str] = ()
    # The least of them.
    level: str = ""
    # As entries have their times; empty is any.
    since: str = ""
    until: str = ""
    texts: tuple[Matches, ...] = ()
    # By the names of fields.
    names: Mapping[str, Collection[str]] = field(default_factory=dict)

    @property
    def is_all(self) -> bool:
        asked = self.kinds, self.level, self.since, self.until, self.texts, self.names
        return not any(asked)

    def takes(self, entry: Entry) -> bool:
        return (
            (not self.since or entry.time >= self.since)
            and (not self.until or entry.time <= self.until)
            and (not self.level or _rank(entry.level) >= _rank(self.level))
            and (not self.kinds or entry.kind in self.kinds)
            and all(any(matches(line) for line in entry.lines) for matches in self.texts)
            and all(self._is_named(entry, *asked) for asked in self.names.items())
        )

    def _is_named(self, entry: Entry, name: str, wanted: Collection[str]) -> bool:
        told = entry.fields.get(name)
        return told is not None and any(_is_called(name, told, each) for each in wanted)


def _is_called(field_name: str, told: str, wanted: str) -> bool:
    if field_name in _IN_ANY_CASE:
        return fnmatchcase(told.lower(), wanted.lower())
    if field_name == "agent" and "/" not in wanted:
        told = told.partition("/")[0]
    if field_name == "principal" and ":" not in wanted:
        told = told.partition(":")[2] or told
    return fnmatchcase(told, wanted)


def _rank(level: str) -> int:
    """What the supervisor says has no level: that is information."""
    return LEVELS.index(level or "INFO")


def containing(text: str) -> Matches:
    return lambda line: text in line


def matching(pattern: str) -> Matches:
    """KafkaError for one that is no regular expression."""
    compiled = compile_pattern(pattern, _PATTERN_MEMORY_BYTES_MAX, "--grep")
    return lambda line: compiled.search(line) is not None


def moment(text: str, option: str, now_s: float | None = None) -> str:
    """`5m`, `10:30`, `2026-01-31T10:30`, as entries have their times; UsageError for what is none of that."""
    now_s = time.time() if now_s is None else now_s
    word = text.strip().removesuffix("ago").rstrip()
    span_ms = parse_span_ms(word.lower())
    try:
        if span_ms is not None:
            return _entry_time(datetime.fromtimestamp(now_s - span_ms / 1000))
        if _TIME_OF_DAY.fullmatch(word):
            word = f"{datetime.fromtimestamp(now_s):%Y-%m-%d}T{word}"
        found = datetime.fromisoformat(word)
        return _entry_time(found if found.tzinfo is None else found.astimezone().replace(tzinfo=None))
    except (ValueError, OverflowError, OSError):
        raise click.UsageError(f"{option} takes a time such as 5m, 10:30 or 2026-01-31T10:30, not {text!r}.") from None


def _entry_time(at: datetime) -> str:
    return at.isoformat(" ", "milliseconds").replace(".", ",")

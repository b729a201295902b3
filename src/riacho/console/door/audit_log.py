"""The audit log: every change that was asked for, by whom, from where and how it ended, as lines of JSON in a file.

Appended to only, and bounded: a file that is full becomes `.1`, that one `.2`, and the last one goes. Everything but
plain ASCII is escaped, so that no name can begin a line of its own or reach a terminal's controls. What is refused or
fails to log in is bounded by the minute, so that nobody can push out what matters; what was left out is counted. Where
the file cannot be written, no change is allowed (`is_broken`). No secrets and no messages: what a call is about are the
variable parts of its path and what its endpoint notes (`note`).
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from riacho.base.lru_cache import LruCache
from riacho.console.door.network import network_of
from riacho.web.call import Call

_log = logging.getLogger("riacho.console")

DONE, REFUSED, FAILED, GONE = "done", "refused", "failed", "gone"
FILE_BYTES_MAX = 4 * 1024 * 1024
FILES_MAX = 5
_TEXT_MAX = 512
_NOTES_MAX = 32
_REFUSED_A_MINUTE_MAX = 30
_MINUTE_MS = 60_000
_ADDRESSES_MAX = 1_000
_NOTES = "riacho.console.audit_notes"
# What every route of a cluster calls it.
_CLUSTER_SEGMENT = "c"


class AuditEntry(msgspec.Struct, frozen=True, kw_only=True):
    """`about`: the variable parts of the path, by their names. `left_out`: entries of this caller that were refused in
    the minute before and are not in the log."""

    at_ms: int
    who: str | None
    role: str | None
    address: str
    method: str
    route: str
    about: dict[str, str] = {}
    notes: dict[str, str] = {}
    outcome: str
    status: int
    reason: str | None = None
    left_out: int = 0


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """Which entries are asked for; "" asks for nothing in particular.

    `containing` is a text anywhere in it, `who` the caller's whole name, `what` a text in its method and route,
    `cluster` the id of a cluster that it is about.
    """

    containing: str = ""
    who: str = ""
    what: str = ""
    outcome: str = ""
    cluster: str = ""

    @property
    def marks(self) -> list[bytes]:
        """What stands in each line that is wanted, as the log writes it. In a text a quote would have a backslash, so
        it is nothing but the field."""
        fields = {"who": self.who, "outcome": self.outcome, _CLUSTER_SEGMENT: self.cluster}
        return [_written({name: value})[1:-1] for name, value in fields.items() if value]

    def matches(self, entry: AuditEntry) -> bool:
        """By its fields; `containing` is looked for before a line is decoded."""
        return (
            self.who in ("", entry.who)
            and self.outcome in ("", entry.outcome)
            and self.cluster in ("", entry.about.get(_CLUSTER_SEGMENT))
            and (not self.what or self.what.lower() in f"{entry.method} {entry.route}".lower())
        )


ALL = Wanted()


def note(call: Call, **details: object) -> None:
    """What the audit log should say of this call besides its path: names and numbers, no secret and no message."""
    call.scope.setdefault(_NOTES, {}).update(details)


def notes_of(scope: Mapping[str, Any]) -> dict[str, str]:
    noted: Mapping[str, object] = scope.get(_NOTES, {})
    return {name: short(value) for name, value in list(noted.items())[:_NOTES_MAX]}


def short(value: object) -> str:
    text = str(value)
    return text if len(text) <= _TEXT_MAX else text[: _TEXT_MAX - 1] + "…"


class AuditLog:
    def __init__(self, path: Path, *, file_bytes_max: int = FILE_BYTES_MAX, files_max: int = FILES_MAX) -> None:
        """OSError where the file cannot be opened."""
        self._path = path
        self._file_bytes_max = file_bytes_max
        self._files_max = files_max
        # By network: the minute, and what was refused in it.
        self._refused: LruCache[str, list[int]] = LruCache(_ADDRESSES_MAX)
        self.is_broken = False
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._descriptor = self._open()

    def write(self, entry: AuditEntry) -> None:
        if entry.outcome == REFUSED:
            counted = self._counted(entry)
            if counted is None:
                return
            entry = counted
        self._append(_written(msgspec.to_builtins(entry)) + b"\n")

    def check(self) -> bool:
        """Whether it can be written now, which is tried again where it could not be."""
        if self.is_broken:
            self._append(b"")
        return not self.is_broken

    def page(self, first: int, count: int, wanted: Wanted = ALL) -> tuple[list[AuditEntry], int]:
        """So many entries from the `first` on, newest first, and how many there are. Reads the files: for a thread."""
        text = json.dumps(wanted.containing, ensure_ascii=True)[1:-1].lower().encode()
        found: list[AuditEntry] = []
        total = 0
        for content in self._files_newest_first():
            lines = [line for line in reversed(content.split(b"\n")) if line]
            for mark in wanted.marks:
                lines = [line for line in lines if mark in line]
            if text:
                lines = [line for line in lines if text in line.lower()]
            if not wanted.what and (total + len(lines) <= first or total >= first + count):
                # None of them is on the page, and need not be decoded to be counted.
                total += len(lines)
                continue
            for line in lines:
                is_on_page = first <= total < first + count
                if is_on_page or wanted.what:
                    entry = _decoded(line)
                    if entry is None or not wanted.matches(entry):
                        continue
                    if is_on_page:
                        found.append(entry)
                total += 1
        return found, total

    def close(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def _counted(self, entry: AuditEntry) -> AuditEntry | None:
        """None where this address has filled its minute."""
        minute = entry.at_ms // _MINUTE_MS
        state = self._refused.get_or_make(network_of(entry.address), lambda: [minute, 0])
        left_out = 0
        if state[0] != minute:
            left_out = max(0, state[1] - _REFUSED_A_MINUTE_MAX)
            state[:] = [minute, 0]
        state[1] += 1
        if state[1] > _REFUSED_A_MINUTE_MAX:
            return None
        return msgspec.structs.replace(entry, left_out=left_out) if left_out else entry

    def _append(self, line: bytes) -> None:
        try:
            if self._descriptor < 0:
                self._descriptor = self._open()
            size = os.fstat(self._descriptor).st_size
            if size and size + len(line) > self._file_bytes_max:
                self._rotate()
                size = 0
            written = os.write(self._descriptor, line)
            if written < len(line):
                # A part of a line would swallow the next one.
                os.ftruncate(self._descriptor, size)
                raise OSError(28, "No space left on device")
            self.is_broken = False
        except OSError as error:
            if not self.is_broken:
                _log.error("audit log cannot be written, changes are refused reason=%s", error.strerror)
            self.is_broken = True

    def _open(self) -> int:
        descriptor = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        size = os.fstat(descriptor).st_size
        if size:
            with self._path.open("rb") as file:
                file.seek(size - 1)
                if file.read(1) != b"\n":
                    # The process ended in the middle of a line.
                    os.write(descriptor, b"\n")
        return descriptor

    def _rotate(self) -> None:
        os.close(self._descriptor)
        self._descriptor = -1
        for number in range(self._files_max - 2, 0, -1):
            if self._numbered(number).exists():
                os.replace(self._numbered(number), self._numbered(number + 1))
        os.replace(self._path, self._numbered(1))
        self._descriptor = self._open()

    def _numbered(self, number: int) -> Path:
        return self._path.with_name(f"{self._path.name}.{number}")

    def _files_newest_first(self) -> Iterator[bytes]:
        for path in (self._path, *(self._numbered(number) for number in range(1, self._files_max))):
            with suppress(FileNotFoundError):
                yield path.read_bytes()


def _written(value: Mapping[str, Any]) -> bytes:
    return json.dumps(value, ensure_ascii=True, separators=(",", ":")).encode()


def _decoded(line: bytes) -> AuditEntry | None:
    """None for a line that was torn or is somebody else's."""
    try:
        return msgspec.json.decode(line, type=AuditEntry)
    except msgspec.DecodeError:
        return None

"""What clients did and saw while a cluster was under fault, in the order it happened: the evidence for the checker.

Every write is a `send`: `invoke` when it is handed to the client, then `ok` with its place in the log, `fail` when it
surely was not stored, or `info` when nobody can tell. Every read is a `poll` with the records that came. A `seek` says
that a reader starts again somewhere, `fault` is a note for people. One lock gives all events one order; kept as lines
of JSON, so that a failed run can be studied afterwards.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Literal, NamedTuple

EventType = Literal["invoke", "ok", "fail", "info"]


class Read(NamedTuple):
    partition: int
    offset: int
    value: int


@dataclass(frozen=True, slots=True)
class Event:
    f: Literal["send", "poll", "seek", "fault"]
    type: EventType
    process: str
    time_ms: int = 0
    key: str = ""
    value: int = -1
    partition: int = -1
    offset: int = -1
    records: tuple[Read, ...] = field(default=())
    detail: str = ""

    def as_json(self) -> str:
        given = {name: value for name, value in asdict(self).items() if value not in ("", -1, ())}
        return json.dumps(given, separators=(",", ":"))

    @classmethod
    def from_json(cls, line: str) -> Event:
        values = json.loads(line)
        values["records"] = tuple(Read(*each) for each in values.get("records", ()))
        return cls(**values)


class History:
    def __init__(self, path: Path | None = None) -> None:
        self._lock = threading.Lock()
        self._events: list[Event] = []
        self._file = path.open("w") if path is not None else None
        self._started_s = time.monotonic()

    def now_ms(self) -> int:
        return int((time.monotonic() - self._started_s) * 1000)

    def add(self, event: Event) -> None:
        with self._lock:
            self._events.append(event)
            if self._file is not None:
                self._file.write(event.as_json() + "\n")

    # What clients call

    def invoke_send(self, process: str, key: str, value: int, partition: int) -> None:
        self.add(Event("send", "invoke", process, self.now_ms(), key, value, partition))

    def ok_send(self, process: str, key: str, value: int, partition: int, offset: int) -> None:
        self.add(Event("send", "ok", process, self.now_ms(), key, value, partition, offset))

    def failed_send(
        self, process: str, key: str, value: int, partition: int, error: str, *, surely: bool = False
    ) -> None:
        kind: EventType = "fail" if surely else "info"
        self.add(Event("send", kind, process, self.now_ms(), key, value, partition, detail=error))

    def ok_poll(self, process: str, records: Iterable[Read]) -> None:
        self.add(Event("poll", "ok", process, self.now_ms(), records=tuple(records)))

    def failed_poll(self, process: str, error: str) -> None:
        self.add(Event("poll", "info", process, self.now_ms(), detail=error))

    def seek(self, process: str, partition: int, offset: int) -> None:
        self.add(Event("seek", "ok", process, self.now_ms(), partition=partition, offset=offset))

    def fault(self, detail: str) -> None:
        self.add(Event("fault", "info", "nemesis", self.now_ms(), detail=detail))

    # What the checker reads

    def events(self) -> list[Event]:
        with self._lock:
            return list(self._events)

    def acks(self) -> int:
        return sum(event.f == "send" and event.type == "ok" for event in self.events())

    def close(self) -> None:
        with self._lock:
            if self._file is not None:
                self._file.close()
                self._file = None


def read_history(path: Path) -> list[Event]:
    return [Event.from_json(line) for line in path.read_text().splitlines()]

"""Callers of two schema registries that register without pause, and the notes they take of what they were told.

A call is made as the public clients make it: when an instance cannot be reached, does not answer, or answers 5xx, the
same registration goes to the other one, until it is acknowledged; before that, nobody knows what became of it. Some
contents are a caller's own; others all callers register at about the same time, under several subjects.
"""

from __future__ import annotations

import http.client
import itertools
import json
import random
import threading
import time
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

SUBJECTS = tuple(f"subject-{number}" for number in range(5))
CALL_TIMEOUT_S = 7.0
_MEDIA_TYPE = "application/vnd.schemaregistry.v1+json"
# How fast callers are: what is proved here is order, not speed.
_PACE_S = 0.04
_AGAIN_S = 0.1
_SHARED_FOR = 6


class Notes:
    """What callers were told, from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.registered: list[tuple[str, str, int]] = []  # subject, content, id
        self.looked_up: list[tuple[str, int, int]] = []  # subject, version, id
        self.wrong: list[str] = []
        self.unknown = 0
        self._ids: set[int] = set()
        self._shared = itertools.count()

    def add_registered(self, subject: str, content: str, schema_id: int) -> None:
        with self._lock:
            self.registered.append((subject, content, schema_id))
            self._ids.add(schema_id)

    def add_looked_up(self, subject: str, version: int, schema_id: int) -> None:
        with self._lock:
            self.looked_up.append((subject, version, schema_id))

    def add_wrong(self, sentence: str) -> None:
        with self._lock:
            self.wrong.append(sentence)

    def add_unknown(self) -> None:
        with self._lock:
            self.unknown += 1

    def shared_content(self) -> str:
        """The same for several calls in a row, whoever makes them."""
        with self._lock:
            return content(f"Shared{next(self._shared) // _SHARED_FOR}")

    @property
    def ids(self) -> int:
        """Only the leader gives out new ones, so their number is how far it has come."""
        with self._lock:
            return len(self._ids)


def content(name: str) -> str:
    return json.dumps({"type": "record", "name": name, "fields": [{"name": "of", "type": "string"}]})


class Caller(threading.Thread):
    def __init__(self, number: int, urls: Sequence[str], notes: Notes, seed: str) -> None:
        super().__init__(name=f"registry-caller-{number}", daemon=True)
        self._number = number
        self._urls = list(urls)
        self._url = self._urls[number % len(self._urls)]
        self._notes = notes
        self._rng = random.Random(f"{seed}-{number}")
        self._stopping = threading.Event()

    def stop(self) -> None:
        self._stopping.set()

    def run(self) -> None:
        for turn in itertools.count():
            if self._stopping.wait(_PACE_S):
                return
            is_shared = self._rng.random() < 0.5
            text = self._notes.shared_content() if is_shared else content(f"Own{self._number}x{turn}")
            self._register(self._rng.choice(SUBJECTS), text)

    def _register(self, subject: str, text: str) -> None:
        """Until it is acknowledged, or the caller is stopped. It stays with an instance that answers, mostly."""
        if self._rng.random() < 0.1:
            self._turn_away()
        while not self._stopping.is_set():
            status, answer = call(self._url, "POST", f"/subjects/{subject}/versions", {"schema": text})
            if status == 200:
                self._notes.add_registered(subject, text, answer["id"])
                self._look_up(subject, text)
                return
            if 0 < status < 500:
                self._notes.add_wrong(f"{subject} {text}: {status} {answer}")
                return
            self._notes.add_unknown()
            self._turn_away()
            self._stopping.wait(_AGAIN_S)

    def _turn_away(self) -> None:
        self._url = self._urls[(self._urls.index(self._url) + 1) % len(self._urls)]

    def _look_up(self, subject: str, text: str) -> None:
        """A follower may not have read it yet, while brokers are missing; what it shows is judged."""
        status, answer = call(self._url, "POST", f"/subjects/{subject}", {"schema": text})
        if status == 200:
            self._notes.add_looked_up(subject, answer["version"], answer["id"])
        elif 0 < status < 500 and answer.get("error_code") not in (40401, 40403):
            self._notes.add_wrong(f"{subject} {text} was looked up: {status} {answer}")


def call(url: str, method: str, path: str, body: object = None) -> tuple[int, Any]:
    """Status and JSON; 0 and the reason when there was no answer, whatever came of the call."""
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=CALL_TIMEOUT_S)
    try:
        data = None if body is None else json.dumps(body)
        connection.request(method, path, data, {"Content-Type": _MEDIA_TYPE})
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())
    except (OSError, http.client.HTTPException, ValueError) as error:
        return 0, repr(error)
    finally:
        connection.close()


class Load:
    """Several callers at once; `progress` waits for new ids."""

    def __init__(self, urls: Sequence[str], seed: str, callers: int = 4) -> None:
        self.notes = Notes()
        self._callers = [Caller(number, urls, self.notes, seed) for number in range(callers)]

    def start(self) -> None:
        for caller in self._callers:
            caller.start()

    def stop(self) -> None:
        for caller in self._callers:
            caller.stop()
        for caller in self._callers:
            if caller.ident is not None:
                caller.join(4 * CALL_TIMEOUT_S)

    def progress(self, count: int, timeout_s: float) -> None:
        wanted = self.notes.ids + count
        deadline = time.monotonic() + timeout_s
        while self.notes.ids < wanted:
            assert time.monotonic() < deadline, f"{wanted - self.notes.ids} of {count} new ids did not come"
            time.sleep(0.05)

"""Sessions of people who logged in: who they are, until when, and the token that their pages prove themselves with.

A session's id is 256 random bits, known to the browser alone: kept here is its digest, so that looking it up takes the
same time however much of a guess is right. A login makes a new id, whatever the browser came with (no fixation). A
session ends by silence, by age, by logging out, and where a user or all of them have too many, the one longest unused.
"""

from __future__ import annotations

import hashlib
import secrets
from collections import OrderedDict
from dataclasses import dataclass

from riacho.console.door.roles import Role

SESSIONS_MAX = 10_000
SESSIONS_PER_USER_MAX = 50
_ID_BYTES = 32


@dataclass(slots=True)
class Session:
    name: str
    role: Role
    login: str
    csrf: str
    begun_ms: int
    used_ms: int


class Sessions:
    def __init__(
        self, *, idle_ms: int, age_ms_max: int, count_max: int = SESSIONS_MAX, per_user_max: int = SESSIONS_PER_USER_MAX
    ) -> None:
        self._idle_ms = idle_ms
        self._age_ms_max = age_ms_max
        self._count_max = count_max
        self._per_user_max = per_user_max
        # By the digest of the id, the longest unused first.
        self._by_digest: OrderedDict[bytes, Session] = OrderedDict()

    def __len__(self) -> int:
        return len(self._by_digest)

    def begin(self, name: str, role: Role, login: str, now_ms: int) -> str:
        """The id, to be told to nobody but the browser."""
        self._make_room(name, now_ms)
        session_id = secrets.token_urlsafe(_ID_BYTES)
        self._by_digest[_digest(session_id)] = Session(
            name, role, login, secrets.token_urlsafe(_ID_BYTES), now_ms, now_ms
        )
        return session_id

    def find(self, session_id: str, now_ms: int) -> Session | None:
        digest = _digest(session_id)
        session = self._by_digest.get(digest)
        if session is None:
            return None
        if self._is_over(session, now_ms):
            del self._by_digest[digest]
            return None
        session.used_ms = now_ms
        self._by_digest.move_to_end(digest)
        return session

    def is_open(self, session_id: str, now_ms: int) -> bool:
        """Whether it goes on; to ask is no use of it."""
        session = self._by_digest.get(_digest(session_id))
        return session is not None and not self._is_over(session, now_ms)

    def end(self, session_id: str) -> Session | None:
        return self._by_digest.pop(_digest(session_id), None)

    def _is_over(self, session: Session, now_ms: int) -> bool:
        return now_ms - session.used_ms >= self._idle_ms or now_ms - session.begun_ms >= self._age_ms_max

    def _make_room(self, name: str, now_ms: int) -> None:
        over = [digest for digest, session in self._by_digest.items() if self._is_over(session, now_ms)]
        for digest in over:
            del self._by_digest[digest]
        own = [digest for digest, session in self._by_digest.items() if session.name == name]
        for digest in own[: max(0, len(own) - self._per_user_max + 1)]:
            del self._by_digest[digest]
        while len(self._by_digest) >= self._count_max:
            self._by_digest.popitem(last=False)


def _digest(session_id: str) -> bytes:
    return hashlib.sha256(session_id.encode()).digest()

"""Share sessions (KIP-932): a member names its partitions once, then sends what changed, with an epoch that counts.

Epoch 0 opens a session, in place of one that the member may have; each later request carries the next epoch; -1 ends
the session. A session belongs to the connection that opened it and ends with it: whoever closes it lets go of what its
member holds. There are so many sessions at most, since no session is ever pushed out for another.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from riacho.base.errors import ErrorCode, KafkaError

INITIAL_EPOCH = 0
FINAL_EPOCH = -1
_EPOCH_MAX = 0x7FFFFFFF


class SharedPartition(NamedTuple):
    topic_id: bytes
    partition: int


class SessionKey(NamedTuple):
    group_id: str
    member_id: str


@dataclass(slots=True)
class ShareSession:
    key: SessionKey
    # What it came by; sessions of one connection end together.
    connection: Any
    epoch: int = 1
    # In the order in which they are served; those that gave records go to the end.
    partitions: dict[SharedPartition, None] = field(default_factory=dict)

    def served(self, partition: SharedPartition) -> None:
        if partition in self.partitions:
            del self.partitions[partition]
            self.partitions[partition] = None

    def advance(self) -> None:
        self.epoch = 1 if self.epoch == _EPOCH_MAX else self.epoch + 1


class ShareSessions:
    def __init__(self, sessions_max: int) -> None:
        """`sessions_max` is `group.share.max.share.sessions`."""
        self._sessions_max = sessions_max
        self._sessions: dict[SessionKey, ShareSession] = {}
        self._by_connection: dict[Any, set[SessionKey]] = {}
        self._by_group: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._sessions)

    def of_group(self, group_id: str) -> int:
        return self._by_group.get(group_id, 0)

    def find(self, key: SessionKey) -> ShareSession:
        session = self._sessions.get(key)
        if session is None:
            raise KafkaError(ErrorCode.SHARE_SESSION_NOT_FOUND)
        return session

    def open(self, key: SessionKey, partitions: Iterable[SharedPartition], connection: Any) -> ShareSession:
        """What the member held by a session before stays its own: it may still acknowledge it."""
        self.remove(key)
        if len(self._sessions) >= self._sessions_max:
            raise KafkaError(ErrorCode.SHARE_SESSION_LIMIT_REACHED)
        session = ShareSession(key, connection, partitions=dict.fromkeys(partitions))
        self._sessions[key] = session
        self._by_connection.setdefault(connection, set()).add(key)
        self._by_group[key.group_id] = self._by_group.get(key.group_id, 0) + 1
        return session

    def advance(self, key: SessionKey, epoch: int) -> ShareSession:
        """The session that expects this epoch; it expects the next one now."""
        session = self.find(key)
        if epoch != session.epoch:
            raise KafkaError(ErrorCode.INVALID_SHARE_SESSION_EPOCH)
        session.advance()
        return session

    def remove(self, key: SessionKey) -> ShareSession | None:
        session = self._sessions.pop(key, None)
        if session is None:
            return None
        keys = self._by_connection[session.connection]
        keys.discard(key)
        if not keys:
            del self._by_connection[session.connection]
        left = self._by_group[key.group_id] - 1
        if left:
            self._by_group[key.group_id] = left
        else:
            del self._by_group[key.group_id]
        return session

    def connection_gone(self, connection: Any) -> list[ShareSession]:
        """The sessions that ended with it."""
        keys = list(self._by_connection.get(connection, ()))
        return [session for key in keys if (session := self.remove(key)) is not None]

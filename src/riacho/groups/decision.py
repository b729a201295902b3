"""What the group core decides: records to append, and replies that go out once those records are committed.

A JoinGroup or SyncGroup request may be parked: its ticket is then answered by a later decision, out of another member's
request or out of a timeout. Every ticket is answered exactly once.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import msgspec


class CoordinatorRecord(NamedTuple):
    """One record of the offsets topic; no value means a tombstone."""

    key: bytes
    value: bytes | None


class Reply(NamedTuple):
    ticket: int
    response: Any


class Decision(msgspec.Struct):
    """Records are appended and applied in order; the replies may leave when they are committed."""

    records: list[CoordinatorRecord] = []
    replies: list[Reply] = []

    def reply(self, ticket: int, response: Any) -> None:
        self.replies.append(Reply(ticket, response))


class Caller(NamedTuple):
    """Who sent a request, as DescribeGroups will show it."""

    client_id: str
    client_host: str

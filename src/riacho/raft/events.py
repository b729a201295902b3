"""What happens to a node. `RaftNode.step` takes one at a time.

`Answered` and `Failed` bring back the very object that the `Send` carried: the core knows its requests by identity.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

from riacho.raft.effects import Destination
from riacho.raft.voter_history import VotersAt
from riacho.wire.schema import Message


class Requested(NamedTuple):
    """A request of the quorum's APIs came in; `request_id` names it in the `Reply`, now or later."""

    request_id: int
    request: Message
    version: int


class Answered(NamedTuple):
    to: Destination
    request: Message
    response: Any


class Failed(NamedTuple):
    """No answer: lost, timed out, or not understood. `is_refused`: the port refuses connections, nobody is there."""

    to: Destination
    request: Message
    is_refused: bool = False


class Appended(NamedTuple):
    """The driver of this leader appended to the log and synced it, control records or others."""


class LogChanged(NamedTuple):
    """The driver of this follower appended what was fetched, truncated, or started the log over at a snapshot."""


class VotersSeen(NamedTuple):
    """Every voter set that the snapshot and the log behind it hold, by offset; replaces what the core knew.

    Needed after loading and, before `LogChanged`, after `FinishSnapshot`. What is appended and truncated later the core
    follows by itself.
    """

    history: tuple[VotersAt, ...]


class SnapshotWritten(NamedTuple):
    """This node wrote a snapshot, or cut the log behind one."""


class Abandoned(NamedTuple):
    """Nobody waits for this request id any more."""

    request_id: int


class Resign(NamedTuple):
    """Give up leadership in good order, say before a shutdown."""


class KRaftVersionRequested(NamedTuple):
    """UpdateFeatures wants this kraft.version; answered by `KRaftVersionDecided` once committed."""

    request_id: int
    kraft_version: int
    is_validate_only: bool = False


class Tick(NamedTuple):
    """Time passed."""


Event: TypeAlias = (
    Requested
    | Answered
    | Failed
    | Appended
    | LogChanged
    | VotersSeen
    | SnapshotWritten
    | Abandoned
    | Resign
    | KRaftVersionRequested
    | Tick
)

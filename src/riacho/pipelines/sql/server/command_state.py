"""What the server keeps in memory of its command topic: the catalogue, and what became of each command.

`apply` is the one writer, live and on replay; a command holds the changes that its statement came to
(`catalogue/change_json.py`), so that replaying asks nobody. Every instance that reads the topic has the same catalogue.
"""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from riacho.pipelines.sql.catalogue.catalogue import Catalogue
from riacho.pipelines.sql.catalogue.change_json import change_from_json, change_to_json
from riacho.pipelines.sql.catalogue.changes import Change, QueryStarted, QueryTerminated
from riacho.single_writer.record import Append, LogRecord

_log = logging.getLogger("riacho.ksql")
# Of these it is remembered how they ended: what GET /status tells.
_STATUSES_MAX = 10_000


@dataclass(frozen=True, slots=True)
class CommandStatus:
    status: str
    message: str
    query_id: str | None = None


class Command(msgspec.Struct, frozen=True, kw_only=True):
    """`sequence` counts commands from 0; it is the record's key as well, so that compaction keeps every one."""

    sequence: int
    command_id: str
    statement: str
    message: str = ""
    query_id: str | None = None
    properties: dict[str, str] = {}
    changes: list[dict[str, Any]] = []
    version: int = 1


_decode = msgspec.json.Decoder(Command).decode


@dataclass(slots=True)
class CommandState:
    catalogue: Catalogue = field(default_factory=Catalogue)
    sequence: int = 0
    """Of the next command."""
    statuses: OrderedDict[str, CommandStatus] = field(default_factory=OrderedDict)
    checkpoints: dict[str, str] = field(default_factory=dict)
    """Of each query the name of its checkpoint: its own id, or the one of the query whose place it took."""
    on_change: Callable[[], None] = lambda: None

    def append(
        self,
        command_id: str,
        statement: str,
        changes: Sequence[Change],
        *,
        message: str,
        query_id: str | None = None,
        properties: Mapping[str, str] | None = None,
    ) -> Append:
        """The next command, to be written."""
        command = Command(
            sequence=self.sequence,
            command_id=command_id,
            statement=statement,
            message=message,
            query_id=query_id,
            properties=dict(properties or {}),
            changes=[change_to_json(change) for change in changes],
        )
        return Append(b"%d" % command.sequence, msgspec.json.encode(command))

    def apply(self, record: LogRecord) -> None:
        if record.value is None:
            return
        try:
            command = _decode(record.value)
            changes = [change_from_json(each) for each in command.changes]
        except (msgspec.MsgspecError, ValueError, KeyError, TypeError) as error:
            _log.error("command that cannot be read skipped offset=%d reason=%s", record.offset, error)
            return
        self.catalogue = self.catalogue.apply_all(changes)
        for change in changes:
            self._follow(change)
        self.sequence = max(self.sequence, command.sequence + 1)
        self.statuses[command.command_id] = CommandStatus("SUCCESS", command.message, command.query_id)
        self.statuses.move_to_end(command.command_id)
        while len(self.statuses) > _STATUSES_MAX:
            self.statuses.popitem(last=False)
        self.on_change()

    def clear(self) -> None:
        self.catalogue = Catalogue()
        self.sequence = 0
        self.statuses.clear()
        self.checkpoints.clear()
        self.on_change()

    def _follow(self, change: Change) -> None:
        match change:
            case QueryStarted(query, replaces):
                kept = self.checkpoints.pop(replaces, replaces) if replaces is not None else query.query_id
                self.checkpoints[query.query_id] = kept
            case QueryTerminated(query_id):
                self.checkpoints.pop(query_id, None)
            case _:
                return

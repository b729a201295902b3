"""What the server keeps in memory of its command topic: the catalogue, and what became of each command.

`apply` is the one writer, live and on replay; a command holds the changes that its statement came to
(`catalogue/change_json.py`), so that replaying asks nobody. Every instance that reads the topic has the same catalogue.
"""

from __future__ import annotations

import logging
import uuid
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
    checkpoint: str = ""
    """Of a query that it starts: in a topic that begins anew ids are given out again, and a query must not go on with
    the checkpoint of another."""
    version: int = 1


_decode = msgspec.json.Decoder(Command).decode


@dataclass(slots=True)
class CommandState:
    catalogue: Catalogue = field(default_factory=Catalogue)
    sequence: int = 0
    """Of the next command."""
    statuses: OrderedDict[str, CommandStatus] = field(default_factory=OrderedDict)
    checkpoints: dict[str, str] = field(default_factory=dict)
    """Of each query the name of its checkpoint: its own, or the one of the query whose place it took."""
    abandoned: dict[str, None] = field(default_factory=dict)
    """Checkpoints of queries that were terminated, to be deleted by whoever runs queries."""
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
            checkpoint="" if query_id is None else f"{query_id}-{uuid.uuid4().hex[:12]}",
        )
        return Append(b"%d" % command.sequence, msgspec.json.encode(command))

    def apply(self, record: LogRecord) -> None:
        if record.value is None:
            return
        try:
            command = _decode(record.value)
            changes = [change_from_json(each) for each in command.changes]
            catalogue = self.catalogue.apply_all(changes)
        except Exception as error:
            # Anybody who may write the topic can put anything there: it must not keep a server from starting.
            _log.error("command that cannot be read skipped offset=%d reason=%s", record.offset, error)
            return
        self.catalogue = catalogue
        for change in changes:
            self._follow(change, command.checkpoint)
        self.sequence = max(self.sequence, command.sequence + 1)
        self.statuses[command.command_id] = CommandStatus("SUCCESS", command.message, command.query_id)
        self.statuses.move_to_end(command.command_id)
        while len(self.statuses) > _STATUSES_MAX:
            self.statuses.popitem(last=False)
        self.on_change()

    def clear(self) -> None:
        """The topic is read again. Listeners are not called before something has been: what runs is not to be ended for
        it."""
        self.catalogue = Catalogue()
        self.sequence = 0
        self.statuses.clear()
        self.checkpoints.clear()
        self.abandoned.clear()

    def _follow(self, change: Change, checkpoint: str) -> None:
        match change:
            case QueryStarted(query, replaces):
                fresh = checkpoint or query.query_id
                kept = self.checkpoints.pop(replaces, fresh) if replaces is not None else fresh
                self.checkpoints[query.query_id] = kept
            case QueryTerminated(query_id):
                gone = self.checkpoints.pop(query_id, None)
                if gone is not None:
                    self.abandoned[gone] = None
                    while len(self.abandoned) > _STATUSES_MAX:
                        self.abandoned.pop(next(iter(self.abandoned)))
            case _:
                return

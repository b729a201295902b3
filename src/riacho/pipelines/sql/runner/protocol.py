"""What the KSQL server and its runner (the child with the Spark driver) tell each other, beside what every such pair
does (`spark_child/messages.py`).

    {"do": "startquery", "query_id": "CTAS_TOTALS_3", "generation": 1, "plan": {...}, "checkpoint": "..."}
    {"do": "startpush", "query_id": "transient_7", "generation": 1, "plan": {...}, "limit": 10}

    {"event": "running", "query_id": "CTAS_TOTALS_3", "generation": 1}
    {"event": "progress", "query_id": "CTAS_TOTALS_3", "generation": 1, "batch_id": 4, "rows": 17, ...}
    {"event": "failed", "query_id": "CTAS_TOTALS_3", "generation": 1, "sentence": "...", "is_user_error": false, ...}

`generation` counts the starts of a query, so that an event of an earlier run differs from one of the new.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from riacho.pipelines.pipeline import DEFAULT_TRIGGER_MS
from riacho.pipelines.spark_child.messages import Alive, Command, Event, Log, Quit, Ready, message_from


class Settings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    bootstrap_servers: str = msgspec.field(name="bootstrap")
    client: dict[str, str] = {}
    """Client settings in Kafka's own names, for reading and writing alike."""
    registry: dict[str, str] = {}
    """`schema.registry.url` and its login."""
    spark: dict[str, str] = {}
    modules: tuple[str, ...] = ()
    """Where users' functions are (`ksql.extension.modules`)."""
    processing_log_topic: str = ""
    """Empty where records that were left out are only counted."""
    silence_ms: int | None = None

    @property
    def silence_s(self) -> float | None:
        return None if self.silence_ms is None else self.silence_ms / 1000


class StartQuery(Command, frozen=True, kw_only=True):
    """`plan` as `plan/plan_json.py` writes it."""

    query_id: str
    generation: int
    plan: msgspec.Raw
    checkpoint: str
    partitions: int = 1
    """Of the topic that is read: as many buckets has its state."""
    trigger_ms: int = DEFAULT_TRIGGER_MS


class StartPush(Command, frozen=True, kw_only=True):
    """A query whose rows come back as events, and which leaves nothing behind."""

    query_id: str
    generation: int
    plan: msgspec.Raw
    checkpoint: str
    partitions: int = 1
    trigger_ms: int = DEFAULT_TRIGGER_MS


class StopQuery(Command, frozen=True):
    query_id: str
    generation: int
    forget: bool = False
    """Its checkpoint is deleted too."""


class DeleteCheckpoints(Command, frozen=True):
    """Of queries that are gone, where only Spark can reach; answered by `CheckpointsDeleted`."""

    location: str
    names: tuple[str, ...]


class Evaluate(Command, frozen=True):
    """Projections over rows that come along: what a pull query asks beyond columns, and INSERT's expressions.

    All in Spark SQL: `row` makes a struct of the column `text`, which is one of `rows`; `answer` is row JSON over the
    struct `row`, and `where` a condition on it.
    """

    request_id: int
    rows: tuple[str, ...]
    row: str
    answer: str
    where: str | None = None
    functions: tuple[str, ...] = ()


class OfQuery(Event, frozen=True):
    query_id: str
    generation: int


class Running(OfQuery, frozen=True):
    pass


class Progress(OfQuery, frozen=True, kw_only=True):
    """A micro-batch is committed."""

    batch_id: int
    rows: int
    rows_per_second: float
    batch_ms: int
    dropped: int
    """Records of this batch that were left out."""
    offsets: dict[str, dict[str, int]]
    lag: dict[str, dict[str, int]] | None
    state_rows: int
    state_bytes: int | None = None
    """None where Spark does not tell."""


class Rows(OfQuery, frozen=True):
    """Of a push query: row JSON texts, in order."""

    rows: tuple[str, ...]


class Failed(OfQuery, frozen=True):
    """`is_user_error` where trying again would not help; the server tries others again."""

    sentence: str
    trace: str
    is_user_error: bool


class Stopped(OfQuery, frozen=True):
    pass


class CheckpointsDeleted(Event, frozen=True):
    """Or left, where they cannot be: then a warning has said why."""


class Evaluated(Event, frozen=True):
    """`rows` has one for each row that was given, null where the condition did not hold; `error` is a sentence where
    there are none."""

    request_id: int
    rows: tuple[str | None, ...] = ()
    error: str | None = None


AnyCommand = StartQuery | StartPush | StopQuery | DeleteCheckpoints | Evaluate | Alive | Quit
AnyEvent = Ready | Log | Running | Progress | Rows | Failed | Stopped | CheckpointsDeleted | Evaluated

_SETTINGS = msgspec.json.Decoder(Settings)
_COMMANDS: msgspec.json.Decoder[AnyCommand] = msgspec.json.Decoder(AnyCommand)
_EVENTS: msgspec.json.Decoder[AnyEvent] = msgspec.json.Decoder(AnyEvent)

Offsets = Mapping[str, Mapping[str, int]]


def settings_from(line: bytes | str) -> Settings:
    return message_from(_SETTINGS, line, "The runner's settings")


def command_from(line: bytes | str) -> AnyCommand:
    return message_from(_COMMANDS, line, "A command")


def event_from(line: bytes | str) -> AnyEvent:
    return message_from(_EVENTS, line, "An event")

"""What a worker and its runner tell each other: one JSON object a line, each of a type that both ends share.

The worker's first line is the runner's settings; after it come commands, and events the other way:

    {"bootstrap": "127.0.0.1:9092", "spark": {"spark.master": "local[2]"}, "modules": ["my_connectors"], ...}
    {"do": "start", "name": "orders", "generation": 3, "type": "sink", "configs": {...}, "offsets": null, ...}
    {"do": "stop", "name": "orders", "generation": 3}

    {"event": "running", "name": "orders", "generation": 3, "tasks": 2}
    {"event": "failed", "name": "orders", "generation": 3, "task": null, "trace": "..."}

`generation` counts the starts of a connector, so that an event that was on its way when it was restarted differs from
one of the new run. A line of no known type, or with a field that its type does not have, is an error: MessageError.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from riacho.pipelines.plugin import SourceOffset
from riacho.pipelines.reach.limits import Limits
from riacho.pipelines.spark_child.messages import Alive, Command, Event, Log, Quit, Ready, message_from


class Settings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    bootstrap_servers: str = msgspec.field(name="bootstrap")
    client: dict[str, str] = {}
    """Client settings in Kafka's own names."""
    spark: dict[str, str] = {}
    defaults: dict[str, str] = {}
    """What connectors get that do not say it themselves: the worker's converters and topic creation."""
    modules: tuple[str, ...] = ()
    """Where to look for connectors beside the known ones."""
    limits: Limits = msgspec.field(default_factory=Limits)
    """What connectors may reach."""
    silence_ms: int | None = None
    """How long the worker may say nothing before it is taken for gone; None: it says nothing without need."""

    @property
    def silence_s(self) -> float | None:
        return None if self.silence_ms is None else self.silence_ms / 1000


# Commands


class Start(Command, frozen=True, kw_only=True):
    name: str
    generation: int
    type: Literal["source", "sink"]
    configs: dict[str, str]
    """With secrets filled in."""
    offsets: tuple[SourceOffset, ...] | None = None
    """Where to begin when the checkpoint is new, in Connect's form for both kinds of connector."""
    checkpoint: str
    tasks_max: int = 1

    @property
    def is_sink(self) -> bool:
        return self.type == "sink"

    @property
    def scratch(self) -> str:
        """A directory that lives as long as the checkpoint: what is remembered there counts its batches."""
        return self.checkpoint.rstrip("/") + ".scratch"


class Stop(Command, frozen=True):
    name: str
    generation: int


# Events


class OfConnector(Event, frozen=True):
    """Of one run of one connector."""

    name: str
    generation: int


class Doing(OfConnector, frozen=True):
    """What it is at until its first batch is done, in one sentence."""

    what: str


class Prepared(OfConnector, frozen=True):
    """What it reads or writes is there; its query is still to come."""

    tasks: int


class Running(OfConnector, frozen=True):
    tasks: int


class Progress(OfConnector, frozen=True, kw_only=True):
    """A batch is done."""

    batch_id: int
    rows: int
    rows_per_second: float
    batch_ms: int
    lag: dict[str, dict[str, int]] | None
    """Records not yet read, by topic and partition; None where the source has no such offsets."""
    state_rows: int
    state_bytes: int | None = None
    """None where Spark does not tell."""
    topics: tuple[str, ...]
    offsets: tuple[SourceOffset, ...]


class Errors(OfConnector, frozen=True):
    """Records left out since it started."""

    total: int
    dead_letters: int
    skipped: int


class Failed(OfConnector, frozen=True):
    """`task` is None where the connector itself failed."""

    task: int | None
    trace: str


class Stopped(OfConnector, frozen=True):
    pass


AnyCommand = Start | Stop | Alive | Quit
AnyEvent = Ready | Log | Doing | Prepared | Running | Progress | Errors | Failed | Stopped

_SETTINGS = msgspec.json.Decoder(Settings)
_COMMANDS: msgspec.json.Decoder[AnyCommand] = msgspec.json.Decoder(AnyCommand)
_EVENTS: msgspec.json.Decoder[AnyEvent] = msgspec.json.Decoder(AnyEvent)


def settings_from(line: bytes | str) -> Settings:
    return message_from(_SETTINGS, line, "The runner's settings")


def command_from(line: bytes | str) -> AnyCommand:
    return message_from(_COMMANDS, line, "A command")


def event_from(line: bytes | str) -> AnyEvent:
    return message_from(_EVENTS, line, "An event")

"""What the worker tells the runner: one JSON object a line on stdin; the first line is the runner's settings.

    {"bootstrap": "127.0.0.1:9092", "client": {"security.protocol": "SSL"}, "spark": {"spark.master": "local[2]"},
     "defaults": {"key.converter": "..."}, "modules": ["my_connectors"], "silence_ms": 8000}
    {"do": "start", "name": "orders", "generation": 3, "type": "sink", "configs": {...}, "offsets": null,
     "checkpoint": "/var/riacho/checkpoints/orders", "tasks_max": 2}
    {"do": "stop", "name": "orders", "generation": 3}
    {"do": "alive"}
    {"do": "quit"}

`generation` counts the starts of a connector, so that an event that was on its way when it was restarted is told from
one of the new run. `alive` says nothing but that the worker is there (`lifeline`). `offsets` is where to begin when the
checkpoint is new; Connect's form for both kinds of connector.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from riacho.pipelines.plugin import SourceOffset
from riacho.pipelines.reach.limits import Limits


@dataclass(frozen=True, slots=True)
class Settings:
    bootstrap_servers: str
    client: Mapping[str, str] = field(default_factory=dict)
    """Client settings in Kafka's own names."""
    spark: Mapping[str, str] = field(default_factory=dict)
    defaults: Mapping[str, str] = field(default_factory=dict)
    """What connectors get that do not say it themselves: the worker's converters and topic creation."""
    modules: tuple[str, ...] = ()
    """Where to look for connectors beside the known ones."""
    limits: Limits = field(default_factory=Limits)
    """What connectors may reach."""
    silence_s: float | None = None
    """How long the worker may say nothing before it is taken for gone; None: it says nothing without need."""


@dataclass(frozen=True, slots=True)
class Start:
    name: str
    generation: int
    is_sink: bool
    configs: Mapping[str, str]
    offsets: tuple[SourceOffset, ...] | None
    checkpoint: str
    tasks_max: int

    @property
    def scratch(self) -> str:
        """A directory that lives as long as the checkpoint: what is remembered there counts its batches."""
        return self.checkpoint.rstrip("/") + ".scratch"


@dataclass(frozen=True, slots=True)
class Stop:
    name: str
    generation: int


@dataclass(frozen=True, slots=True)
class Alive:
    pass


@dataclass(frozen=True, slots=True)
class Quit:
    pass


Command = Start | Stop | Alive | Quit


def parse_settings(line: str) -> Settings:
    given = _object(line)
    return Settings(
        bootstrap_servers=str(given["bootstrap"]),
        client=_texts(given.get("client")),
        spark=_texts(given.get("spark")),
        defaults=_texts(given.get("defaults")),
        modules=tuple(given.get("modules") or ()),
        limits=Limits.from_json(given.get("limits")),
        silence_s=int(given["silence_ms"]) / 1000 if given.get("silence_ms") else None,
    )


def parse_command(line: str) -> Command:
    """ValueError in one sentence where the line is none."""
    given = _object(line)
    match given.get("do"):
        case "start":
            return _start(given)
        case "stop":
            return Stop(str(given["name"]), int(given["generation"]))
        case "alive":
            return Alive()
        case "quit":
            return Quit()
        case other:
            raise ValueError(f"The runner does not know the command {other!r}.")


def _start(given: Mapping[str, Any]) -> Start:
    offsets = given.get("offsets")
    return Start(
        name=str(given["name"]),
        generation=int(given["generation"]),
        is_sink=given["type"] == "sink",
        configs=_texts(given["configs"]),
        offsets=None if offsets is None else tuple(SourceOffset(o["partition"], o.get("offset")) for o in offsets),
        checkpoint=str(given["checkpoint"]),
        tasks_max=int(given.get("tasks_max", 1)),
    )


def _object(line: str) -> dict[str, Any]:
    try:
        given = json.loads(line)
    except ValueError:
        given = None
    if not isinstance(given, dict):
        raise ValueError("A line for the runner must be one JSON object.")
    return given


def _texts(given: Mapping[str, Any] | None) -> dict[str, str]:
    return {str(key): str(value) for key, value in (given or {}).items() if value is not None}

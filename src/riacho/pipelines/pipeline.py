"""A pipeline as a value: where records come from, what is done with them, where they go, and what is promised.

Connect makes one from a connector's JSON (`Pipeline.from_connector`), shows it, and runs that very value
(`connect/runner/query_plan.py`); SQL makes one of a statement (`sql/plan/pipeline_of.py`), which EXPLAIN shows and
`sql/runner/query_frame.py` runs. Nothing here reaches out or knows Spark. `explain` says it in lines, `draw` as a
picture:

    topic orders -> [JsonConverter] -> [RegexRouter] -> ParquetSink
                          |
                          +-- bad records --> topic orders-dlq
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

from riacho.pipelines.errors.policy import ErrorPolicy

DEFAULT_CONVERTER = "org.apache.kafka.connect.json.JsonConverter"
EXACTLY_ONCE = "exactly-once"
AT_LEAST_ONCE = "at-least-once"
DEFAULT_TRIGGER_MS = 200
EARLIEST = "earliest"
KEY, VALUE = "key", "value"
_READ_OPTION = "riacho.read."
_TOPIC_CREATION = "topic.creation."


@dataclass(frozen=True, slots=True)
class Topics:
    """At either end of a pipeline. To be written to, they may be known by their records only: no name, no pattern."""

    names: tuple[str, ...] = ()
    pattern: str = ""
    reset: str = EARLIEST
    """Where reading begins without a checkpoint: earliest or latest."""
    read_options: Mapping[str, str] = field(default_factory=dict)
    creation: Mapping[str, str] = field(default_factory=dict)
    """How those that are missing are made (`topic.creation.*`)."""

    def __str__(self) -> str:
        if self.pattern:
            return f"topics matching {self.pattern}"
        if not self.names:
            return "topics"
        return f"topic {self.names[0]}" if len(self.names) == 1 else f"topics {', '.join(self.names)}"


@dataclass(frozen=True, slots=True)
class External:
    """Another system, at either end: reached by the connector of this class."""

    connector_class: str

    def __str__(self) -> str:
        return simple_name(self.connector_class)


@dataclass(frozen=True, slots=True)
class Converter:
    """Bytes to fields (`decode`) or fields to bytes (`encode`), of a record's key or value."""

    kind: str
    side: str
    class_name: str
    settings: Mapping[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.side

    def __str__(self) -> str:
        return simple_name(self.class_name)


@dataclass(frozen=True, slots=True)
class Predicate:
    """`is_known` where `predicates` names it, without which its settings mean nothing."""

    name: str
    class_name: str
    settings: Mapping[str, str] = field(default_factory=dict)
    is_known: bool = True


@dataclass(frozen=True, slots=True)
class Transform:
    """`settings` are its own, without its type. With a predicate it changes the records for which that holds, or with
    `negate` the others."""

    name: str
    class_name: str
    settings: Mapping[str, str] = field(default_factory=dict)
    predicate: Predicate | None = None
    negate: bool = False

    kind = "transform"

    def __str__(self) -> str:
        if self.predicate is None:
            return simple_name(self.class_name)
        word = "not " if self.negate else ""
        return f"{simple_name(self.class_name)} if {word}{self.predicate.name}"


Step = Converter | Transform


class ShownStep(Protocol):
    """What every step of a pipeline says of itself; `str` of it is what it does, in a few words."""

    @property
    def kind(self) -> str: ...

    @property
    def name(self) -> str: ...


S = TypeVar("S", bound=ShownStep)


@dataclass(frozen=True, slots=True)
class Pipeline(Generic[S]):
    """`S`: of Connect's pipelines `Step`, of SQL's `SqlStep`."""

    name: str
    source: Topics | External
    steps: tuple[S, ...]
    sink: Topics | External
    errors: ErrorPolicy
    guarantee: str = EXACTLY_ONCE
    trigger_ms: int = DEFAULT_TRIGGER_MS

    @classmethod
    def from_connector(cls, name: str, configs: Mapping[str, str], is_sink: bool) -> Pipeline[Step]:
        """`configs` with the worker's defaults under its own. ConfigError where `errors.*` cannot be used, ValueError
        for a trigger that is no number; the rest is taken as it stands, and judged by those that run it."""
        connector = External(configs.get("connector.class", ""))
        topics = _topics(configs, is_sink)
        transforms = transforms_of(configs)
        return Pipeline(
            name=name,
            source=topics if is_sink else connector,
            steps=(*_converters(configs, "decode"), *transforms)
            if is_sink
            else (*transforms, *_converters(configs, "encode")),
            sink=connector if is_sink else topics,
            errors=ErrorPolicy.from_configs(configs, is_sink),
            guarantee=configs.get("riacho.delivery", EXACTLY_ONCE),
            trigger_ms=int(configs.get("riacho.trigger.ms", DEFAULT_TRIGGER_MS)),
        )

    @property
    def transforms(self) -> tuple[Transform, ...]:
        return tuple(step for step in self.steps if isinstance(step, Transform))

    def explain(self) -> str:
        lines = [f"pipeline {self.name}", f"  from    {self.source}"]
        lines += [f"  {step.kind:<9} {step.name}: {step}" for step in self.steps]
        lines += [
            f"  to      {self.sink}",
            f"  gives   {self.guarantee}",
            f"  errors  {self._errors()}",
            f"  every   {self.trigger_ms} ms",
        ]
        return "\n".join(lines)

    def draw(self) -> str:
        boxes = [f"[{step}]" for step in self.steps]
        line = " -> ".join([str(self.source), *boxes, str(self.sink)])
        topic = self.errors.dead_letter_topic
        if topic is None:
            return line
        foot = line.index(boxes[-1]) + len(boxes[-1]) // 2 if boxes else len(str(self.source)) + 1
        return "\n".join([line, " " * foot + "|", " " * foot + f"+-- bad records --> topic {topic}"])

    def _errors(self) -> str:
        if not self.errors.tolerate:
            return "the first bad record stops it"
        if self.errors.dead_letter_topic is None:
            return "bad records are left out"
        return f"bad records go to topic {self.errors.dead_letter_topic}"


def simple_name(class_name: str) -> str:
    return class_name.rpartition(".")[2] or "?"


def transforms_of(configs: Mapping[str, str]) -> tuple[Transform, ...]:
    """What `transforms` names, in its order, with what it says of each."""
    return tuple(_transform(name, configs) for name in _names(configs, "transforms"))


def under(prefix: str, configs: Mapping[str, str]) -> dict[str, str]:
    return {name.removeprefix(prefix): text for name, text in configs.items() if name.startswith(prefix)}


def _transform(name: str, configs: Mapping[str, str]) -> Transform:
    own = under(f"transforms.{name}.", configs)
    predicate = own.get("predicate", "").strip()
    return Transform(
        name,
        own.pop("type", ""),
        own,
        _predicate(predicate, configs) if predicate else None,
        negate=own.get("negate", "false").strip().lower() == "true",
    )


def _predicate(name: str, configs: Mapping[str, str]) -> Predicate:
    own = under(f"predicates.{name}.", configs)
    return Predicate(name, own.pop("type", ""), own, is_known=name in _names(configs, "predicates"))


def _converters(configs: Mapping[str, str], kind: str) -> tuple[Converter, ...]:
    return tuple(
        Converter(
            kind,
            side,
            configs.get(f"{side}.converter") or DEFAULT_CONVERTER,
            under(f"{side}.converter.", configs),
        )
        for side in (KEY, VALUE)
    )


def _topics(configs: Mapping[str, str], is_source: bool) -> Topics:
    creation = {name: text for name, text in configs.items() if name.startswith(_TOPIC_CREATION)}
    if not is_source:
        return Topics(names=(configs["topic"],) if configs.get("topic") else (), creation=creation)
    return Topics(
        names=tuple(_names(configs, "topics")),
        pattern=configs.get("topics.regex", "").strip(),
        reset=configs.get("consumer.override.auto.offset.reset", EARLIEST).strip().lower(),
        read_options=under(_READ_OPTION, configs),
        creation=creation,
    )


def _names(configs: Mapping[str, str], setting: str) -> list[str]:
    return [name.strip() for name in configs.get(setting, "").split(",") if name.strip()]

"""A pipeline as a value: where records come from, what is done with them, where they go, and what is promised.

Connect makes one from a connector's JSON (`Pipeline.from_connector`); nothing here reaches out. `explain` says it in
lines, `draw` as a picture:

    topic orders -> [JsonConverter] -> [RegexRouter] -> ParquetSink
                          |
                          +-- bad records --> topic orders-dlq
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from riacho.pipelines.errors.policy import ErrorPolicy

DEFAULT_CONVERTER = "org.apache.kafka.connect.json.JsonConverter"
EXACTLY_ONCE = "exactly-once"
AT_LEAST_ONCE = "at-least-once"
DEFAULT_TRIGGER_MS = 200


@dataclass(frozen=True, slots=True)
class Step:
    """One thing done to every record: `kind` is decode, encode or transform; `when` the predicate's name, if any."""

    kind: str
    name: str
    class_name: str
    when: str = ""

    @property
    def short(self) -> str:
        simple = self.class_name.rpartition(".")[2]
        return f"{simple} if {self.when}" if self.when else simple


@dataclass(frozen=True, slots=True)
class Pipeline:
    name: str
    source: str
    steps: tuple[Step, ...]
    sink: str
    guarantee: str
    errors: ErrorPolicy
    trigger_ms: int = DEFAULT_TRIGGER_MS

    @classmethod
    def from_connector(cls, name: str, configs: Mapping[str, str], is_sink: bool) -> Pipeline:
        """ConfigError where `errors.*` or the trigger cannot be used; the rest is taken as it stands."""
        connector = configs.get("connector.class", "?").rpartition(".")[2]
        if is_sink:
            source, sink = _topics(configs), connector
            steps = (*_converters(configs, "decode"), *_transforms(configs))
        else:
            source, sink = connector, f"topic {configs['topic']}" if configs.get("topic") else "topics"
            steps = (*_transforms(configs), *_converters(configs, "encode"))
        return cls(
            name=name,
            source=source,
            steps=steps,
            sink=sink,
            guarantee=configs.get("riacho.delivery", EXACTLY_ONCE),
            errors=ErrorPolicy.from_configs(configs, is_sink),
            trigger_ms=int(configs.get("riacho.trigger.ms", DEFAULT_TRIGGER_MS)),
        )

    def explain(self) -> str:
        lines = [f"pipeline {self.name}", f"  from    {self.source}"]
        lines += [f"  {step.kind:<9} {step.name}: {step.short}" for step in self.steps]
        lines += [
            f"  to      {self.sink}",
            f"  gives   {self.guarantee}",
            f"  errors  {self._errors()}",
            f"  every   {self.trigger_ms} ms",
        ]
        return "\n".join(lines)

    def draw(self) -> str:
        boxes = [f"[{step.short}]" for step in self.steps]
        line = " -> ".join([self.source, *boxes, self.sink])
        topic = self.errors.dead_letter_topic
        if topic is None:
            return line
        foot = line.index(boxes[-1]) + len(boxes[-1]) // 2 if boxes else len(self.source) + 1
        return "\n".join([line, " " * foot + "|", " " * foot + f"+-- bad records --> topic {topic}"])

    def _errors(self) -> str:
        if not self.errors.tolerate:
            return "the first bad record stops it"
        if self.errors.dead_letter_topic is None:
            return "bad records are left out"
        return f"bad records go to topic {self.errors.dead_letter_topic}"


def _topics(configs: Mapping[str, str]) -> str:
    if configs.get("topics.regex"):
        return f"topics matching {configs['topics.regex']}"
    names = [name.strip() for name in configs.get("topics", "").split(",") if name.strip()]
    return f"topic {names[0]}" if len(names) == 1 else f"topics {', '.join(names)}"


def _converters(configs: Mapping[str, str], kind: str) -> tuple[Step, ...]:
    return tuple(Step(kind, side, configs.get(f"{side}.converter", DEFAULT_CONVERTER)) for side in ("key", "value"))


def _transforms(configs: Mapping[str, str]) -> tuple[Step, ...]:
    names = [name.strip() for name in configs.get("transforms", "").split(",") if name.strip()]
    return tuple(
        Step("transform", name, configs.get(f"transforms.{name}.type", "?"), _when(configs, name)) for name in names
    )


def _when(configs: Mapping[str, str], name: str) -> str:
    predicate = configs.get(f"transforms.{name}.predicate", "")
    negated = configs.get(f"transforms.{name}.negate", "false").strip().lower() == "true"
    return f"not {predicate}" if predicate and negated else predicate

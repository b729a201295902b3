"""What a pipeline does with every record: converters of key and value, and the transforms, on Spark."""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import DataFrame

from riacho.pipelines import records
from riacho.pipelines.formats import converter as formats
from riacho.pipelines.formats.converters import converter
from riacho.pipelines.pipeline import Converter, Step, Transform, simple_name
from riacho.pipelines.transforms.chain import chain_of

# Converters that take any bytes: a sink with nothing else to do has no bad records, and need not look for them.
_TAKE_ANYTHING = frozenset({"ByteArrayConverter", "StringConverter"})


@dataclass(frozen=True, slots=True)
class Steps:
    """`steps` are values: made anew where the batch function is sent, rather than pickled with what they hold."""

    steps: tuple[Step, ...]

    def apply(self, batch: DataFrame) -> DataFrame:
        for step in self.steps:
            if isinstance(step, Transform):
                batch = chain_of((step,)).apply(batch)
            elif step.kind == "decode":
                batch = _made(step).decode(batch, step.side)
            else:
                batch = _made(step).encode(batch, step.side)
        return batch

    @property
    def can_fail_decoding(self) -> bool:
        names = {simple_name(step.class_name) for step in self.steps if isinstance(step, Converter)}
        return self.has_transforms or not names <= _TAKE_ANYTHING

    @property
    def has_transforms(self) -> bool:
        return any(isinstance(step, Transform) for step in self.steps)

    def check(self) -> None:
        """ConfigError in one sentence where a converter or transform cannot be made."""
        for step in self.steps:
            if isinstance(step, Converter):
                _made(step)
        chain_of([step for step in self.steps if isinstance(step, Transform)])


def _made(step: Converter) -> formats.Converter:
    return converter(step.class_name, step.settings, is_key=step.side == records.KEY)

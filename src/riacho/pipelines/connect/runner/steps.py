"""What a pipeline does with every record: converters of key and value, and the transforms, on Spark."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial

from pyspark.sql import DataFrame

from riacho.pipelines import records
from riacho.pipelines.formats.converters import converter
from riacho.pipelines.pipeline import Converter, Step, Transform, simple_name
from riacho.pipelines.transforms.chain import chain_of

# Converters that take any bytes: a sink with nothing else to do has no bad records, and need not look for them.
_TAKE_ANYTHING = frozenset({"ByteArrayConverter", "StringConverter"})


@dataclass(frozen=True, slots=True)
class Steps:
    """Converters and transforms are made once, for those of a registry remember the newest schemas that they saw; and
    again where the batch function is sent, since only `steps`, which are values, go there."""

    steps: tuple[Step, ...]
    _made: list[Callable[[DataFrame], DataFrame]] = field(default_factory=list, init=False, repr=False, compare=False)

    def __reduce__(self) -> tuple[type[Steps], tuple[tuple[Step, ...]]]:
        return Steps, (self.steps,)

    def make(self) -> None:
        """ConfigError in one sentence where a converter or transform cannot be made."""
        if not self._made:
            self._made.extend(list(_functions(self.steps)))

    def apply(self, batch: DataFrame) -> DataFrame:
        self.make()
        for each in self._made:
            batch = each(batch)
        return batch

    @property
    def can_fail_decoding(self) -> bool:
        names = {simple_name(step.class_name) for step in self.steps if isinstance(step, Converter)}
        return self.has_transforms or not names <= _TAKE_ANYTHING

    @property
    def has_transforms(self) -> bool:
        return any(isinstance(step, Transform) for step in self.steps)


def _functions(steps: tuple[Step, ...]) -> Iterator[Callable[[DataFrame], DataFrame]]:
    transforms = iter(chain_of([step for step in steps if isinstance(step, Transform)]).steps)
    for step in steps:
        if isinstance(step, Transform):
            yield next(transforms).apply
        else:
            made = converter(step.class_name, step.settings, is_key=step.side == records.KEY)
            yield partial(made.decode if step.kind == "decode" else made.encode, column=step.side)

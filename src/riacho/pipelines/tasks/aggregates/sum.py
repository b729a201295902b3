"""SUM: integers wrap as Java's do, decimals keep their type and do not fit at some point, null rows count for
nothing."""

from __future__ import annotations

from decimal import Context, Decimal
from typing import Any

from riacho.pipelines.sql.type_text import type_from_text
from riacho.pipelines.sql.types import Decimal as DecimalType
from riacho.pipelines.tasks.aggregates.aggregate import Aggregate
from riacho.pipelines.tasks.aggregates.numbers import as_double, double_json, wrapped
from riacho.pipelines.tasks.errors import TaskError
from riacho.pipelines.tasks.spec import AggregateSpec


class IntegerSum(Aggregate):
    can_undo = True

    def __init__(self, spec: AggregateSpec) -> None:
        super().__init__(spec)
        self._bits = 32 if spec.result_type == "INTEGER" else 64

    def init(self) -> int:
        return 0

    def add(self, state: int, values: list[Any], sequence: int) -> int:
        return state if values[0] is None else wrapped(state + values[0], self._bits)

    def undo(self, state: int, values: list[Any]) -> int:
        return state if values[0] is None else wrapped(state - values[0], self._bits)

    def merge(self, left: int, right: int) -> int:
        return wrapped(left + right, self._bits)


class DoubleSum(Aggregate):
    can_undo = True

    def init(self) -> float:
        return 0.0

    def add(self, state: Any, values: list[Any], sequence: int) -> float | str:
        return state if values[0] is None else double_json(as_double(state) + as_double(values[0]))

    def undo(self, state: Any, values: list[Any]) -> float | str:
        return state if values[0] is None else double_json(as_double(state) - as_double(values[0]))

    def merge(self, left: Any, right: Any) -> float | str:
        return double_json(as_double(left) + as_double(right))


_EXACT = Context(prec=100)


class DecimalSum(Aggregate):
    """State is the sum's text. A sum that its type cannot hold stops the statement, as in ksqlDB."""

    can_undo = True

    def __init__(self, spec: AggregateSpec) -> None:
        super().__init__(spec)
        kind = type_from_text(spec.result_type)
        assert isinstance(kind, DecimalType)
        self._kind = kind
        self._bound = Decimal(10) ** (kind.precision - kind.scale)
        self._unit = Decimal(1).scaleb(-kind.scale)

    def init(self) -> str:
        return self._text(Decimal(0))

    def add(self, state: str, values: list[Any], sequence: int) -> str:
        return state if values[0] is None else self._text(_EXACT.add(Decimal(state), Decimal(values[0])))

    def undo(self, state: str, values: list[Any]) -> str:
        return state if values[0] is None else self._text(_EXACT.subtract(Decimal(state), Decimal(values[0])))

    def merge(self, left: str, right: str) -> str:
        return self._text(_EXACT.add(Decimal(left), Decimal(right)))

    def _text(self, value: Decimal) -> str:
        if abs(value) >= self._bound:
            raise TaskError(
                f"Numeric field overflow: A field with precision {self._kind.precision} and scale {self._kind.scale} "
                f"must round to an absolute value less than 10^{self._kind.precision - self._kind.scale}. Got {value:f}"
            )
        return f"{value.quantize(self._unit, context=_EXACT):f}"


def open_sum(spec: AggregateSpec) -> Aggregate:
    if spec.result_type.startswith("DECIMAL"):
        return DecimalSum(spec)
    return DoubleSum(spec) if spec.result_type == "DOUBLE" else IntegerSum(spec)

"""The types of aggregates: which arguments each takes, which of them must be literals, and what it gives.

Their state machines are in `pipelines/tasks/aggregates/`. Signatures are chosen as those of functions are, except that
no number is widened for an aggregate. Literals among the arguments are its settings (TOPK's k), not columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.functions.choosing import bound, choose
from riacho.pipelines.sql.functions.function import (
    Any,
    AnyDecimal,
    ArrayOf,
    Function,
    Parameter,
    Pattern,
    ResultType,
    Signature,
    sql,
)
from riacho.pipelines.sql.types import (
    BIGINT,
    BOOLEAN,
    BYTES,
    DOUBLE,
    INTEGER,
    STRING,
    TIMES,
    Array,
    Field,
    Map,
    SqlType,
    Struct,
)

COUNTED_MAX = 100_000
"""How many values TOPK and its like may keep."""


@dataclass(frozen=True, slots=True)
class AggregateChoice:
    """`columns` is how many of the arguments are columns; `settings` are the literals behind them."""

    columns: int
    settings: tuple[object, ...]
    result_type: SqlType


@dataclass(frozen=True, slots=True)
class AggregateFunction:
    """`literals` are the parameters' names that must be literals, always the last ones."""

    name: str
    signatures: tuple[Signature, ...]
    can_undo: bool = False
    """Whether it may stand over a table."""
    about: str = ""
    literals: frozenset[str] = field(default_factory=frozenset)

    @property
    def function(self) -> Function:
        """As functions are described and listed."""
        return Function(self.name, "AGGREGATE", self.about, self.signatures, kind="AGGREGATE")

    def choose(
        self, types: Sequence[SqlType | None], literals: Sequence[object], wordings: Sequence[str] = ()
    ) -> AggregateChoice:
        """`literals` has the value of each argument that is a literal, else None; `wordings` are the arguments as
        errors name them. KsqlError in ksqlDB's words where the aggregate does not take them."""
        chosen = choose(self.function, types, widens=False)
        names = [parameter.name for parameter in chosen.signature.parameters]
        settings_count = sum(name in self.literals for name in names)
        columns = len(types) - settings_count
        for at in range(columns, len(types)):
            if literals[at] is None:
                shown = wordings[at] if at < len(wordings) else ""
                raise KsqlError(
                    f"Parameter {at + 1} passed to function {self.name} must be a literal constant, "
                    f"but was expression: '{shown}'"
                )
        settings = tuple(literals[columns:])
        self._check(names[len(names) - settings_count :], settings)
        result = chosen.signature.result
        first = types[0] if types else None
        kind = result(types[:columns]) if callable(result) else bound(result, chosen.bindings, first)
        if kind is None:
            raise KsqlError(f"The type of {self.name} cannot be told from a NULL.")
        return AggregateChoice(columns, settings, kind)

    def _check(self, names: Sequence[str], settings: Sequence[object]) -> None:
        for name, value in zip(names, settings, strict=True):
            if isinstance(value, bool) or not isinstance(value, int):
                continue
            if value < 1:
                raise KsqlError(f"{name} must be 1 or greater")
            if value > COUNTED_MAX:
                raise KsqlError(f"{name} must be {COUNTED_MAX} or less")


def _signature(
    parameters: Sequence[tuple[str, Pattern]], result: ResultType, *, is_variadic: bool = False
) -> Signature:
    return Signature(tuple(Parameter(name, kind) for name, kind in parameters), result, sql(""), is_variadic)


def _of_each(kinds: Sequence[Pattern], result: ResultType | None = None) -> tuple[Signature, ...]:
    """One signature for each type of the column; without a result, the same type comes out."""
    return tuple(_signature([("val", kind)], result if result is not None else _same) for kind in kinds)


def _same(types: Sequence[SqlType | None]) -> SqlType:
    if types[0] is None:
        raise KsqlError("The type of an aggregate cannot be told from a NULL.")
    return types[0]


def _listed(types: Sequence[SqlType | None]) -> SqlType:
    return Array(_same(types))


def _ranked(types: Sequence[SqlType | None]) -> SqlType:
    """Of one column its values; of several structs, with the one that sorts first."""
    if len(types) == 1:
        return _listed(types)
    others = [Field(f"col{at}", kind) for at, kind in enumerate(types[1:]) if kind is not None]
    return Array(Struct((Field("sort_col", _same(types)), *others)))


def _element(types: Sequence[SqlType | None]) -> SqlType:
    kind = types[0]
    assert isinstance(kind, Array)
    return kind.item


_NUMBERS: tuple[Pattern, ...] = (INTEGER, BIGINT, DOUBLE)
_ORDERED: tuple[Pattern, ...] = (*_NUMBERS, AnyDecimal(), STRING, BYTES, *TIMES)
OTHER_COLUMNS_MAX = 8


def _topk(kinds: Sequence[Pattern]) -> tuple[Signature, ...]:
    """With other columns between the one that sorts and k, or without."""
    return tuple(_signature([("val", kind), ("k", INTEGER)], _ranked) for kind in kinds) + tuple(
        _signature([("val", Any("T")), *((f"col{at}", Any(f"C{at}")) for at in range(others)), ("k", INTEGER)], _ranked)
        for others in range(1, OTHER_COLUMNS_MAX + 1)
    )


def _by_offset(count: str) -> tuple[Signature, ...]:
    column = ("val", Any("T"))
    return (
        _signature([column], _same),
        _signature([column, ("ignoreNulls", BOOLEAN)], _same),
        _signature([column, (count, INTEGER)], _listed),
        _signature([column, (count, INTEGER), ("ignoreNulls", BOOLEAN)], _listed),
    )


_ALL = (
    AggregateFunction(
        "ATTR", _of_each((Any("T"),)), can_undo=True, about="The value that all rows have, null where they differ."
    ),
    AggregateFunction("AVG", _of_each(_NUMBERS, DOUBLE), can_undo=True, about="The average of the values."),
    AggregateFunction("COLLECT_LIST", _of_each((Any("T"),), _listed), can_undo=True, about="All values, as they came."),
    AggregateFunction("COLLECT_SET", _of_each((Any("T"),), _listed), about="All values, each once."),
    AggregateFunction(
        "CORRELATION",
        tuple(_signature([("x", kind), ("y", kind)], DOUBLE) for kind in _NUMBERS),
        can_undo=True,
        about="Pearson's coefficient of two columns.",
    ),
    AggregateFunction(
        "COUNT",
        (_signature([], BIGINT), *_of_each((Any("T"),), BIGINT)),
        can_undo=True,
        about="How many rows there are, or rows where the value is not null.",
    ),
    AggregateFunction(
        "COUNT_DISTINCT", _of_each((Any("T"),), BIGINT), about="How many values there are, as an estimate."
    ),
    AggregateFunction(
        "EARLIEST_BY_OFFSET",
        _by_offset("earliestN"),
        about="The first value, or the first few.",
        literals=frozenset(("earliestN", "ignoreNulls")),
    ),
    AggregateFunction(
        "HISTOGRAM", _of_each((STRING,), Map(STRING, BIGINT)), can_undo=True, about="How often each value came."
    ),
    AggregateFunction(
        "LATEST_BY_OFFSET",
        _by_offset("latestN"),
        about="The last value, or the last few.",
        literals=frozenset(("latestN", "ignoreNulls")),
    ),
    AggregateFunction("MAX", _of_each(_ORDERED), about="The greatest value."),
    AggregateFunction("MIN", _of_each(_ORDERED), about="The least value."),
    AggregateFunction(
        "STDDEV_SAMP", _of_each(_NUMBERS, DOUBLE), can_undo=True, about="The variance of the values, as of a sample."
    ),
    AggregateFunction(
        "STDDEV_SAMPLE",
        _of_each(_NUMBERS, DOUBLE),
        can_undo=True,
        about="The standard deviation of the values, as of a sample.",
    ),
    AggregateFunction("SUM", _of_each((*_NUMBERS, AnyDecimal())), can_undo=True, about="The sum of the values."),
    AggregateFunction(
        "SUM_LIST",
        _of_each(tuple(ArrayOf(kind) for kind in _NUMBERS), _element),
        can_undo=True,
        about="The sum of all elements of all arrays.",
    ),
    AggregateFunction(
        "TOPK",
        _topk(_ORDERED),
        about="The greatest values, the greatest first; with other columns as structs.",
        literals=frozenset(("k",)),
    ),
    AggregateFunction(
        "TOPKDISTINCT",
        tuple(_signature([("val", kind), ("k", INTEGER)], _listed) for kind in _ORDERED),
        about="The greatest values, each once, the greatest first.",
        literals=frozenset(("k",)),
    ),
)

AGGREGATE_FUNCTIONS: dict[str, AggregateFunction] = {each.name: each for each in _ALL}

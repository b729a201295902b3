"""The select list: `*` in the columns it stands for, a struct's `->*` in its fields, and a name for every item."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from riacho.pipelines.sql.analysis.aliases import AliasGenerator
from riacho.pipelines.sql.analysis.names import Names
from riacho.pipelines.sql.analysis.source_columns import PSEUDO_COLUMNS, WINDOW_BOUNDS
from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.syntax.expressions import Column, Dereference, Expression, StructAll
from riacho.pipelines.sql.syntax.statements import SelectItem, SelectPart, SelectStar
from riacho.pipelines.sql.types import SqlType, Struct, quoted

SELECTED_MAX = 10_000


@dataclass(frozen=True, slots=True)
class Selected:
    """A column of the result. `is_named`: the statement gave it its name."""

    name: str
    expression: Expression
    is_named: bool = False


def select_list(
    select: Sequence[SelectPart],
    names: Names,
    star: Callable[[], Sequence[Selected]],
    type_of: Callable[[Expression], SqlType | None],
) -> tuple[Selected, ...]:
    """`star` gives the columns that `*` stands for, which depends on the key the result has."""
    generator = AliasGenerator(names.types())
    found: list[Selected] = []
    for part in select:
        if isinstance(part, SelectStar):
            _refuse_unknown_source(part, names)
            found.extend(star())
        else:
            found.extend(_item(part, names, generator, type_of))
        if len(found) > SELECTED_MAX:
            raise KsqlError(f"A select list has {SELECTED_MAX} columns at most.")
    return tuple(found)


def _refuse_unknown_source(part: SelectStar, names: Names) -> None:
    if part.source is not None and all(each.alias != part.source for each in names.sources):
        raise KsqlError(f"'{part.source}' is not a valid stream/table name or alias.")


def _item(
    item: SelectItem, names: Names, generator: AliasGenerator, type_of: Callable[[Expression], SqlType | None]
) -> list[Selected]:
    expression = names.resolve(item.expression, "SELECT")
    if isinstance(expression, StructAll):
        kind = type_of(expression.base)
        if not isinstance(kind, Struct):
            raise KsqlError(f"Cannot expand a type that is not a STRUCT: '{kind}'.")
        fields = [Dereference(expression.base, field.name) for field in kind.fields]
        return [Selected(field.field, field) for field in fields]
    if item.alias is not None:
        _refuse_reserved(item.alias, expression)
        return [Selected(item.alias, expression, is_named=True)]
    return [Selected(generator.alias(expression), expression)]


def _refuse_reserved(alias: str, expression: Expression) -> None:
    if (alias in PSEUDO_COLUMNS or alias in WINDOW_BOUNDS) and expression != Column(alias):
        raise KsqlError(f"{quoted(alias)} is a reserved column name. You cannot use it as an alias for a column.")


def source_columns(names: Names, with_window_bounds: bool) -> list[Selected]:
    """`*` of a query that keeps its source's key: key columns first, then the window's bounds where they are shown."""
    found: list[Selected] = []
    for each in names.sources:
        schema = each.source.schema
        bounds = WINDOW_BOUNDS if with_window_bounds and each.source.window is not None else ()
        found.extend(Selected(column.name, Column(column.name)) for column in schema.key)
        found.extend(Selected(name, Column(name)) for name in bounds)
        found.extend(Selected(column.name, Column(column.name)) for column in (*schema.value, *schema.headers))
    return found


def refuse_reserved_columns(selected: Sequence[Selected]) -> None:
    """A persistent query's result cannot have columns with the names of pseudo-columns."""
    for each in selected:
        if each.name in PSEUDO_COLUMNS or each.name in WINDOW_BOUNDS:
            raise KsqlError(f"Reserved column name in select: {quoted(each.name)}. Please remove or alias the column.")

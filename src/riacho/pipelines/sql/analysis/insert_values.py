"""INSERT INTO ... VALUES and DELETE FROM: one record for a source's topic."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from riacho.pipelines.sql.analysis.constant_casts import converted
from riacho.pipelines.sql.analysis.constants import Constants
from riacho.pipelines.sql.analysis.outcomes import RowOutcome
from riacho.pipelines.sql.analysis.pull_bounds import conjuncts
from riacho.pipelines.sql.analysis.settings import Settings
from riacho.pipelines.sql.analysis.type_names import resolve_type
from riacho.pipelines.sql.analysis.typing_of import Compiler
from riacho.pipelines.sql.catalogue.catalogue import Catalogue
from riacho.pipelines.sql.catalogue.sources import DataSource, Namespace
from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.syntax.expressions import Column, Comparison, Expression
from riacho.pipelines.sql.syntax.statements import DeleteFrom, InsertValues, Kind
from riacho.pipelines.sql.types import BIGINT, STRING, SqlType, quoted


def analyse_insert_values(statement: InsertValues, catalogue: Catalogue, settings: Settings) -> RowOutcome:
    source = _target(statement.target, catalogue)
    try:
        return _inserted(statement, source, catalogue, settings)
    except KsqlError as error:
        raise KsqlError(f"Failed to insert values into '{source.name}'. {error.message}") from None


def _target(name: str, catalogue: Catalogue) -> DataSource:
    source = catalogue.find(name)
    if source is None:
        raise KsqlError(f"Cannot insert values into an unknown stream/table: {quoted(name)}")
    if source.window is not None:
        raise KsqlError("Cannot insert values into windowed stream/table!")
    if source.is_source:
        raise KsqlError(f"Cannot insert values into read-only {source.kind.value.lower()}: {name}")
    return source


def _inserted(statement: InsertValues, source: DataSource, catalogue: Catalogue, settings: Settings) -> RowOutcome:
    given = _by_column(statement, source)
    constants = _constants(catalogue, settings)
    values = {name: _value(name, each, _type(name, source), constants) for name, each in given.items()}
    keys = {column.name: values.get(column.name) for column in source.schema.key}
    if source.kind is Kind.TABLE and any(value is None for value in keys.values()):
        missing = ", ".join(column.name for column in source.schema.key)
        raise KsqlError(f"Value for primary key column(s) {missing} is required for tables")
    row = {column.name: values.get(column.name) for column in source.schema.value}
    return RowOutcome(source, _key_row(keys), row, values.get("ROWTIME"))


def _key_row(keys: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """A key of which nothing is known is a null key."""
    return keys if any(value is not None for value in keys.values()) else None


def _constants(catalogue: Catalogue, settings: Settings) -> Constants:
    resolve = partial(resolve_type, types=catalogue.types)
    return Constants(resolve, Compiler(settings.functions, catalogue.types), settings.evaluate)


def _by_column(statement: InsertValues, source: DataSource) -> dict[str, Expression]:
    columns = statement.columns or tuple(
        column.name for column in source.schema if column.namespace is not Namespace.HEADERS
    )
    if statement.columns and len(columns) != len(statement.values):
        raise KsqlError(f"Expected number columns and values to match: {len(columns)}, {len(statement.values)}")
    for name in statement.columns:
        _refuse_column(name, source)
    if len(set(columns)) != len(columns):
        twice = sorted({name for name in columns if columns.count(name) > 1})
        raise KsqlError(f"Duplicate column names: {', '.join(map(quoted, twice))}")
    if len(columns) != len(statement.values):
        raise KsqlError(
            f"Expected a value for each column. "
            f"Expected Columns: [{', '.join(map(quoted, columns))}]. Got {len(statement.values)} values."
        )
    return dict(zip(columns, statement.values, strict=True))


def _refuse_column(name: str, source: DataSource) -> None:
    if name == "ROWTIME":
        return
    if name in ("ROWPARTITION", "ROWOFFSET"):
        raise KsqlError(f"Inserting into column {quoted(name)} is not allowed.")
    column = source.schema.find(name)
    if column is None:
        raise KsqlError(f"Column name {quoted(name)} does not exist.")
    if column.namespace is Namespace.HEADERS:
        raise KsqlError(f"Cannot insert into HEADER columns: {name}")


def _type(name: str, source: DataSource) -> SqlType:
    column = source.schema.find(name)
    return BIGINT if column is None else column.type


def _value(name: str, expression: Expression, target: SqlType, constants: Constants) -> Any:
    value, kind = constants.value(expression)
    try:
        return converted(value, kind, target)
    except KsqlError:
        shown = f"'{value}'" if kind == STRING else value
        raise KsqlError(f"Expected type {target} for field {quoted(name)} but got {kind}({shown})") from None


def analyse_delete(statement: DeleteFrom, catalogue: Catalogue, settings: Settings) -> RowOutcome:
    """A tombstone for the key that WHERE names."""
    source = _target(statement.target, catalogue)
    if source.kind is not Kind.TABLE:
        raise KsqlError(f"DELETE FROM is for tables. {source.name} is a stream.")
    constants = _constants(catalogue, settings)
    found: dict[str, Any] = {}
    for part in conjuncts(statement.where):
        name, expression = _equality(part, source)
        if name in found:
            raise KsqlError(
                f"An equality condition on the key column cannot be combined with another on {quoted(name)}."
            )
        found[name] = _value(name, expression, _type(name, source), constants)
    missing = [column.name for column in source.schema.key if found.get(column.name) is None]
    if missing:
        raise KsqlError(
            "DELETE FROM needs an equality condition for each column of the primary key. Missing: "
            f"{', '.join(map(quoted, missing))}."
        )
    return RowOutcome(source, found, None)


def _equality(part: Expression, source: DataSource) -> tuple[str, Expression]:
    if isinstance(part, Comparison) and part.operator == "=":
        for column, value in ((part.left, part.right), (part.right, part.left)):
            if isinstance(column, Column) and column.source in (None, source.name):
                known = source.schema.find(column.name)
                if known is not None and known.namespace is Namespace.KEY:
                    return known.name, value
    raise KsqlError("DELETE FROM takes conditions of the form 'key column = value', joined by AND.")

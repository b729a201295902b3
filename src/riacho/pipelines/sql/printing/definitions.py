"""CREATE, DROP, ALTER, INSERT and DELETE as text."""

from __future__ import annotations

from typing import TypeAlias, assert_never

from riacho.pipelines.sql.printing.expressions import expression_text
from riacho.pipelines.sql.printing.names import identifier_text, string_text
from riacho.pipelines.sql.printing.queries import query_text
from riacho.pipelines.sql.printing.types import type_text
from riacho.pipelines.sql.syntax import statements as syntax
from riacho.pipelines.sql.syntax.expressions import Expression
from riacho.pipelines.sql.syntax.statements import ColumnDefinition, Constraint, Properties, PropertyValue

Definition: TypeAlias = (
    syntax.CreateSource
    | syntax.CreateAsSelect
    | syntax.CreateType
    | syntax.CreateConnector
    | syntax.DropSource
    | syntax.DropType
    | syntax.DropConnector
    | syntax.AlterSource
    | syntax.InsertInto
    | syntax.InsertValues
    | syntax.DeleteFrom
)


def definition_text(statement: Definition) -> str:
    match statement:
        case syntax.CreateSource():
            head = _head(statement.kind, statement.or_replace, statement.if_not_exists, statement.is_source)
            return f"CREATE {head}{source_text(statement)}"
        case syntax.CreateAsSelect(kind, name, query, properties):
            head = _head(kind, statement.or_replace, statement.if_not_exists)
            return f"CREATE {head}{identifier_text(name)}{properties_text(properties)} AS {query_text(query)}"
        case syntax.CreateType(name, kind_name, if_not_exists):
            return f"CREATE TYPE {_unless(if_not_exists)}{identifier_text(name)} AS {type_text(kind_name)}"
        case syntax.CreateConnector(type_, name, properties, if_not_exists):
            given = ", ".join(f"{string_text(key)}={value_text(value)}" for key, value in properties.items())
            return f"CREATE {type_} CONNECTOR {_unless(if_not_exists)}{identifier_text(name)} WITH ({given})"
        case syntax.DropSource(kind, name, if_exists, delete_topic):
            return f"DROP {kind.value} {_if(if_exists)}{identifier_text(name)}{' DELETE TOPIC' * delete_topic}"
        case syntax.DropType(name, if_exists):
            return f"DROP TYPE {_if(if_exists)}{identifier_text(name)}"
        case syntax.DropConnector(name, if_exists):
            return f"DROP CONNECTOR {_if(if_exists)}{identifier_text(name)}"
        case syntax.AlterSource(kind, name, columns):
            added = ", ".join(f"ADD COLUMN {column_text(each)}" for each in columns)
            return f"ALTER {kind.value} {identifier_text(name)} {added}"
        case syntax.InsertInto(target, query, properties):
            return f"INSERT INTO {identifier_text(target)}{properties_text(properties)} {query_text(query)}"
        case syntax.InsertValues(target, names, values):
            return f"INSERT INTO {identifier_text(target)}{names_text(names)} VALUES {values_text(values)}"
        case syntax.DeleteFrom(target, where):
            return f"DELETE FROM {identifier_text(target)} WHERE {expression_text(where)}"
        case _:
            assert_never(statement)


def source_text(source: syntax.CreateSource) -> str:
    """Its name, columns and properties."""
    columns = ", ".join(map(column_text, source.columns))
    return f"{identifier_text(source.name)}{f' ({columns})' if columns else ''}{properties_text(source.properties)}"


def column_text(column: ColumnDefinition) -> str:
    text = f"{identifier_text(column.name)} {type_text(column.type)}"
    if column.header_key is not None:
        return f"{text} HEADER({string_text(column.header_key)})"
    return text if column.constraint is Constraint.NONE else f"{text} {column.constraint.value}"


def properties_text(properties: Properties) -> str:
    """WITH (...), with a space in front; nothing where there are none."""
    if not properties:
        return ""
    return " WITH (" + ", ".join(f"{_key(key)}={value_text(value)}" for key, value in properties.items()) + ")"


def names_text(names: tuple[str, ...]) -> str:
    return f" ({', '.join(map(identifier_text, names))})" if names else ""


def values_text(values: tuple[Expression, ...]) -> str:
    return f"({', '.join(map(expression_text, values))})"


def value_text(value: PropertyValue) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    return string_text(value) if isinstance(value, str) else str(value)


def _key(key: str) -> str:
    text = identifier_text(key)
    return string_text(key) if text.startswith("`") else text


def _head(kind: syntax.Kind, or_replace: bool, if_not_exists: bool, is_source: bool = False) -> str:
    return f"{'OR REPLACE ' * or_replace}{'SOURCE ' * is_source}{kind.value} {_unless(if_not_exists)}"


def _unless(if_not_exists: bool) -> str:
    return "IF NOT EXISTS " * if_not_exists


def _if(if_exists: bool) -> str:
    return "IF EXISTS " * if_exists

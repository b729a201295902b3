"""CREATE, DROP, ALTER, INSERT, DELETE: from rules of definitions.lark to values."""

from __future__ import annotations

from typing import NamedTuple

from lark import Token, Transformer, v_args

from riacho.pipelines.sql.errors import ParseError
from riacho.pipelines.sql.parsing.literals import Name, unquoted
from riacho.pipelines.sql.parsing.shared_rules import text_of
from riacho.pipelines.sql.syntax.expressions import Expression, Location, TypeName
from riacho.pipelines.sql.syntax.statements import (
    AlterSource,
    ColumnDefinition,
    Constraint,
    CreateAsSelect,
    CreateConnector,
    CreateSource,
    CreateType,
    DeleteFrom,
    DropConnector,
    DropSource,
    DropType,
    InsertInto,
    InsertValues,
    Kind,
    Properties,
    PropertyValue,
    Query,
)


class Head(NamedTuple):
    """What stands in front of every source: CREATE OR REPLACE SOURCE STREAM IF NOT EXISTS name."""

    or_replace: bool | None
    is_source: bool | None
    kind: Kind
    if_not_exists: bool | None
    name: Name


@v_args(inline=True)
class DefinitionRules(Transformer[Token, object]):
    def create_head(
        self, or_replace: bool | None, is_source: bool | None, kind: Kind, if_not_exists: bool | None, name: Name
    ) -> Head:
        return Head(or_replace, is_source, kind, if_not_exists, name)

    def create_source(
        self, head: Head, columns: tuple[ColumnDefinition, ...] | None, properties: Properties | None
    ) -> CreateSource:
        return CreateSource(
            head.kind,
            head.name.text,
            columns or (),
            upper_keys(properties, head.name.at),
            or_replace=bool(head.or_replace),
            if_not_exists=bool(head.if_not_exists),
            is_source=bool(head.is_source),
        )

    def create_as_select(self, head: Head, properties: Properties | None, query: Query) -> CreateAsSelect:
        if head.is_source:
            raise ParseError(f"A SOURCE {head.kind.value} is not made by a query.", *head.name.at)
        return CreateAsSelect(
            head.kind,
            head.name.text,
            query,
            upper_keys(properties, head.name.at),
            or_replace=bool(head.or_replace),
            if_not_exists=bool(head.if_not_exists),
        )

    def column_definition(
        self, name: Name, kind: TypeName, constraint: tuple[Constraint, str | None] | None
    ) -> ColumnDefinition:
        which, header_key = constraint or (Constraint.NONE, None)
        return ColumnDefinition(name.text, kind, which, header_key, at=name.at)

    def key(self) -> tuple[Constraint, str | None]:
        return Constraint.KEY, None

    def primary_key(self) -> tuple[Constraint, str | None]:
        return Constraint.PRIMARY_KEY, None

    def headers(self) -> tuple[Constraint, str | None]:
        return Constraint.HEADERS, None

    def header(self, key: Token) -> tuple[Constraint, str | None]:
        return Constraint.HEADERS, unquoted(key)

    def create_type(self, if_not_exists: bool | None, name: Name, kind: TypeName) -> CreateType:
        return CreateType(name.text, kind, bool(if_not_exists))

    def create_connector(
        self, kind: str, if_not_exists: bool | None, name: Name | str, properties: Properties
    ) -> CreateConnector:
        return CreateConnector(kind, text_of(name), properties, bool(if_not_exists))

    def source_connector(self) -> str:
        return "SOURCE"

    def sink_connector(self) -> str:
        return "SINK"

    def drop_source(self, kind: Kind, if_exists: bool | None, name: Name, delete_topic: bool | None) -> DropSource:
        return DropSource(kind, name.text, bool(if_exists), bool(delete_topic))

    def drop_type(self, if_exists: bool | None, name: Name) -> DropType:
        return DropType(name.text, bool(if_exists))

    def drop_connector(self, if_exists: bool | None, name: Name | str) -> DropConnector:
        return DropConnector(text_of(name), bool(if_exists))

    def alter_source(self, kind: Kind, name: Name, *columns: ColumnDefinition) -> AlterSource:
        return AlterSource(kind, name.text, columns)

    def added_column(self, name: Name, kind: TypeName) -> ColumnDefinition:
        return ColumnDefinition(name.text, kind, at=name.at)


@v_args(inline=True)
class RowRules(Transformer[Token, object]):
    def insert_into(self, target: Name, properties: Properties | None, query: Query) -> InsertInto:
        return InsertInto(target.text, query, upper_keys(properties, target.at))

    def insert_values(
        self, target: Name, columns: tuple[Name, ...] | None, values: tuple[Expression, ...]
    ) -> InsertValues:
        return InsertValues(target.text, tuple(each.text for each in columns or ()), values)

    def delete_from(self, target: Name, where: Expression) -> DeleteFrom:
        return DeleteFrom(target.text, where)


def upper_keys(properties: Properties | None, at: Location | None = None) -> Properties:
    """Properties of sources are known in any case; those of connectors are not, and stay as they were written."""
    found: dict[str, PropertyValue] = {}
    for key, value in (properties or {}).items():
        if key.upper() in found:
            raise ParseError(f"The property {key.upper()[:200]} is given twice.", *(at or (1, 1)))
        found[key.upper()] = value
    return found

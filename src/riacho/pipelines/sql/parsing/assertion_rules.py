"""ASSERT: from rules of assertions.lark to values."""

from __future__ import annotations

from lark import Token, Transformer, v_args

from riacho.pipelines.sql.parsing.definition_rules import upper_keys
from riacho.pipelines.sql.parsing.literals import Name
from riacho.pipelines.sql.parsing.shared_rules import text_of
from riacho.pipelines.sql.syntax.expressions import Expression
from riacho.pipelines.sql.syntax.statements import (
    AssertSchema,
    AssertSource,
    AssertTopic,
    AssertValues,
    ColumnDefinition,
    CreateSource,
    Duration,
    Kind,
    Properties,
)


@v_args(inline=True)
class AssertionRules(Transformer[Token, object]):
    def assert_topic(
        self, absent: bool | None, topic: Name | str, properties: Properties | None, timeout: Duration | None
    ) -> AssertTopic:
        return AssertTopic(text_of(topic), upper_keys(properties), not absent, timeout)

    def assert_schema(
        self, absent: bool | None, subject: Name | str | None, schema_id: int | None, timeout: Duration | None
    ) -> AssertSchema:
        return AssertSchema(None if subject is None else text_of(subject), schema_id, not absent, timeout)

    def assert_values(
        self, target: Name, columns: tuple[Name, ...] | None, values: tuple[Expression, ...]
    ) -> AssertValues:
        return AssertValues(target.text, tuple(each.text for each in columns or ()), values)

    def assert_null_values(
        self, _null: Token, target: Name, columns: tuple[Name, ...] | None, values: tuple[Expression, ...]
    ) -> AssertValues:
        return AssertValues(target.text, tuple(each.text for each in columns or ()), values, is_tombstone=True)

    def assert_source(
        self, kind: Kind, name: Name, columns: tuple[ColumnDefinition, ...] | None, properties: Properties | None
    ) -> AssertSource:
        return AssertSource(CreateSource(kind, name.text, columns or (), upper_keys(properties)))

"""SHOW, DESCRIBE, EXPLAIN, PRINT: from rules of questions.lark to values."""

from __future__ import annotations

from lark import Token, Transformer, v_args

from riacho.pipelines.sql.parsing.literals import Name
from riacho.pipelines.sql.parsing.shared_rules import text_of
from riacho.pipelines.sql.syntax.statements import (
    Describe,
    DescribeAll,
    DescribeConnector,
    DescribeFunction,
    Explain,
    Kind,
    Listed,
    PrintTopic,
    Show,
    Statement,
)


@v_args(inline=True)
class QuestionRules(Transformer[Token, object]):
    def show(self, shown: Show) -> Show:
        return shown

    def show_streams(self, extended: bool | None) -> Show:
        return Show(Listed.STREAMS, bool(extended))

    def show_tables(self, extended: bool | None) -> Show:
        return Show(Listed.TABLES, bool(extended))

    def show_topics(self, extended: bool | None) -> Show:
        return Show(Listed.TOPICS, bool(extended))

    def show_all_topics(self, extended: bool | None) -> Show:
        return Show(Listed.TOPICS, bool(extended), show_all=True)

    def show_queries(self, extended: bool | None) -> Show:
        return Show(Listed.QUERIES, bool(extended))

    def show_functions(self) -> Show:
        return Show(Listed.FUNCTIONS)

    def show_properties(self) -> Show:
        return Show(Listed.PROPERTIES)

    def show_types(self) -> Show:
        return Show(Listed.TYPES)

    def show_variables(self) -> Show:
        return Show(Listed.VARIABLES)

    def show_connectors(self) -> Show:
        return Show(Listed.CONNECTORS)

    def show_source_connectors(self) -> Show:
        return Show(Listed.SOURCE_CONNECTORS)

    def show_sink_connectors(self) -> Show:
        return Show(Listed.SINK_CONNECTORS)

    def show_connector_plugins(self) -> Show:
        return Show(Listed.CONNECTOR_PLUGINS)

    def describe(self, name: Name, extended: bool | None) -> Describe:
        return Describe(name.text, bool(extended))

    def describe_extended(self, name: Name) -> Describe:
        return Describe(name.text, is_extended=True)

    def describe_streams(self, extended: bool | None) -> DescribeAll:
        return DescribeAll(Kind.STREAM, bool(extended))

    def describe_tables(self, extended: bool | None) -> DescribeAll:
        return DescribeAll(Kind.TABLE, bool(extended))

    def describe_function(self, name: Name) -> DescribeFunction:
        return DescribeFunction(name.text)

    def describe_connector(self, name: Name | str) -> DescribeConnector:
        return DescribeConnector(text_of(name))

    def explain_query(self, query_id: Name | str) -> Explain:
        return Explain(query_id=text_of(query_id))

    def explain_statement(self, statement: Statement) -> Explain:
        return Explain(statement=statement)

    def print_topic(
        self, topic: Name | str, from_beginning: bool | None, interval: int | None, limit: int | None
    ) -> PrintTopic:
        return PrintTopic(text_of(topic), bool(from_beginning), interval, limit)

"""SHOW, DESCRIBE, EXPLAIN, PRINT, what steers queries and sessions, and ASSERT as text."""

from __future__ import annotations

from typing import TypeAlias, assert_never

from riacho.pipelines.sql.printing.definitions import names_text, properties_text, source_text, values_text
from riacho.pipelines.sql.printing.names import identifier_text, string_text
from riacho.pipelines.sql.printing.queries import duration_text
from riacho.pipelines.sql.syntax import statements as syntax
from riacho.pipelines.sql.syntax.statements import Duration

Question: TypeAlias = (
    syntax.Show
    | syntax.Describe
    | syntax.DescribeAll
    | syntax.DescribeFunction
    | syntax.DescribeConnector
    | syntax.PrintTopic
)
Control: TypeAlias = (
    syntax.Terminate
    | syntax.Pause
    | syntax.Resume
    | syntax.SetProperty
    | syntax.UnsetProperty
    | syntax.AlterSystem
    | syntax.DefineVariable
    | syntax.UndefineVariable
    | syntax.RunScript
)
Assertion: TypeAlias = syntax.AssertTopic | syntax.AssertSchema | syntax.AssertValues | syntax.AssertSource


def question_text(statement: Question) -> str:
    match statement:
        case syntax.Show(what, is_extended, show_all):
            return f"SHOW {'ALL ' * show_all}{what.value}{_extended(is_extended)}"
        case syntax.Describe(name, is_extended):
            return f"DESCRIBE {identifier_text(name)}{_extended(is_extended)}"
        case syntax.DescribeAll(kind, is_extended):
            return f"DESCRIBE {kind.value}S{_extended(is_extended)}"
        case syntax.DescribeFunction(name):
            return f"DESCRIBE FUNCTION {identifier_text(name)}"
        case syntax.DescribeConnector(name):
            return f"DESCRIBE CONNECTOR {identifier_text(name)}"
        case syntax.PrintTopic(topic, from_beginning, interval, limit):
            sampled = "" if interval is None else f" INTERVAL {interval}"
            limited = "" if limit is None else f" LIMIT {limit}"
            return f"PRINT {string_text(topic)}{' FROM BEGINNING' * from_beginning}{sampled}{limited}"
        case _:
            assert_never(statement)


def control_text(statement: Control) -> str:
    match statement:
        case syntax.Terminate(query_id):
            return f"TERMINATE {_query(query_id)}"
        case syntax.Pause(query_id):
            return f"PAUSE {_query(query_id)}"
        case syntax.Resume(query_id):
            return f"RESUME {_query(query_id)}"
        case syntax.SetProperty(name, value):
            return f"SET {string_text(name)}={string_text(value)}"
        case syntax.UnsetProperty(name):
            return f"UNSET {string_text(name)}"
        case syntax.AlterSystem(name, value):
            return f"ALTER SYSTEM {string_text(name)}={string_text(value)}"
        case syntax.DefineVariable(name, value):
            return f"DEFINE {name}={string_text(value)}"
        case syntax.UndefineVariable(name):
            return f"UNDEFINE {name}"
        case syntax.RunScript(path):
            return f"RUN SCRIPT {string_text(path)}"
        case _:
            assert_never(statement)


def assertion_text(statement: Assertion) -> str:
    match statement:
        case syntax.AssertTopic(topic, properties, exists, timeout):
            given = properties_text(properties)
            return f"ASSERT {_absent(exists)}TOPIC {string_text(topic)}{given}{_timeout(timeout)}"
        case syntax.AssertSchema(subject, schema_id, exists, timeout):
            named = "" if subject is None else f" SUBJECT {string_text(subject)}"
            numbered = "" if schema_id is None else f" ID {schema_id}"
            return f"ASSERT {_absent(exists)}SCHEMA{named}{numbered}{_timeout(timeout)}"
        case syntax.AssertValues(target, names, values, is_tombstone):
            first, second = ("NULL VALUES", "KEY") if is_tombstone else ("VALUES", "VALUES")
            return f"ASSERT {first} {identifier_text(target)}{names_text(names)} {second} {values_text(values)}"
        case syntax.AssertSource(source):
            return f"ASSERT {source.kind.value} {source_text(source)}"
        case _:
            assert_never(statement)


def _extended(is_extended: bool) -> str:
    return " EXTENDED" * is_extended


def _query(query_id: str | None) -> str:
    return "ALL" if query_id is None else identifier_text(query_id)


def _absent(exists: bool) -> str:
    return "" if exists else "NOT EXISTS "


def _timeout(timeout: Duration | None) -> str:
    return "" if timeout is None else f" TIMEOUT {duration_text(timeout)}"

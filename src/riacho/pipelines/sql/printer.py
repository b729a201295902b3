"""The canonical text of statements and expressions: what is parsed again is equal to what was printed.

In the form of ksqlDB: words in upper case, operators in parentheses, `(A + 1)`, back-ticks where an identifier needs
them. It is what EXPLAIN shows, what sentences repeat, and what columns without a name are called after.
"""

from __future__ import annotations

from riacho.pipelines.sql.printing.definitions import Definition, definition_text
from riacho.pipelines.sql.printing.expressions import expression_text
from riacho.pipelines.sql.printing.names import identifier_text
from riacho.pipelines.sql.printing.queries import query_text
from riacho.pipelines.sql.printing.requests import (
    Control,
    Question,
    assertion_text,
    control_text,
    question_text,
)
from riacho.pipelines.sql.printing.types import type_text
from riacho.pipelines.sql.syntax.statements import Explain, Query, Statement

__all__ = ["expression_text", "identifier_text", "query_text", "statement_text", "type_text"]


def statement_text(statement: Statement) -> str:
    """With its semicolon."""
    return f"{_text(statement)};"


def _text(statement: Statement) -> str:
    if isinstance(statement, Query):
        return query_text(statement)
    if isinstance(statement, Explain):
        return f"EXPLAIN {_explained(statement)}"
    if isinstance(statement, Definition):
        return definition_text(statement)
    if isinstance(statement, Question):
        return question_text(statement)
    if isinstance(statement, Control):
        return control_text(statement)
    return assertion_text(statement)


def _explained(explain: Explain) -> str:
    if explain.statement is not None:
        return _text(explain.statement)
    assert explain.query_id is not None
    return identifier_text(explain.query_id)

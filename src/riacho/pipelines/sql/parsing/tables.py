"""The parser: made of the grammar when the first statement comes, once a process."""

from __future__ import annotations

from functools import cache
from importlib import resources

from lark import Lark

from riacho.pipelines.sql.parsing.assertion_rules import AssertionRules
from riacho.pipelines.sql.parsing.control_rules import ControlRules
from riacho.pipelines.sql.parsing.definition_rules import DefinitionRules, RowRules
from riacho.pipelines.sql.parsing.expression_rules import LiteralRules, OperatorRules, PrimaryRules
from riacho.pipelines.sql.parsing.keywords import TERMINAL_OF
from riacho.pipelines.sql.parsing.lexer import KsqlLexer
from riacho.pipelines.sql.parsing.query_rules import QueryRules
from riacho.pipelines.sql.parsing.question_rules import QuestionRules
from riacho.pipelines.sql.parsing.scanner import SIGN_TERMINALS
from riacho.pipelines.sql.parsing.shared_rules import SharedRules
from riacho.pipelines.sql.parsing.type_rules import TypeRules

_FILES = ("statements", "expressions", "queries", "definitions", "questions", "control", "assertions")
_VALUES = ("NAME", "QUOTED", "STRING", "INTEGER", "DECIMAL", "FLOAT", "UNIT", "_LAMBDA_OPEN", "_NOTHING")


class _Rules(
    SharedRules,
    LiteralRules,
    OperatorRules,
    PrimaryRules,
    TypeRules,
    QueryRules,
    DefinitionRules,
    RowRules,
    QuestionRules,
    ControlRules,
    AssertionRules,
):
    pass


@cache
def parser() -> Lark:
    folder = resources.files("riacho.pipelines.sql") / "grammar"
    texts = [(folder / f"{name}.lark").read_text(encoding="utf-8") for name in _FILES]
    declared = " ".join(sorted({*TERMINAL_OF.values(), *SIGN_TERMINALS, *_VALUES}))
    return Lark(
        "\n".join([*texts, f"%declare {declared}\n"]),
        parser="lalr",
        lexer=KsqlLexer,
        transformer=_Rules(),
        start=["statement", "expression", "type"],
    )

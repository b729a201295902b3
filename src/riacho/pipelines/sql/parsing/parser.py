"""Text to statements.

    for parsed in parse_script("CREATE STREAM s (id INT KEY) WITH (...); SELECT * FROM s EMIT CHANGES;"):
        parsed.statement, parsed.text, parsed.at

Whatever the text is, the answer is a value or a ParseError that says where and why. A text is cut into statements first
(`scanner.py`), so that each has its own text; `lexer.py` says what a word means where it stands; the grammar is in
`grammar/`, and rules become values in the modules of their families (`*_rules.py`).
"""

from __future__ import annotations

from typing import Any, cast

from lark import UnexpectedToken

from riacho.pipelines.sql.errors import ParseError
from riacho.pipelines.sql.parsing.refusals import refusal, unterminated
from riacho.pipelines.sql.parsing.scanner import Words, statements
from riacho.pipelines.sql.parsing.tables import parser
from riacho.pipelines.sql.parsing.trees import checked
from riacho.pipelines.sql.syntax.expressions import Expression, TypeName
from riacho.pipelines.sql.syntax.statements import Parsed, Statement


def parse_script(text: str, *, require_terminator: bool = True) -> tuple[Parsed, ...]:
    """All statements of a text, or the error of the first that is none. The last one needs its semicolon too."""
    return tuple(parsed_words(words, require_terminator) for words in statements(text))


def parse_one(text: str, *, require_terminator: bool = False) -> Parsed:
    """The only statement of a text."""
    found = list(statements(text))
    if not found:
        raise ParseError("Syntax Error\nA statement is expected, and there is none.", 1, 1, text)
    if len(found) > 1:
        raise ParseError("Only one statement is expected here; this is the second.", *found[1].at, text)
    return parsed_words(found[0], require_terminator)


def parse_expression(text: str) -> Expression:
    return cast(Expression, _alone(text, "expression"))


def parse_type(text: str) -> TypeName:
    return cast(TypeName, _alone(text, "type"))


def parsed_words(words: Words, require_terminator: bool) -> Parsed:
    """A statement that was cut out of its text."""
    if not words.tokens:
        raise ParseError(
            f"Syntax Error\nSyntax error at or near ';' at line {words.at.line}:{words.at.column}\n"
            "Expecting a statement",
            *words.at,
            words.text,
        )
    statement = cast(Statement, _tree(words, "statement"))
    if require_terminator and not words.is_terminated:
        raise unterminated(words)
    return Parsed(statement, words.text, words.at)


def _alone(text: str, start: str) -> Any:
    found = list(statements(text))
    if len(found) != 1 or found[0].is_terminated:
        raise ParseError(f"Syntax Error\nOne {start} is expected, without a semicolon.", 1, 1, text)
    return _tree(found[0], start)


def _tree(words: Words, start: str) -> Any:
    try:
        return checked(parser().parse(words.tokens, start=start))
    except UnexpectedToken as error:
        raise refusal(error, words) from None
    except ParseError as error:
        error.statement = error.statement or words.text
        raise

"""Scripts with variables: a DEFINE counts for what comes behind it, so each statement is read after those before it."""

from __future__ import annotations

from riacho.pipelines.sql.parsing.parser import parse_one, parsed_words
from riacho.pipelines.sql.parsing.scanner import statements
from riacho.pipelines.sql.parsing.variables import Variables, substituted
from riacho.pipelines.sql.syntax.statements import DefineVariable, Parsed, UndefineVariable


def parse_with_variables(text: str, variables: Variables, *, require_terminator: bool = True) -> tuple[Parsed, ...]:
    """The statements, with values in their texts. What the script defines and undefines is so in `variables` as well;
    a value with a semicolon does not make two statements of one."""
    found = []
    for words in statements(text):
        made = substituted(words.text, variables)
        if made == words.text:
            parsed = parsed_words(words, require_terminator)
        else:
            parsed = parse_one(made, require_terminator=require_terminator)
            parsed = Parsed(parsed.statement, parsed.text, words.at)
        match parsed.statement:
            case DefineVariable(name, value):
                variables.define(name, value)
            case UndefineVariable(name):
                variables.undefine(name)
            case _:
                pass
        found.append(parsed)
    return tuple(found)

"""What is said of a text that is no statement: where, what stood there, and what might have stood there.

In the forms of ksqlDB 0.29 and later: an unknown first word with the nearest known one, a bracket that is missing, a
reserved word in place of a name, few things expected (`Expecting {',', 'FROM'}`), or the place alone.
"""

from __future__ import annotations

from difflib import get_close_matches

from lark import UnexpectedToken

from riacho.base.shortening import shortened
from riacho.pipelines.sql.errors import ParseError
from riacho.pipelines.sql.parsing.foresight import END, stack_before, taken
from riacho.pipelines.sql.parsing.keywords import RESERVED, STATEMENT_WORDS
from riacho.pipelines.sql.parsing.scanner import SIGN_OF, Words

_SHOWN_MAX = 80
_EXPECTED_MAX = 24
# ksqlDB lists what it expects where that is short.
_FEW = 3

_WORDS = {
    "NAME": "an identifier",
    "QUOTED": "an identifier",
    "STRING": "a string",
    "INTEGER": "a whole number",
    "DECIMAL": "a number",
    "FLOAT": "a number",
    "UNIT": "a unit of time",
    "COMPARISON": "a comparison",
    "_LAMBDA_OPEN": "'('",
    "_NOTHING": "'<'",
    "$END": "';'",
}
_GOING_ON = frozenset(
    {"COMPARISON", "_EQ", "_LT", "_GT", "_PLUS", "_MINUS", "_STAR", "_SLASH", "_PERCENT", "_CONCAT", "_ARROW", "_DOT"}
    | {"_LSQB", "_AND", "_OR", "_NOT", "_IS", "_IN", "_LIKE", "_BETWEEN", "_ESCAPE"}
)
_BRACKETS = {"_LPAR": "_RPAR", "_LAMBDA_OPEN": "_RPAR", "_LSQB": "_RSQB"}


def refusal(error: UnexpectedToken, words: Words) -> ParseError:
    token, conf = error.token, error.state.parse_conf
    before = len(words.tokens) if token.type == END else next(i for i, each in enumerate(words.tokens) if each is token)
    names = taken(conf, stack_before(conf, words.tokens[:before]))
    if token.type == END:
        return _unfinished(names, words)
    line, column = token.line or 1, token.column or 1
    shown = shortened(str(token), _SHOWN_MAX)
    expected = _expected(names)
    if token is words.tokens[0] and "_SELECT" in names:
        lines = _unknown_statement(shown)
    elif token.upper() in RESERVED and "NAME" in names and token.type != "QUOTED":
        lines = [
            f'"{shown}" is a reserved keyword and it can\'t be used as an identifier. '
            f"You can use it as an identifier by escaping it as '{shown}' "
        ]
        return ParseError("\n".join(lines), line, column, words.text)
    elif len(expected) <= _FEW:
        lines = [f"Expecting {_braced(expected)}", f"mismatched input '{shown}' expecting {_braced(expected)}"]
    else:
        lines = [f"Syntax error at or near '{shown}' at line {line}:{column}", f"Expecting {_listed(expected)}"]
    return ParseError("\n".join(["Syntax Error", *lines]), line, column, words.text)


def unterminated(words: Words) -> ParseError:
    return ParseError("Syntax Error\nExpecting ';'\nmismatched input '<EOF>' expecting ';'", *words.end, words.text)


def _unfinished(names: list[str], words: Words) -> ParseError:
    open_bracket = _open_bracket(words)
    if open_bracket is not None and _BRACKETS[open_bracket] in names:
        lines = ['Syntax error at or near ";"', "'}', ']', or ')' is missing", f"Expecting {_listed(_expected(names))}"]
    else:
        lines = [f"Syntax error at or near ';' at line {words.end.line}:{words.end.column}"]
        lines.append(f"Expecting {_listed(_expected(names))}")
    return ParseError("\n".join(["Syntax Error", *lines]), *words.end, words.text)


def _open_bracket(words: Words) -> str | None:
    opened: list[str] = []
    for token in words.tokens:
        if token.type in _BRACKETS:
            opened.append(token.type)
        elif opened and token.type == _BRACKETS[opened[-1]]:
            opened.pop()
    return opened[-1] if opened else None


def _unknown_statement(word: str) -> list[str]:
    near = get_close_matches(word.upper(), STATEMENT_WORDS, n=1, cutoff=0.5)
    known = [f"'{each}'" for each in STATEMENT_WORDS]
    return [f"Unknown statement '{word}'", f"Did you mean '{near[0]}'?" if near else f"Expecting {_listed(known)}"]


def _expected(names: list[str]) -> list[str]:
    """In words; how an expression might go on only where nothing else could come."""
    if "_SLASH" in names:
        # An expression is complete here: a parenthesis would only make a function of its last name.
        names = [name for name in names if name not in _GOING_ON and name != "_LPAR"] or names
    return list(dict.fromkeys(sorted((_word(name) for name in names), key=_rank)))


def _rank(word: str) -> tuple[int, str]:
    """Names first, then signs, then words."""
    return (0 if not word.startswith("'") else 1 if not word[1].isalpha() else 2), word


def _word(terminal: str) -> str:
    known = _WORDS.get(terminal)
    if known is not None:
        return known
    return f"'{SIGN_OF.get(terminal) or terminal.lstrip('_')}'"


def _braced(expected: list[str]) -> str:
    return expected[0] if len(expected) == 1 else "{" + ", ".join(expected) + "}"


def _listed(expected: list[str]) -> str:
    if len(expected) > _EXPECTED_MAX:
        return ", ".join(expected[:_EXPECTED_MAX]) + " or others"
    return " or ".join([", ".join(expected[:-1]), expected[-1]] if len(expected) > 1 else expected)

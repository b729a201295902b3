"""Functions of regular expressions, which are Java's, as Spark's are.

A pattern comes from whoever wrote the statement, or from a column: one that backtracks for ever holds its Spark task,
as it would hold ksqlDB's thread; the server does not evaluate it. What Java does not take as a pattern gives null.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from riacho.pipelines.sql.expressions.binding import let
from riacho.pipelines.sql.functions.function import Argument, Example, Function, Parameter, Signature
from riacho.pipelines.sql.functions.scalar.plain_regexes import is_plain_replacement, plain_regex
from riacho.pipelines.sql.row_json import sql_string
from riacho.pipelines.sql.types import INTEGER, STRING, Array

CATEGORY = "REGULAR EXPRESSION"
_PATTERN = Parameter("pattern", STRING, "A regular expression of Java.")
_INPUT = Parameter("input", STRING)
_GROUP = Parameter("group", INTEGER, "The number of a group; 0 is all that matched.")
# Where groups open, in a pattern without its escapes, its quoted parts and its classes.
_NOT_GROUPS = r"\\Q.*?(\\E|$)|\\.|\[\^?\]?[^\]]*\]"
_OPENING = r"\((?!\?)|\(\?<[a-zA-Z]"


def _with_pattern(pattern: Argument, body: Callable[[str, str], str]) -> str:
    """`body` gets the pattern and the number of its groups; both are null where Java does not take the pattern."""
    known = plain_regex(pattern.literal) if isinstance(pattern.literal, str) else None
    if known is not None:
        return body(pattern.text, str(known.groups))
    compiled = f"try_reflect('java.util.regex.Pattern', 'compile', {pattern.text})"
    return let(compiled, lambda text: body(text, _group_count(text)))


def _group_count(pattern: str) -> str:
    bare = f"regexp_replace({pattern}, {sql_string(_NOT_GROUPS)}, '')"
    return f"size(regexp_extract_all({bare}, {sql_string(_OPENING)}, 0))"


def _group(arguments: Sequence[Argument], groups: str) -> str:
    """The number that is asked for, null where there is no such group."""
    if len(arguments) < 3:
        return "0"
    number = arguments[2].text
    return f"IF({number} BETWEEN 0 AND {groups}, {number}, NULL)"


def _extracted(arguments: Sequence[Argument]) -> str:
    def body(pattern: str, groups: str) -> str:
        found = f"regexp_extract({arguments[1].text}, {pattern}, {_group(arguments, groups)})"
        return f"IF({arguments[1].text} RLIKE {pattern}, {found}, NULL)"

    return _with_pattern(arguments[0], body)


def _all_extracted(arguments: Sequence[Argument]) -> str:
    return _with_pattern(
        arguments[0],
        lambda pattern, groups: f"regexp_extract_all({arguments[1].text}, {pattern}, {_group(arguments, groups)})",
    )


def _replaced(arguments: Sequence[Argument]) -> str:
    text, pattern, replacement = arguments
    known = plain_regex(pattern.literal) if isinstance(pattern.literal, str) else None
    if (
        known is not None
        and isinstance(replacement.literal, str)
        and is_plain_replacement(replacement.literal, known.groups)
    ):
        return f"regexp_replace({text.text}, {pattern.text}, {replacement.text})"
    # Java may refuse a replacement too, for a group that there is not.
    replaced = (
        "try_reflect('org.apache.commons.lang3.RegExUtils', 'replaceAll', "
        f"{text.text}, {pattern.text}, {replacement.text})"
    )
    return f"IF({pattern.text} IS NULL OR {replacement.text} IS NULL, NULL, {replaced})"


def _split(arguments: Sequence[Argument]) -> str:
    text, pattern = arguments
    known = plain_regex(pattern.literal) if isinstance(pattern.literal, str) else None
    if known is not None:
        if known.matches_empty and pattern.literal:
            return "CAST(NULL AS ARRAY<STRING>)"
        return f"split({text.text}, {pattern.text}, -1)"

    def body(value: str, _: str) -> str:
        # A pattern that matches nothing at all splits nowhere and everywhere: only the empty one may.
        nowhere = f"{value} <> '' AND '' RLIKE concat('^(?:', {value}, ')$')"
        return f"IF({nowhere}, NULL, split({text.text}, {value}, -1))"

    return _with_pattern(pattern, body)


FUNCTIONS: tuple[Function, ...] = (
    Function(
        "REGEXP_EXTRACT",
        CATEGORY,
        "The first part of a text that matches, or a group of it.",
        (
            Signature((_PATTERN, _INPUT), STRING, _extracted),
            Signature((_PATTERN, _INPUT, _GROUP), STRING, _extracted),
        ),
        (
            Example("REGEXP_EXTRACT('e.*', 'test string')", "est string"),
            Example("REGEXP_EXTRACT('(.*) (.*)', 'hello there', 2)", "there"),
            Example("REGEXP_EXTRACT('(.*) (.*)', 'hello there', 3)", None),
            Example("REGEXP_EXTRACT('tst', 'test string')", None),
            Example("REGEXP_EXTRACT('(open', 'test string')", None),
            Example("REGEXP_EXTRACT('\\p{L}+', '12 ab')", "ab"),
            Example("REGEXP_EXTRACT('.*', CAST(NULL AS STRING))", None),
        ),
    ),
    Function(
        "REGEXP_EXTRACT_ALL",
        CATEGORY,
        "All parts of a text that match, or a group of each.",
        (
            Signature((_PATTERN, _INPUT), Array(STRING), _all_extracted),
            Signature((_PATTERN, _INPUT, _GROUP), Array(STRING), _all_extracted),
        ),
        (
            Example("REGEXP_EXTRACT_ALL('t.', 'test string')", ["te", "t ", "tr"]),
            Example("REGEXP_EXTRACT_ALL('(\\w+) (\\w+)', 'hello there nice day', 2)", ["there", "day"]),
            Example("REGEXP_EXTRACT_ALL('x', 'hello')", []),
            Example("REGEXP_EXTRACT_ALL('(x)', 'hello', 2)", None),
            Example("REGEXP_EXTRACT_ALL('(x', 'hello')", None),
        ),
    ),
    Function(
        "REGEXP_REPLACE",
        CATEGORY,
        "A text with every match replaced; $1 stands for its first group.",
        (
            Signature(
                (Parameter("str", STRING), Parameter("regexp", STRING), Parameter("newStr", STRING)), STRING, _replaced
            ),
        ),
        (
            Example("REGEXP_REPLACE('foobar', 'o+', 'x')", "fxbar"),
            Example("REGEXP_REPLACE('foobar', '(o)(b)', '$2$1')", "foboar"),
            Example("REGEXP_REPLACE('foobar', 'o', '$1')", None),
            Example("REGEXP_REPLACE('foobar', '(', 'x')", None),
            Example("REGEXP_REPLACE('foobar', 'o', CAST(NULL AS STRING))", None),
        ),
    ),
    Function(
        "REGEXP_SPLIT_TO_ARRAY",
        CATEGORY,
        "The parts of a text between matches; its characters where the pattern is empty.",
        (Signature((Parameter("string", STRING), Parameter("regexp", STRING)), Array(STRING), _split),),
        (
            Example("REGEXP_SPLIT_TO_ARRAY('a-b--c-', '-')", ["a", "b", "", "c", ""]),
            Example("REGEXP_SPLIT_TO_ARRAY('abc', '')", ["a", "b", "c"]),
            Example("REGEXP_SPLIT_TO_ARRAY('abc', 'x')", ["abc"]),
            Example("REGEXP_SPLIT_TO_ARRAY('abc', 'x*')", None),
            Example("REGEXP_SPLIT_TO_ARRAY('a1b22c', '[[:digit:]')", None),
            Example("REGEXP_SPLIT_TO_ARRAY(CAST(NULL AS STRING), 'x')", None),
        ),
    ),
)

"""Strings and bytes into their parts: SPLIT and SPLIT_TO_MAP. Delimiters are texts, not patterns."""

from __future__ import annotations

import re
from collections.abc import Sequence

from riacho.pipelines.sql.expressions.binding import let_all
from riacho.pipelines.sql.functions.function import Argument, Example, Function
from riacho.pipelines.sql.functions.signatures import signature
from riacho.pipelines.sql.row_json import sql_string
from riacho.pipelines.sql.types import BYTES, STRING, Array, Map

_SPECIAL = re.compile(r"([\\^$.|?*+()\[\]{}])")


def _quoted(argument: Argument) -> str:
    """A pattern that matches the delimiter and nothing else."""
    if isinstance(argument.literal, str):
        return sql_string(_SPECIAL.sub(r"\\\1", argument.literal))
    return _quoted_text(argument.text)


def _quoted_text(text: str) -> str:
    return f"regexp_replace({text}, {sql_string(_SPECIAL.pattern)}, {sql_string(chr(92) * 2 + '$1')})"


def _split(arguments: Sequence[Argument]) -> str:
    return f"split({arguments[0].text}, {_quoted(arguments[1])})"


def _split_bytes(arguments: Sequence[Argument]) -> str:
    """By way of Latin-1, which has a character for every byte."""
    text, delimiter = (f"decode({argument.text}, 'ISO-8859-1')" for argument in arguments)
    return f"transform(split({text}, {_quoted_text(delimiter)}), _p -> encode(_p, 'ISO-8859-1'))"


def _split_to_map(arguments: Sequence[Argument]) -> str:
    """Entries without a delimiter between key and value are left out; of equal keys the last counts."""
    entries = f"split({arguments[0].text}, {_quoted(arguments[1])})"
    pattern = _quoted(arguments[2])

    def entry(inner: str) -> str:
        pairs = f"filter(transform({entries}, _e -> split(_e, {pattern})), _p -> size(_p) > 1)"
        made = f"map_from_entries(transform({pairs}, _p -> named_struct('key', _p[0], 'value', _p[1])))"
        return f"IF(length({arguments[1].text}) > 0 AND length({inner}) > 0, {made}, NULL)"

    return let_all((arguments[2].text,), entry)


FUNCTIONS: tuple[Function, ...] = (
    Function(
        "SPLIT",
        "STRING",
        "The parts of a string, or of bytes, between delimiters; every character where the delimiter is empty.",
        (
            signature([("string", STRING), ("delimiter", STRING)], Array(STRING), _split),
            signature([("bytes", BYTES), ("delimiter", BYTES)], Array(BYTES), _split_bytes),
        ),
        (
            Example("SPLIT('a,b,c', ',')", ["a", "b", "c"]),
            Example("SPLIT('a.b', '.')", ["a", "b"]),
            Example("SPLIT(',a,,', ',')", ["", "a", "", ""]),
            Example("SPLIT('abc', '')", ["a", "b", "c"]),
            Example("SPLIT('abc', 'x')", ["abc"]),
            Example("SPLIT('', ',')", [""]),
            Example("SPLIT(CAST(NULL AS STRING), ',')", None),
            Example("SPLIT(TO_BYTES('a.b', 'utf8'), TO_BYTES('.', 'utf8'))", ["YQ==", "Yg=="]),
        ),
    ),
    Function(
        "SPLIT_TO_MAP",
        "STRING",
        "The map that a string of entries is, with one delimiter between entries and one between key and value.",
        (
            signature(
                [("input", STRING), ("entryDelimiter", STRING), ("kvDelimiter", STRING)],
                Map(STRING, STRING),
                _split_to_map,
            ),
        ),
        (
            Example("SPLIT_TO_MAP('apple:=green/cherry:=red', '/', ':=')", {"apple": "green", "cherry": "red"}),
            Example("SPLIT_TO_MAP('a=1;b;a=2', ';', '=')", {"a": "2"}),
            Example("SPLIT_TO_MAP('a=1', '', '=')", None),
            Example("SPLIT_TO_MAP('a=1', ';', CAST(NULL AS STRING))", None),
            Example("SPLIT_TO_MAP(CAST(NULL AS STRING), ';', '=')", None),
        ),
    ),
)

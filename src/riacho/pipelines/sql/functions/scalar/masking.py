"""MASK and its kin: strings whose letters and digits are hidden.

Four characters stand for capital letters, small letters, digits and all others; null leaves a kind as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from riacho.pipelines.sql.expressions.binding import let_all
from riacho.pipelines.sql.functions.function import Argument, Example, Function, Signature
from riacho.pipelines.sql.functions.signatures import signature
from riacho.pipelines.sql.row_json import sql_string
from riacho.pipelines.sql.types import INTEGER, STRING

CATEGORY = "STRING"

_UPPER, _LOWER, _DIGIT = (sql_string(f"^\\p{{{kind}}}$") for kind in ("Lu", "Ll", "Nd"))
_DEFAULTS = ("'X'", "'x'", "'n'", "'-'")
_MASKS = [("upper", STRING), ("lower", STRING), ("digit", STRING), ("other", STRING)]


_NULL = "CAST(NULL AS STRING)"


def _characters(arguments: Sequence[Argument]) -> tuple[str, ...]:
    """Of a longer mask the first character counts; an empty one masks nothing."""
    return tuple(_character(argument) for argument in arguments) or _DEFAULTS


def _character(argument: Argument) -> str:
    if isinstance(argument.literal, str):
        return sql_string(argument.literal[0]) if argument.literal else _NULL
    return argument.text if argument.text == _NULL else f"nullif(substring({argument.text}, 1, 1), '')"


def _masked(text: str, masks: tuple[str, ...]) -> str:
    """Spark's own function takes constants; with columns every character is looked at."""
    if all(mask.startswith("'") or mask == _NULL for mask in masks):
        return f"mask({text}, {', '.join(masks)})"
    upper, lower, digit, other = (f"coalesce({mask}, _m)" for mask in masks)
    kinds = (
        f"CASE WHEN _m = '' THEN _m WHEN _m RLIKE {_UPPER} THEN {upper} WHEN _m RLIKE {_LOWER} THEN {lower} "
        f"WHEN _m RLIKE {_DIGIT} THEN {digit} ELSE {other} END"
    )
    return f"array_join(transform(split({text}, ''), _m -> {kinds}), '')"


def _mask(arguments: Sequence[Argument]) -> str:
    return _masked(arguments[0].text, _characters(arguments[1:]))


Build = Callable[[str, str, Callable[[str], str]], str]
"""From a text, a number of characters and the mask of a part."""


def _partly(build: Build) -> tuple[Signature, ...]:
    def make(arguments: Sequence[Argument]) -> str:
        masks = _characters(arguments[2:])

        def partly(text: str, count: str) -> str:
            # A negative number of characters is an error.
            return f"IF({count} >= 0, {build(text, count, lambda part: _masked(part, masks))}, NULL)"

        return let_all((arguments[0].text, arguments[1].text), partly)

    plain = [("input", STRING), ("numChars", INTEGER)]
    return signature(plain, STRING, make), signature([*plain, *_MASKS], STRING, make)


def _first(text: str, count: str) -> str:
    return f"substring({text}, 1, {count})"


def _after(text: str, count: str) -> str:
    return f"substring({text}, {count} + 1)"


def _rest(text: str, count: str) -> str:
    """How many characters stand before the last ones."""
    return f"greatest(length({text}) - {count}, 0)"


FUNCTIONS: tuple[Function, ...] = (
    Function(
        "MASK",
        CATEGORY,
        "A string in which every character is hidden.",
        (signature([("input", STRING)], STRING, _mask), signature([("input", STRING), *_MASKS], STRING, _mask)),
        (
            Example("MASK('My Test $123')", "Xx-Xxxx--nnn"),
            Example("MASK('My Test $123', '*', CAST(NULL AS STRING), '1', CAST(NULL AS STRING))", "*y *est $111"),
            Example("MASK('My Test $123', '*', NULL, '1', NULL)", "*y *est $111"),
            Example("MASK(CAST(NULL AS STRING))", None),
            Example("MASK('')", ""),
            Example("MASK('Ab1-', '', 'yz', LCASE('N'), LCASE(''))", "Ayn-"),
        ),
    ),
    Function(
        "MASK_KEEP_LEFT",
        CATEGORY,
        "A string in which all but the first characters are hidden.",
        _partly(lambda text, count, masked: f"concat({_first(text, count)}, {masked(_after(text, count))})"),
        (
            Example("MASK_KEEP_LEFT('My Test $123', 4)", "My Txxx--nnn"),
            Example("MASK_KEEP_LEFT('My Test $123', 20)", "My Test $123"),
            Example("MASK_KEEP_LEFT('My Test $123', 0)", "Xx-Xxxx--nnn"),
            Example("MASK_KEEP_LEFT('My Test $123', -1)", None),
            Example("MASK_KEEP_LEFT('My Test $123', 4, '*', '*', '*', '*')", "My T********"),
        ),
    ),
    Function(
        "MASK_KEEP_RIGHT",
        CATEGORY,
        "A string in which all but the last characters are hidden.",
        _partly(
            lambda text, count, masked: (
                f"concat({masked(_first(text, _rest(text, count)))}, {_after(text, _rest(text, count))})"
            )
        ),
        (
            Example("MASK_KEEP_RIGHT('My Test $123', 4)", "Xx-Xxxx-$123"),
            Example("MASK_KEEP_RIGHT('My Test $123', 20)", "My Test $123"),
            Example("MASK_KEEP_RIGHT('My Test $123', -1)", None),
        ),
    ),
    Function(
        "MASK_LEFT",
        CATEGORY,
        "A string in which the first characters are hidden.",
        _partly(lambda text, count, masked: f"concat({masked(_first(text, count))}, {_after(text, count)})"),
        (
            Example("MASK_LEFT('My Test $123', 4)", "Xx-Xest $123"),
            Example("MASK_LEFT('My Test $123', 20)", "Xx-Xxxx--nnn"),
            Example("MASK_LEFT('My Test $123', -1)", None),
        ),
    ),
    Function(
        "MASK_RIGHT",
        CATEGORY,
        "A string in which the last characters are hidden.",
        _partly(
            lambda text, count, masked: (
                f"concat({_first(text, _rest(text, count))}, {masked(_after(text, _rest(text, count)))})"
            )
        ),
        (
            Example("MASK_RIGHT('My Test $123', 4)", "My Test -nnn"),
            Example("MASK_RIGHT('My Test $123', 0)", "My Test $123"),
            Example("MASK_RIGHT(CAST(NULL AS STRING), 4)", None),
        ),
    ),
)

"""Functions of strings: characters, concatenation, case and replacement."""

from __future__ import annotations

from collections.abc import Sequence

from riacho.pipelines.sql.expressions.binding import let_all
from riacho.pipelines.sql.functions.function import Argument, Example, Function
from riacho.pipelines.sql.functions.signatures import signature
from riacho.pipelines.sql.row_json import sql_string
from riacho.pipelines.sql.types import BYTES, INTEGER, STRING

CATEGORY = "STRING"

_ESCAPED = r"^(\\u[0-9a-fA-F]{4}){1,2}$"


def _chr_of_code(arguments: Sequence[Argument]) -> str:
    """Surrogates are no characters of their own."""

    def character(code: str) -> str:
        is_character = f"({code} BETWEEN 0 AND 55295 OR {code} BETWEEN 57344 AND 1114111)"
        return f"IF({is_character}, decode(unhex(lpad(hex({code}), 8, '0')), 'UTF-32'), NULL)"

    return let_all((arguments[0].text,), character)


def _chr_of_escape(arguments: Sequence[Argument]) -> str:
    def character(text: str) -> str:
        units = f"unhex(replace({text}, {sql_string(chr(92) + 'u')}, ''))"
        return f"IF({text} RLIKE {sql_string(_ESCAPED)}, decode({units}, 'UTF-16BE'), NULL)"

    return let_all((arguments[0].text,), character)


def _concat(arguments: Sequence[Argument]) -> str:
    return "concat(" + ", ".join(f"coalesce({argument.text}, '')" for argument in arguments) + ")"


def _concat_bytes(arguments: Sequence[Argument]) -> str:
    return "concat(" + ", ".join(f"coalesce({argument.text}, X'')" for argument in arguments) + ")"


def _joined_bytes(arguments: Sequence[Argument]) -> str:
    """Latin-1 has a character for every byte, so texts of it are joined and nothing is lost."""
    separator, *parts = (f"decode({argument.text}, 'ISO-8859-1')" for argument in arguments)
    return f"encode(concat_ws({', '.join((separator, *parts))}), 'ISO-8859-1')"


def _uuid_of_bytes(arguments: Sequence[Argument]) -> str:
    def uuid(data: str) -> str:
        groups = f"regexp_replace(lower(hex({data})), '^(.{{8}})(.{{4}})(.{{4}})(.{{4}})(.{{12}})$', '$1-$2-$3-$4-$5')"
        return f"IF(length({data}) = 16, {groups}, NULL)"

    return let_all((arguments[0].text,), uuid)


FUNCTIONS: tuple[Function, ...] = (
    Function(
        "CHR",
        CATEGORY,
        "The character of a code point, given as a number or as an escape such as \\u0041.",
        (
            signature([("decimalCode", INTEGER)], STRING, _chr_of_code),
            signature([("utf16Code", STRING)], STRING, _chr_of_escape),
        ),
        (
            Example("CHR(75)", "K"),
            Example("CHR('\\u004b')", "K"),
            Example("CHR(22909)", "好"),
            Example("CHR('\\u597d')", "好"),
            Example("CHR(128512)", "😀"),
            Example("CHR('\\uD83D\\uDE00')", "😀"),
            Example("CHR(-1)", None),
            Example("CHR(1114112)", None),
            Example("CHR('K')", None),
        ),
    ),
    Function(
        "CONCAT",
        CATEGORY,
        "Strings, or bytes, one after the other; a null adds nothing.",
        (
            signature([("inputs", STRING)], STRING, _concat, is_variadic=True),
            signature([("inputs", BYTES)], BYTES, _concat_bytes, is_variadic=True),
        ),
        (
            Example("CONCAT('a', 'b', 'c')", "abc"),
            Example("CONCAT('a', CAST(NULL AS STRING), 'c')", "ac"),
            Example("CONCAT(TO_BYTES('ab', 'utf8'), TO_BYTES('c', 'utf8'))", "YWJj"),
        ),
    ),
    Function(
        "CONCAT_WS",
        CATEGORY,
        "Strings, or bytes, with a separator between them; nulls are left out.",
        (
            signature([("separator", STRING), ("inputs", STRING)], STRING, "concat_ws({*})", is_variadic=True),
            signature([("separator", BYTES), ("inputs", BYTES)], BYTES, _joined_bytes, is_variadic=True),
        ),
        (
            Example("CONCAT_WS(', ', 'apple', 'banana', CAST(NULL AS STRING), 'date')", "apple, banana, date"),
            Example("CONCAT_WS(CAST(NULL AS STRING), 'a', 'b')", None),
            Example("CONCAT_WS(TO_BYTES('-', 'utf8'), TO_BYTES('a', 'utf8'), TO_BYTES('b', 'utf8'))", "YS1i"),
        ),
    ),
    Function(
        "INITCAP",
        CATEGORY,
        "Every word begins with a capital letter, and goes on in small ones.",
        (
            signature(
                [("str", STRING)],
                STRING,
                "array_join(transform(split(lower({0}), " + sql_string(r"(?<=\s)") + "), "
                "_w -> concat(upper(substring(_w, 1, 1)), substring(_w, 2))), '')",
            ),
        ),
        (
            Example("INITCAP('the Quick  BROWN')", "The Quick  Brown"),
            Example("INITCAP('tab\tand\nline')", "Tab\tAnd\nLine"),
            Example("INITCAP('')", ""),
            Example("INITCAP(CAST(NULL AS STRING))", None),
        ),
    ),
    Function(
        "LCASE",
        CATEGORY,
        "Small letters.",
        (signature([("input", STRING)], STRING, "lower({0})"),),
        (Example("LCASE('FooBar')", "foobar"), Example("LCASE(CAST(NULL AS STRING))", None)),
    ),
    Function(
        "UCASE",
        CATEGORY,
        "Capital letters.",
        (signature([("input", STRING)], STRING, "upper({0})"),),
        (Example("UCASE('FooBar')", "FOOBAR"), Example("UCASE('')", "")),
    ),
    Function(
        "REPLACE",
        CATEGORY,
        "A string with every occurrence of a part replaced by another.",
        (signature([("str", STRING), ("oldStr", STRING), ("newStr", STRING)], STRING, "replace({0}, {1}, {2})"),),
        (
            Example("REPLACE('foobar', 'foo', 'bar')", "barbar"),
            Example("REPLACE('foobar', 'fooo', 'bar')", "foobar"),
            Example("REPLACE('foobar', 'o', '')", "fbar"),
            Example("REPLACE('foobar', CAST(NULL AS STRING), 'bar')", None),
        ),
    ),
    Function(
        "TRIM",
        CATEGORY,
        "Without spaces and control characters at both ends.",
        (
            signature(
                [("input", STRING)],
                STRING,
                "regexp_replace({0}, " + sql_string(r"^[\x00-\x20]+|[\x00-\x20]+$") + ", '')",
            ),
        ),
        (Example("TRIM('  foo bar ')", "foo bar"), Example("TRIM(CAST(NULL AS STRING))", None)),
    ),
    Function(
        "UUID",
        CATEGORY,
        "A random UUID; of 16 bytes, the UUID that they are.",
        (
            signature([], STRING, "uuid()"),
            signature(
                [("bytes", BYTES)],
                STRING,
                _uuid_of_bytes,
            ),
        ),
        (
            Example("LEN(UUID())", 36),
            Example(
                "UUID(TO_BYTES('237E9877E79B12D4A765321741963000', 'hex'))", "237e9877-e79b-12d4-a765-321741963000"
            ),
            Example("UUID(TO_BYTES('23', 'hex'))", None),
        ),
    ),
)

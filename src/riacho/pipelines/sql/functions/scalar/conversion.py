"""Values as other values: bytes as texts and back, texts in other encodings, keys as values."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from riacho.pipelines.sql.expressions.binding import let, let_all
from riacho.pipelines.sql.functions.function import Any, Argument, Example, Function
from riacho.pipelines.sql.functions.signatures import signature
from riacho.pipelines.sql.row_json import sql_string
from riacho.pipelines.sql.types import BYTES, STRING

_HEX = "^([0-9a-fA-F]{2})*$"
_PREFIXED = "^(?:0x(.*)|[xX]'(.*)')$"
_NOT_ASCII = r"[^\x00-\x7F]"


def _bytes_of(encoding: str, text: str) -> str:
    """The bytes that a text in an encoding stands for; null where it stands for none."""
    match encoding:
        case "hex":
            return let(text, lambda x: f"IF({x} RLIKE {sql_string(_HEX)}, unhex({x}), NULL)")
        case "base64":
            return f"try_to_binary({text}, 'base64')"
        case "ascii":
            return f"CAST(regexp_replace({text}, {sql_string(_NOT_ASCII)}, '?') AS BINARY)"
        case _:
            return f"CAST({text} AS BINARY)"


def _text_of(encoding: str, data: str) -> str:
    match encoding:
        case "hex":
            return f"hex({data})"
        case "base64":
            return f"replace(base64({data}), {sql_string(chr(13) + chr(10))}, '')"
        case "ascii":
            # A byte above 127 is no ASCII: each becomes the replacement character.
            return f"regexp_replace(decode({data}, 'ISO-8859-1'), {sql_string(_NOT_ASCII)}, {sql_string(chr(0xFFFD))})"
        case _:
            return f"CAST({data} AS STRING)"


_ENCODINGS = ("hex", "utf8", "ascii", "base64")
Convert = Callable[[str, str], str]


def _by_encoding(convert: Convert) -> Callable[[Sequence[Argument]], str]:
    """An encoding that is a literal is known beforehand; one that nobody knows gives null."""

    def make(arguments: Sequence[Argument]) -> str:
        value, encoding = arguments
        if isinstance(encoding.literal, str):
            known = encoding.literal.lower()
            return convert(known, value.text) if known in _ENCODINGS else "NULL"
        return let(
            value.text,
            lambda x: (
                f"(CASE lower({encoding.text}) "
                + " ".join(f"WHEN '{known}' THEN {convert(known, x)}" for known in _ENCODINGS)
                + " END)"
            ),
        )

    return make


def _encode(arguments: Sequence[Argument]) -> str:
    text, source, target = arguments
    pairs = [(given, wanted) for given in _ENCODINGS for wanted in _ENCODINGS]

    def encoded(given: str, wanted: str, value: str) -> str:
        if given == wanted:
            return value
        data = _bytes_of(given, _hex_digits(value) if given == "hex" else value)
        result = _text_of(wanted, data)
        return f"lower({result})" if wanted == "hex" else result

    if isinstance(source.literal, str) and isinstance(target.literal, str):
        given, wanted = source.literal.lower(), target.literal.lower()
        return encoded(given, wanted, text.text) if (given, wanted) in pairs else "CAST(NULL AS STRING)"

    def chosen(value: str, given: str, wanted: str) -> str:
        cases = " ".join(f"WHEN '{a}>{b}' THEN {encoded(a, b, value)}" for a, b in pairs)
        return f"(CASE lower(concat({given}, '>', {wanted})) {cases} END)"

    return let_all((text.text, source.text, target.text), chosen)


def _hex_digits(text: str) -> str:
    """Without 0x or X'...' around them, and an even number of them."""
    bare = f"regexp_replace({text}, {sql_string(_PREFIXED)}, '$1$2')"
    return let(bare, lambda x: f"IF(length({x}) % 2 = 1, concat('0', {x}), {x})")


_T = Any("T")

FUNCTIONS: tuple[Function, ...] = (
    Function(
        "AS_VALUE",
        "OTHER",
        "A copy of a key column, in the value.",
        (signature([("keyColumn", _T)], _T, "{0}"),),
        (Example("AS_VALUE(5)", 5), Example("AS_VALUE('a')", "a")),
    ),
    Function(
        "TO_BYTES",
        "CONVERSIONS",
        "The bytes of a string that is in an encoding: hex, utf8, ascii or base64.",
        (signature([("value", STRING), ("encoding", STRING)], BYTES, _by_encoding(_bytes_of)),),
        (
            Example("TO_BYTES('ab', 'utf8')", "YWI="),
            Example("TO_BYTES('21', 'hex')", "IQ=="),
            Example("TO_BYTES('2', 'hex')", None),
            Example("TO_BYTES('IQ==', 'base64')", "IQ=="),
            Example("TO_BYTES('!', 'ascii')", "IQ=="),
            Example("TO_BYTES('!', 'klingon')", None),
            Example("TO_BYTES(CAST(NULL AS STRING), 'utf8')", None),
        ),
    ),
    Function(
        "FROM_BYTES",
        "CONVERSIONS",
        "Bytes as a string in an encoding: hex, utf8, ascii or base64.",
        (signature([("value", BYTES), ("encoding", STRING)], STRING, _by_encoding(_text_of)),),
        (
            Example("FROM_BYTES(TO_BYTES('ab', 'utf8'), 'utf8')", "ab"),
            Example("FROM_BYTES(TO_BYTES('!', 'utf8'), 'hex')", "21"),
            Example("FROM_BYTES(TO_BYTES('!', 'utf8'), 'base64')", "IQ=="),
            Example("FROM_BYTES(TO_BYTES('!', 'utf8'), 'ascii')", "!"),
            Example("FROM_BYTES(CAST(NULL AS BYTES), 'ascii')", None),
        ),
    ),
    Function(
        "ENCODE",
        "CONVERSIONS",
        "A string in one encoding as a string in another: hex, utf8, ascii or base64.",
        (
            signature(
                [("str", STRING), ("inputEncoding", STRING), ("outputEncoding", STRING)],
                STRING,
                _encode,
            ),
        ),
        (
            Example("ENCODE('4578616d706c6521', 'hex', 'ascii')", "Example!"),
            Example("ENCODE('0x4578616d706c6521', 'hex', 'utf8')", "Example!"),
            Example("ENCODE('X''4578''', 'hex', 'utf8')", "Ex"),
            Example("ENCODE('Example!', 'ascii', 'hex')", "4578616d706c6521"),
            Example("ENCODE('Example!', 'utf8', 'base64')", "RXhhbXBsZSE="),
            Example("ENCODE('RXhhbXBsZSE=', 'base64', 'utf8')", "Example!"),
            Example("ENCODE('Example!', 'klingon', 'utf8')", None),
            Example("ENCODE(CAST(NULL AS STRING), 'utf8', 'hex')", None),
        ),
    ),
)

"""What formats hold, and the sentences of what they do not."""

from __future__ import annotations

import pytest

from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.formats.supported import (
    FORMATS,
    check_columns,
    check_wrapping,
    format_of,
    is_wrapped,
)
from riacho.pipelines.sql.type_text import type_from_text
from riacho.pipelines.sql.types import Field


def columns(*kinds: str) -> list[Field]:
    return [Field(f"C{at}", type_from_text(kind)) for at, kind in enumerate(kinds)]


def test_all_formats_are_known_in_any_case() -> None:
    assert list(FORMATS) == ["NONE", "KAFKA", "DELIMITED", "JSON", "JSON_SR", "AVRO", "PROTOBUF", "PROTOBUF_NOSR"]
    assert format_of("json_sr") is FORMATS["JSON_SR"]
    with pytest.raises(KsqlError, match=r"^Unknown format: XML$"):
        format_of("xml")


@pytest.mark.parametrize(
    ("name", "count", "is_key", "wrap", "wrapped"),
    [
        ("JSON", 1, False, None, True),
        ("JSON", 1, False, False, False),
        ("JSON", 1, True, None, False),
        ("JSON", 2, True, None, True),
        ("AVRO", 1, True, None, False),
        ("PROTOBUF", 1, True, None, True),
        ("PROTOBUF", 1, False, None, True),
        ("PROTOBUF_NOSR", 1, True, None, False),
        ("KAFKA", 1, False, None, False),
        ("DELIMITED", 1, False, None, False),
    ],
)
def test_what_is_wrapped(name: str, count: int, is_key: bool, wrap: bool | None, wrapped: bool) -> None:
    assert is_wrapped(name, count, is_key, wrap) is wrapped


def test_wrapping_that_a_format_does_not_have() -> None:
    one = columns("STRING")
    check_wrapping("JSON", one, True)
    check_wrapping("JSON", one, None)
    with pytest.raises(KsqlError, match="Format 'PROTOBUF' does not support 'WRAP_SINGLE_VALUE' set to 'false'"):
        check_wrapping("PROTOBUF", one, False)
    with pytest.raises(KsqlError, match="Format 'KAFKA' does not support 'WRAP_SINGLE_VALUE' set to 'true'"):
        check_wrapping("KAFKA", one, True)
    with pytest.raises(KsqlError, match="'WRAP_SINGLE_VALUE' is only valid for single-field value schemas"):
        check_wrapping("JSON", columns("STRING", "STRING"), True)


@pytest.mark.parametrize(
    ("name", "kinds"),
    [
        ("NONE", ()),
        ("KAFKA", ("BIGINT",)),
        ("KAFKA", ("BYTES",)),
        ("KAFKA", ()),
        ("DELIMITED", ("BOOLEAN", "DECIMAL(4, 2)", "TIME", "BYTES")),
        ("JSON", ("MAP<STRING, ARRAY<INTEGER>>",)),
        ("AVRO", ("MAP<STRING, ARRAY<ARRAY<INTEGER>>>",)),
        ("PROTOBUF", ("STRUCT<`A` MAP<STRING, STRING>>",)),
    ],
)
def test_columns_that_a_format_holds(name: str, kinds: tuple[str, ...]) -> None:
    check_columns(name, columns(*kinds), is_key=False)


@pytest.mark.parametrize(
    ("name", "kinds", "is_key", "reason"),
    [
        ("NONE", ("STRING",), False,
         "The 'NONE' format can only be used when no columns are defined. Got: [`C0` STRING]"),
        ("KAFKA", ("BOOLEAN",), False, "The 'KAFKA' format does not support type 'BOOLEAN'"),
        ("KAFKA", ("DECIMAL(4, 2)",), True, "The 'KAFKA' format does not support type 'DECIMAL'"),
        ("KAFKA", ("TIMESTAMP",), True, "The 'KAFKA' format does not support type 'TIMESTAMP'"),
        ("KAFKA", ("STRING", "STRING"), True,
         "The 'KAFKA' format only supports a single field. Got: [`C0` STRING KEY, `C1` STRING KEY]"),
        ("DELIMITED", ("ARRAY<STRING>",), False, "The 'DELIMITED' format does not support type 'ARRAY', column: `C0`"),
        ("DELIMITED", ("STRUCT<`A` STRING>",), True, "The 'DELIMITED' format does not support type 'STRUCT'"),
        ("JSON", ("ARRAY<MAP<INTEGER, STRING>>",), False, "JSON only supports MAP types with STRING keys"),
        ("AVRO", ("MAP<INTEGER, STRING>",), False, "Avro only supports MAPs with STRING keys"),
        ("PROTOBUF", ("ARRAY<ARRAY<INTEGER>>",), False, "Array cannot be nested"),
        ("PROTOBUF", ("MAP<INTEGER, STRING>",), False, "PROTOBUF format only supports MAP types with STRING keys."),
    ],
)  # fmt: skip
def test_columns_that_a_format_does_not_hold(name: str, kinds: tuple[str, ...], is_key: bool, reason: str) -> None:
    with pytest.raises(KsqlError) as caught:
        check_columns(name, columns(*kinds), is_key)
    message = caught.value.message
    assert message.startswith(f"{'Key' if is_key else 'Value'} format does not support schema.\nformat: {name}\n")
    assert f"reason: {reason}" in message


def test_maps_are_no_keys() -> None:
    with pytest.raises(KsqlError, match="Map keys, including types that contain maps, are not supported"):
        check_columns("JSON", columns("STRUCT<`A` ARRAY<MAP<STRING, STRING>>>"), is_key=True)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("AVRO", "reason: Schema is not compatible with Avro: Illegal character in: a b"),
        ("PROTOBUF", 'reason: Schema is not compatible with Protobuf: "a b" is not a valid identifier.'),
    ],
)
def test_names_that_a_format_does_not_allow(name: str, reason: str) -> None:
    named = [Field("a b", type_from_text("STRING")), Field("B", type_from_text("STRING"))]
    check_columns("JSON", named, is_key=False)
    with pytest.raises(KsqlError) as caught:
        check_columns(name, named, is_key=False)
    assert reason in caught.value.message

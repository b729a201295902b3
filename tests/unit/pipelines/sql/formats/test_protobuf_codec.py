"""PROTOBUF and PROTOBUF_NOSR: Connect's messages, defaults in place of nulls."""

from __future__ import annotations

from typing import Any

import pytest

from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.formats.codec import Codec, CodecError, CodecSpec
from riacho.pipelines.sql.formats.codecs import open_codec
from riacho.pipelines.sql.formats.memory_registry import MemoryRegistry
from riacho.pipelines.sql.formats.protobuf_text import protobuf_schema
from riacho.pipelines.sql.type_text import type_from_text
from riacho.pipelines.sql.types import Field

EVERYTHING = (
    ("BO", "BOOLEAN"),
    ("I", "INTEGER"),
    ("L", "BIGINT"),
    ("F", "DOUBLE"),
    ("S", "STRING"),
    ("B", "BYTES"),
    ("D", "DECIMAL(6, 2)"),
    ("T", "TIME"),
    ("DT", "DATE"),
    ("TS", "TIMESTAMP"),
    ("A", "ARRAY<INTEGER>"),
    ("M", "MAP<STRING, BIGINT>"),
    ("ST", "STRUCT<`X` INTEGER>"),
)
DEFAULTS = {"BO": False, "I": 0, "L": 0, "F": 0.0, "S": "", "B": "", "A": [], "M": {}}


def codec(registry: MemoryRegistry, *columns: tuple[str, str], **more: Any) -> Codec:
    return open_codec(CodecSpec("PROTOBUF", False, columns, subject="t-value", **more), registry)


def columns(*pairs: tuple[str, str]) -> list[Field]:
    return [Field(name, type_from_text(text)) for name, text in pairs]


def test_the_registered_schema_is_connects() -> None:
    nested = ("S", "STRUCT<`X` ARRAY<STRUCT<`Y` STRING>>>")
    text = protobuf_schema(columns(("A", "INTEGER"), nested, ("M", "MAP<STRING, DOUBLE>")))
    expected = """
        syntax = "proto3"; message ConnectDefault1 { int32 A = 1; ConnectDefault2 S = 2; map<string, double> M = 3;
          message ConnectDefault2 { repeated ConnectDefault3 X = 1; message ConnectDefault3 { string Y = 1; } } }
    """
    assert " ".join(text.split()) == " ".join(expected.split())


def test_names_packages_and_imports() -> None:
    text = protobuf_schema(columns(("D", "DECIMAL(4, 2)"), ("T", "TIMESTAMP")), "com.acme.Row")
    assert "package com.acme;" in text
    assert "message Row {" in text
    assert 'import "confluent/type/decimal.proto";' in text
    assert "google.protobuf.Timestamp T = 2;" in text


@pytest.mark.parametrize("kind", ["ARRAY<ARRAY<INTEGER>>", "ARRAY<MAP<STRING, INTEGER>>"])
def test_what_protobuf_cannot_nest_is_refused(kind: str) -> None:
    with pytest.raises(KsqlError, match="cannot be nested"):
        protobuf_schema(columns(("A", kind)))


def test_a_name_that_protobuf_does_not_allow_is_refused() -> None:
    with pytest.raises(KsqlError, match="is not a valid identifier"):
        protobuf_schema(columns(("a b", "STRING")))


def test_nulls_come_back_as_defaults() -> None:
    both = codec(MemoryRegistry(), *EVERYTHING)
    payload = both.encode({})
    assert payload == b"\0\0\0\0\1\0"
    assert both.decode(payload) == {name: DEFAULTS.get(name) for name, _ in EVERYTHING}


@pytest.mark.parametrize("nullable", ["OPTIONAL", "WRAPPER"])
def test_nulls_stay_nulls_where_they_have_a_representation(nullable: str) -> None:
    both = codec(MemoryRegistry(), *EVERYTHING, properties={"nullableRepresentation": nullable})
    assert both.decode(both.encode({})) == {name: {"A": [], "M": {}}.get(name) for name, _ in EVERYTHING}
    zeros = {"BO": False, "I": 0, "L": 0, "F": 0.0, "S": "", "B": ""}
    assert both.decode(both.encode(zeros)) == {**dict.fromkeys(n for n, _ in EVERYTHING), "A": [], "M": {}, **zeros}


FOREIGN = """
    syntax = "proto3"; package acme; import "google/protobuf/wrappers.proto"; import "google/protobuf/timestamp.proto";
    message First { int32 x = 1; }
    message Second {
      uint32 u = 1; uint64 big = 2; float f = 3; Kind kind = 4; oneof choice { string text = 5; int32 number = 6; }
      google.protobuf.Int32Value wrapped = 7; map<int32, string> names = 8; First inner = 9; repeated First many = 10;
      google.protobuf.Timestamp at = 11; optional string maybe = 12;
      enum Kind { NONE = 0; SOME = 1; }
      message Deep { string s = 1; }
    }
"""
SECOND = (
    ("U", "BIGINT"),
    ("BIG", "BIGINT"),
    ("F", "DOUBLE"),
    ("KIND", "STRING"),
    ("CHOICE_0", "STRUCT<`TEXT` STRING, `NUMBER` INTEGER>"),
    ("WRAPPED", "STRUCT<`VALUE` INTEGER>"),
    ("NAMES", "MAP<STRING, STRING>"),
    ("INNER", "STRUCT<`X` BIGINT>"),
    ("MANY", "ARRAY<STRUCT<`X` INTEGER>>"),
    ("AT", "TIMESTAMP"),
    ("MAYBE", "STRING"),
)


def foreign(registry: MemoryRegistry, message: str, value: Any) -> bytes:
    found = registry.register("t-value", "PROTOBUF", FOREIGN)
    return found.prefix + found.parsed.codec(message).encode(value)


def test_others_messages_are_read_by_their_own_schema() -> None:
    registry = MemoryRegistry()
    payload = foreign(
        registry,
        "Second",
        {"u": 4_000_000_000, "big": str(2**64 - 1), "f": 0.5, "kind": "SOME", "number": 3, "wrapped": 0,
         "names": {"1": "a"}, "inner": {"x": 9}, "many": [{"x": 1}, {}], "at": "1970-01-01T00:00:01.5Z"},
    )  # fmt: skip
    assert codec(registry, *SECOND).decode(payload) == {
        "U": 4_000_000_000,
        "BIG": -1,
        "F": 0.5,
        "KIND": "SOME",
        "CHOICE_0": {"TEXT": None, "NUMBER": 3},
        "WRAPPED": {"VALUE": 0},
        "NAMES": {"1": "a"},
        "INNER": {"X": 9},
        "MANY": [{"X": 1}, {"X": 0}],
        "AT": 1_500,
        "MAYBE": None,
    }


def test_messages_inside_are_found_by_their_indexes() -> None:
    registry = MemoryRegistry()
    payload = foreign(registry, "Second.Deep", {"s": "x"})
    assert codec(registry, ("S", "STRING"), ("X", "INTEGER")).decode(payload) == {"S": "x", "X": None}


def test_a_schema_that_is_named_is_written() -> None:
    registry = MemoryRegistry()
    found = registry.register("x", "PROTOBUF", FOREIGN)
    both = codec(registry, *SECOND, schema_id=found.id, properties={"fullSchemaName": "acme.Second"})
    row = {
        "U": 5, "BIG": 6, "F": 0.5, "KIND": "SOME", "CHOICE_0": {"TEXT": "t", "NUMBER": None}, "WRAPPED": {"VALUE": 3},
        "NAMES": {"7": "x"}, "INNER": {"X": 1}, "MANY": [], "AT": 1_600, "MAYBE": "",
    }  # fmt: skip
    payload = both.encode(row)
    assert payload is not None
    assert payload[5:7] == b"\2\2"
    assert both.decode(payload) == row
    with pytest.raises(CodecError, match="has no value NEVER"):
        both.encode({"KIND": "NEVER"})


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        ("STRING", "Cannot deserialize type struct as type string for path: ->INNER"),
        ("STRUCT<`X` BOOLEAN>", "Cannot deserialize type int32 as type boolean for path: ->INNER->X"),
        ("ARRAY<STRING>", "type struct as type array for path: ->INNER"),
    ],
)
def test_types_that_do_not_fit_are_told(kind: str, reason: str) -> None:
    registry = MemoryRegistry()
    with pytest.raises(CodecError) as caught:
        codec(registry, ("INNER", kind), ("U", "BIGINT")).decode(foreign(registry, "Second", {}))
    assert reason in str(caught.value)


@pytest.mark.parametrize(
    "payload", [b"", b"\0\0\0\0\1", b"\0\0\0\0\1\0\xff", b"\0\0\0\0\1\2\x7e", b"\0\0\0\0\7\0", b"x"]
)
def test_bad_payloads_are_refused(payload: bytes) -> None:
    registry = MemoryRegistry()
    both = codec(registry, ("A", "STRING"), ("B", "STRING"))
    both.encode({})
    with pytest.raises(CodecError):
        both.decode(payload)


@pytest.mark.parametrize(
    ("kind", "value"),
    [("ARRAY<INTEGER>", [1, None]), ("MAP<STRING, INTEGER>", {"a": None}), ("INTEGER", 2**40), ("DATE", 10**9)],
)
def test_what_has_no_form_is_told(kind: str, value: Any) -> None:
    with pytest.raises(CodecError):
        codec(MemoryRegistry(), ("A", kind), ("B", "STRING")).encode({"A": value})


def bare(*pairs: tuple[str, str], is_key: bool = False) -> Codec:
    return open_codec(CodecSpec("PROTOBUF_NOSR", is_key, pairs))


def test_without_a_registry_the_message_is_bare() -> None:
    both = bare(("A", "INTEGER"), ("B", "STRING"))
    assert both.encode({"A": 5, "B": "x"}) == b"\x08\x05\x12\x01x"
    assert both.decode(b"\x08\x05\x12\x01x") == {"A": 5, "B": "x"}
    assert both.decode(None) is None
    with pytest.raises(CodecError):
        both.decode(b"\xff")


def test_a_single_key_without_a_registry_is_a_wrapper_or_its_struct() -> None:
    number, row = bare(("K", "BIGINT"), is_key=True), bare(("K", "STRUCT<`X` INTEGER>"), is_key=True)
    assert number.encode({"K": 5}) == b"\x08\x05"
    assert number.decode(b"\x08\x05") == {"K": 5}
    assert number.encode({"K": None}) is None
    assert row.encode({"K": {"X": 5}}) == b"\x08\x05"
    assert row.decode(b"\x08\x05") == {"K": {"X": 5}}

"""Protobuf columns against the protobuf runtime, message by message: every kind of field, both ways, and poison."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pyarrow as pa

from riacho.pipelines.formats.byte_cursor import Cursor
from riacho.pipelines.formats.protobuf_reading import read_message
from riacho.pipelines.formats.protobuf_writing import ProtobufWriter
from riacho.schemas.parsed import SchemaSource
from riacho.schemas.protobuf.schema import parse

COUNT = 60
PROTO = """
syntax = "proto3"; package a;
import "google/protobuf/timestamp.proto"; import "google/protobuf/wrappers.proto"; import "google/type/date.proto";
message M {
  int32 x = 1; map<string, int64> m = 2; google.protobuf.Timestamp t = 3;
  message N { string s = 1; repeated int32 k = 2; }
  repeated N n = 4; oneof o { int32 p = 5; string q = 6; } optional int32 z = 7;
  enum E { A = 0; B = 1; } E e = 8;
  repeated double ds = 9; google.protobuf.Int32Value w = 10; sint64 si = 11; fixed32 f3 = 12; sfixed64 sf = 13;
  float fl = 14; double d = 15; bool b = 16; bytes by = 17; N one = 18; repeated string ss = 19; uint64 u = 20;
  repeated E es = 21; map<int32, N> mm = 22; google.protobuf.StringValue sw = 23; google.type.Date day = 24;
}
"""
SCHEMA = parse(SchemaSource(PROTO))
DESCRIPTOR = SCHEMA.pool.pool.FindMessageTypeByName("a.M")
MESSAGE = SCHEMA.pool.message_class("a.M")


def _message(k: int) -> Any:
    message = MESSAGE(x=-k, e=k % 2, si=-k * 10**10, f3=k, sf=-k, fl=k / 2, d=k / 3, b=bool(k % 2), by=b"x" * (k % 4))
    message.u = k
    message.ss.extend("é" * j for j in range(k % 3))
    message.ds.extend(j / 7 for j in range(k % 4))
    message.es.extend(j % 2 for j in range(k % 4))
    for j in range(k % 3):
        message.m[f"k{j}"] = j
        message.mm[j].s = str(j)
    for j in range(k % 4):
        message.n.add(s=str(j), k=range(j))
    if k % 2:
        message.t.FromMilliseconds(k * 12345)
        message.w.value = 0
        message.one.s = "one"
        message.day.year, message.day.month, message.day.day = 2020, 2, 29
    if k % 3 == 1:
        message.p = k
    if k % 3 == 2:
        message.q = "q"
        message.sw.value = "hi"
    if k % 4:
        message.z = 0
    return message


def _read(payloads: list[bytes]) -> tuple[pa.Array, list[bool]]:
    cursor = Cursor.of(pa.array(payloads, pa.binary()))
    return read_message(DESCRIPTOR, cursor), cursor.bad.tolist()


def test_every_kind_of_field_is_read() -> None:
    values, bad = _read([_message(k).SerializeToString() for k in range(COUNT)])
    assert not any(bad)
    found = values[7].as_py(maps_as_pydicts="strict")
    assert found.pop("t").isoformat() == "1970-01-01T00:01:26.415000+00:00"
    assert found.pop("day").isoformat() == "2020-02-29"
    assert found == {
        "x": -7, "m": {"k0": 0}, "n": [{"s": "0", "k": []}, {"s": "1", "k": [0]}, {"s": "2", "k": [0, 1]}],
        "p": 7, "q": None, "z": 0, "e": "B", "ds": [0.0, 1 / 7, 2 / 7], "w": 0, "si": -70000000000, "f3": 7, "sf": -7,
        "fl": 3.5, "d": 7 / 3, "b": True, "by": b"xxx", "one": {"s": "one", "k": []}, "ss": [""], "u": 7,
        "es": ["A", "B", "A"], "mm": {0: {"s": "0", "k": []}}, "sw": None,
    }  # fmt: skip


def test_every_kind_of_field_is_written() -> None:
    messages = [_message(k) for k in range(COUNT)]
    values, _ = _read([message.SerializeToString() for message in messages])
    writer = ProtobufWriter(COUNT)
    written = writer.write(DESCRIPTOR, values, np.arange(COUNT)).to_pylist()
    assert [MESSAGE.FromString(payload) for payload in written] == messages
    assert not writer.bad.any()


def test_poison_is_what_the_runtime_says_it_is() -> None:
    chance = random.Random(11)
    payloads = []
    for k in range(1, 300):
        payload = bytearray(_message(k).SerializeToString())
        del payload[chance.randrange(len(payload)) :]
        payloads.append(bytes(payload))
    _, bad = _read(payloads)
    assert bad == [not _parses(payload) for payload in payloads]
    assert 0 < sum(bad) < len(bad)


def test_no_bytes_whatever_end_the_batch() -> None:
    chance = random.Random(13)
    payloads = [chance.randbytes(chance.randrange(60)) for _ in range(3000)]
    values, bad = _read([*payloads, _message(7).SerializeToString()])
    assert not bad[-1]
    assert values[-1].as_py()["x"] == -7


def test_unknown_fields_are_passed_over_and_the_last_value_counts() -> None:
    known = MESSAGE(x=1).SerializeToString() + b"\xfa\x3f\x03abc" + MESSAGE(x=2).SerializeToString()
    values, bad = _read([known])
    assert bad == [False]
    assert values[0].as_py()["x"] == 2


def test_a_null_among_the_items_fails_its_row() -> None:
    writer = ProtobufWriter(2)
    written = writer.write(DESCRIPTOR, pa.array([{"ss": ["a", None]}, {"ss": ["b"]}]), np.arange(2))
    assert writer.bad.tolist() == [True, False]
    assert MESSAGE.FromString(written[1].as_py()).ss == ["b"]


def _parses(payload: bytes) -> bool:
    try:
        MESSAGE.FromString(payload)
    except Exception:
        return False
    return True

"""The JSON converter with and without schemas.

`WRITTEN` and the payloads alone are what Apache Kafka 4.3.1's own JsonConverter (connect-json) wrote for the same
struct, looked at once and kept here. Of the faulty records, those without an envelope have its very message. Elsewhere
it differs: it reads "x" for an int32 as 0, where this is an error; it calls `nope` a serialization error, and names
the type, not the field, of a null that must not be.
"""

from __future__ import annotations

import json
from datetime import date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from riacho.pipelines.formats.converters import converter
from riacho.pipelines.formats.json_converter import NO_ENVELOPE, NOT_JSON
from riacho.pipelines.records import VALUE
from spark.formats.record_frames import frame, outcome

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ENVELOPE = (
    '{"schema":{"type":"struct","fields":[{"type":"int8","optional":true,"field":"i8"},{"type":"int32","optional":false,'
    '"field":"i"},{"type":"int64","optional":true,"field":"l"},{"type":"float","optional":true,"field":"f"},{"type":"doub'
    'le","optional":true,"field":"d"},{"type":"boolean","optional":true,"field":"b"},{"type":"string","optional":true,"fi'
    'eld":"s"},{"type":"bytes","optional":true,"field":"by"},{"type":"int64","optional":true,"name":"org.apache.kafka.con'
    'nect.data.Timestamp","version":1,"field":"ts"},{"type":"int32","optional":true,"name":"org.apache.kafka.connect.data'
    '.Date","version":1,"field":"da"},{"type":"int32","optional":true,"name":"org.apache.kafka.connect.data.Time","versio'
    'n":1,"field":"ti"},{"type":"bytes","optional":true,"name":"org.apache.kafka.connect.data.Decimal","version":1,"param'
    'eters":{"scale":"2","connect.decimal.precision":"10"},"field":"dec"},{"type":"array","items":{"type":"int32","option'
    'al":true},"optional":true,"field":"a"},{"type":"map","keys":{"type":"string","optional":false},"values":{"type":"int'
    '64","optional":true},"optional":true,"field":"m"},{"type":"map","keys":{"type":"int32","optional":false},"values":{"'
    'type":"string","optional":true},"optional":true,"field":"mi"},{"type":"struct","fields":[{"type":"int16","optional":'
    'true,"field":"x"}],"optional":true,"field":"n"}],"optional":false,"name":"com.example.All","version":2},"payload":'
)
PAYLOAD = (
    '{"i8":1,"i":2,"l":3,"f":1.5,"d":2.25,"b":true,"s":"a\\"é/","by":"AQL/","ts":1577836800005,"da":18263,"ti":3723004,'
    '"dec":%s,"a":[1,null],"m":{"k":1},"mi":[[5,"v"]],"n":{"x":7}}'
)
EMPTY_PAYLOAD = (
    '{"i8":null,"i":0,"l":null,"f":null,"d":null,"b":null,"s":null,"by":null,"ts":null,"da":null,"ti":null,"dec":null,'
    '"a":null,"m":null,"mi":null,"n":null}'
)
WRITTEN = [ENVELOPE + PAYLOAD % '"z8c="' + "}", ENVELOPE + EMPTY_PAYLOAD + "}"]
FULL = {
    "i8": 1, "i": 2, "l": 3, "f": 1.5, "d": 2.25, "b": True, "s": 'a"é/', "by": b"\1\2\xff",
    "ts": datetime(2020, 1, 1, 0, 0, 0, 5000), "da": date(2020, 1, 2), "ti": 3723004, "dec": Decimal("-123.45"),
    "a": [1, None], "m": {"k": 1}, "mi": {5: "v"}, "n": {"x": 7},
}  # fmt: skip


def test_apaches_records_are_read_and_written_again_byte_for_byte(spark: SparkSession) -> None:
    envelope = converter("org.apache.kafka.connect.json.JsonConverter", {}, is_key=False)
    read = envelope.decode(frame(spark, [*(text.encode() for text in WRITTEN), None]), VALUE).localCheckpoint()
    assert outcome(read) == ([FULL, {**dict.fromkeys(FULL), "i": 0}, None], [None] * 3)
    assert read.schema[VALUE].metadata == {"connect.name": "com.example.All", "connect.version": 2}
    plain = converter("JsonConverter", {"schemas.enable": "false", "decimal.format": "NUMERIC"}, is_key=False)
    texts = envelope.encode(read, VALUE).select(F.col(VALUE).cast("string").alias("one"))
    assert [row.one for row in texts.collect()] == [*WRITTEN, None]
    bare = plain.encode(read, VALUE).select(F.col(VALUE).cast("string").alias("one"))
    assert [row.one for row in bare.collect()] == [PAYLOAD % "-123.45", EMPTY_PAYLOAD, None]


def _wrapped(fields: list[dict[str, object]], payload: object) -> bytes:
    return json.dumps({"schema": {"type": "struct", "fields": fields}, "payload": payload}).encode()


A = {"type": "int32", "field": "a", "optional": False}
B = {"type": "string", "field": "b", "optional": True, "default": "dd"}
Z = {"type": "int64", "field": "z", "optional": True}


def test_several_schemas_in_one_batch_and_poison_between_them(spark: SparkSession) -> None:
    envelope = converter("JsonConverter", {}, is_key=False)
    batch = [
        _wrapped([A, B], {"a": 1}),
        b'{"a":1}',
        _wrapped([A, Z], {"a": 2, "z": 5}),
        b"nope",
        _wrapped([A, Z], {"a": "x", "z": 5}),
        _wrapped([A, Z], {"z": 5}),
        b'{"schema":{"type":"int32"},"payload":5,"more":1}',
        b'{"schema":{"type":"int32","optional":false},"payload":5}',
        b"\xff\xfe",
        _wrapped([A, B], {"a": 3, "b": "own"}),
    ]
    values, messages = outcome(envelope.decode(frame(spark, batch), VALUE))
    good = {0: {"a": 1, "b": "dd", "z": None}, 2: {"a": 2, "b": None, "z": 5}, 9: {"a": 3, "b": "own", "z": None}}
    assert values == [good.get(place) for place in range(len(batch))]
    assert messages == [
        None,
        NO_ENVELOPE,
        None,
        NO_ENVELOPE,
        "The payload does not fit its schema struct<a:int,z:bigint>.",
        "Invalid null value for required field payload.a.",
        NO_ENVELOPE,
        "struct<a:int,z:bigint,b:string> and int cannot be one column.",
        NOT_JSON,
        None,
    ]


def test_without_schemas_the_type_is_what_the_batch_has(spark: SparkSession) -> None:
    plain = converter("JsonConverter", {"schemas.enable": "false"}, is_key=False)
    texts = [
        '{"a":1,"b":1.5,"c":[1,2.5],"d":{"x y":null},"e":"s"}',
        '{"a":2,"f":true,"c":[],"e":{"q":1}}',
        "{bad",
        "null",
        '{"big":12345678901234567890,"a":3}',
    ]
    read = plain.decode(frame(spark, [*(text.encode() for text in texts), None]), VALUE)
    wanted = "struct<a:bigint,b:double,big:double,c:array<double>,d:struct<x y:string>,e:string,f:boolean>"
    assert read.schema[VALUE].dataType.simpleString() == wanted
    nothing = dict.fromkeys(("a", "b", "big", "c", "d", "e", "f"))
    assert outcome(read) == (
        [
            {**nothing, "a": 1, "b": 1.5, "c": [1.0, 2.5], "d": {"x y": None}, "e": "s"},
            {**nothing, "a": 2, "c": [], "e": '{"q":1}', "f": True},
            None,
            None,
            {**nothing, "a": 3, "big": 1.2345678901234567e19},
            None,
        ],
        [None, None, NOT_JSON, None, None, None],
    )
    scalars = plain.decode(frame(spark, [b"5", b"6", b"1},{"]), VALUE)
    assert outcome(scalars) == ([5, 6, None], [None, None, NOT_JSON])

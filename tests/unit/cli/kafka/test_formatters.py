from __future__ import annotations

import struct

import pytest

from riacho.cli.kafka.deserializers import Undecodable, deserializer
from riacho.cli.kafka.formatters import Printable, formatter
from riacho.cli.kafka.launch import ToolError
from riacho.wire.codec import encode
from riacho.wire.messages.group_metadata_key import GroupMetadataKey
from riacho.wire.messages.offset_commit_key import OffsetCommitKey
from riacho.wire.messages.offset_commit_value import OffsetCommitValue

RECORD = Printable("t", 2, 41, 3, 1, 1_700_000_000_000, b"k", b"v", [("a", b"1"), ("b", None)])
DEFAULT = "org.apache.kafka.tools.consumer.DefaultMessageFormatter"
EVERYTHING = {
    f"print.{part}": "true" for part in ("timestamp", "partition", "offset", "epoch", "headers", "key", "value")
}


def shown(properties: dict[str, str], record: Printable = RECORD, name: str = DEFAULT) -> str:
    return formatter(name, properties).format(record).decode()


def test_only_the_value_by_default() -> None:
    assert shown({}) == "v\n"


def test_columns_and_their_order() -> None:
    line = "CreateTime:1700000000000\tPartition:2\tOffset:41\tEpoch:3\ta:1,b:null\tk\tv\n"
    assert shown(EVERYTHING) == line


def test_timestamp_types_and_nothing_to_show() -> None:
    bare = RECORD._replace(timestamp_type=0, key=None, value=None, headers=[])
    assert shown({"print.timestamp": "true", "print.headers": "true", "print.key": "true"}, bare) == (
        "NO_TIMESTAMP\tNO_HEADERS\tnull\tnull\n"
    )
    assert shown({"print.timestamp": "true"}, RECORD._replace(timestamp_type=2)) == "LogAppendTime:1700000000000\tv\n"


def test_separators_and_null_literal() -> None:
    properties = {
        **EVERYTHING,
        "key.separator": "|",
        "line.separator": ";\n",
        "headers.separator": "&",
        "null.literal": "-",
        "print.timestamp": "false",
    }
    assert shown(properties) == "Partition:2|Offset:41|Epoch:3|a:1&b:-|k|v;\n"


def test_print_value_off() -> None:
    assert shown({"print.value": "false", "print.key": "true"}) == "k\n"
    assert shown({"print.value": "false"}) == ""


def test_no_op_and_unknown() -> None:
    assert shown({}, name="kafka.tools.NoOpMessageFormatter") == ""
    with pytest.raises(ToolError, match=r"there is no message formatter 'x\.Y'"):
        formatter("x.Y", {})


@pytest.mark.parametrize(
    ("name", "data", "text"),
    [
        ("StringDeserializer", "não".encode(), "não"),
        ("org.apache.kafka.common.serialization.IntegerDeserializer", struct.pack(">i", -5), "-5"),
        ("LongDeserializer", struct.pack(">q", 1 << 40), str(1 << 40)),
        ("ShortDeserializer", b"\x00\x07", "7"),
        ("DoubleDeserializer", struct.pack(">d", 1.0), "1.0"),
        ("DoubleDeserializer", struct.pack(">d", 1e10), "1.0E10"),
        ("DoubleDeserializer", struct.pack(">d", 1.5e-5), "1.5E-5"),
        ("DoubleDeserializer", struct.pack(">d", 0.001), "0.001"),
        ("DoubleDeserializer", struct.pack(">d", 9999999.0), "9999999.0"),
        ("DoubleDeserializer", struct.pack(">d", -123.456), "-123.456"),
        ("DoubleDeserializer", struct.pack(">d", float("nan")), "NaN"),
        ("DoubleDeserializer", struct.pack(">d", float("-inf")), "-Infinity"),
        ("FloatDeserializer", struct.pack(">f", 0.1), "0.1"),
        ("BooleanDeserializer", b"\x01", "true"),
        ("BytesDeserializer", b"a\\\x00", "a\\x5C\\x00"),
        ("ByteArrayDeserializer", b"raw", "raw"),
    ],
)
def test_deserializers(name: str, data: bytes, text: str) -> None:
    assert deserializer(name)(data).decode() == text


def test_bytes_of_the_wrong_size() -> None:
    with pytest.raises(Undecodable, match="IntegerDeserializer is not 4"):
        deserializer("IntegerDeserializer")(b"abc")


def test_an_unknown_deserializer() -> None:
    with pytest.raises(ToolError, match=r"there is no deserializer 'a\.b\.AvroDeserializer'"):
        deserializer("a.b.AvroDeserializer")


def prefixed(number: int, body: bytearray) -> bytes:
    return struct.pack(">h", number) + bytes(body)


def test_offsets_as_json() -> None:
    key = prefixed(1, encode(OffsetCommitKey(group="g", topic="t", partition=3), 0))
    value = prefixed(3, encode(OffsetCommitValue(offset=9, leader_epoch=1, metadata="m", commit_timestamp=5), 3))
    record = RECORD._replace(key=key, value=value)
    assert shown({}, record, "OffsetsMessageFormatter") == (
        '{"key":{"type":1,"data":{"group":"g","topic":"t","partition":3}},'
        '"value":{"version":3,"data":{"offset":9,"leaderEpoch":1,"metadata":"m","commitTimestamp":5}}}\n'
    )
    assert shown({}, record, "GroupMetadataMessageFormatter") == ""


def test_tombstones_as_json() -> None:
    record = RECORD._replace(key=prefixed(2, encode(GroupMetadataKey(group="g"), 0)), value=None)
    expected = '{"key":{"type":2,"data":{"group":"g"}},"value":null}\n'
    assert shown({}, record, "GroupMetadataMessageFormatter") == expected

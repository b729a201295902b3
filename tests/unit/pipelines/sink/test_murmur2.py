"""Keys go where Java's producer sends them: known hashes, and kafka-python's own function for any key."""

from __future__ import annotations

from itertools import pairwise

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kafka.partitioner.default import murmur2 as reference

from riacho.pipelines.sink.columns import read_columns
from riacho.pipelines.sink.encoded_batch import TopicPartition
from riacho.pipelines.sink.errors import SinkError
from riacho.pipelines.sink.murmur2 import murmur2
from riacho.pipelines.sink.partitioner import Partitioner

# As Kafka's own tests have them.
KNOWN = {
    b"21": -973932308,
    b"foobar": -790332482,
    b"a-little-bit-long-string": -985981536,
    b"a-little-bit-longer-string": -1486304829,
    b"lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8": -58897971,
    b"abc": 479470107,
}


def test_known_hashes() -> None:
    assert murmur2(pa.array(list(KNOWN), pa.binary())).astype("int32").tolist() == list(KNOWN.values())


@settings(deadline=None)
@given(keys=st.lists(st.binary(max_size=50)), skipped=st.integers(0, 3))
def test_any_key_as_kafka_python_hashes_it(keys: list[bytes], skipped: int) -> None:
    column = pa.array([*[b"before"] * skipped, *keys], pa.binary())[skipped:]
    assert murmur2(column).tolist() == [reference(key) & 0xFFFFFFFF for key in keys]


def place(columns: dict[str, pa.Array], topic: str | None = "t", first: int = 0) -> list[TopicPartition]:
    counts = {"t": 3, "u": 5}
    read = read_columns(pa.record_batch(columns), topic)
    topic_partitions, target = Partitioner(lambda name, highest: counts[name], topic, first).partition(read)
    return [topic_partitions[index] for index in target]


def test_column_key_then_any() -> None:
    columns = {
        "key": pa.array(["foobar", "foobar", None, "abc"]),
        "value": pa.array(["1", "2", "3", "4"]),
        "partition": pa.array([None, 1, None, None], pa.int32()),
        "topic": pa.array(["t", "t", "t", "u"]),
    }
    positive = {key: value & 0x7FFFFFFF for key, value in KNOWN.items()}
    assert place(columns, None, first=2) == [
        TopicPartition("t", positive[b"foobar"] % 3),
        TopicPartition("t", 1),
        TopicPartition("t", 2),
        TopicPartition("u", positive[b"abc"] % 5),
    ]


def test_rows_without_keys_are_spread_in_runs() -> None:
    found = [p.partition for p in place({"value": pa.array(["x"] * 2_000)})]
    assert sorted(set(found)) == [0, 1, 2]
    assert sum(a != b for a, b in pairwise(found)) == 2


def test_a_partition_that_is_not_there() -> None:
    columns = {"value": pa.array(["1"]), "partition": pa.array([3], pa.int32())}
    with pytest.raises(SinkError, match="asks for partition 3 of topic 't', which has 3 partitions"):
        place(columns)
    columns["partition"] = pa.array([-2], pa.int32())
    with pytest.raises(SinkError, match="partitions begin with 0"):
        place(columns)

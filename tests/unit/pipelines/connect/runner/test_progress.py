"""Spark's figures of a batch in Connect's terms, offsets both ways."""

from __future__ import annotations

import json

import pytest

from riacho.pipelines.connect.protocol import Start, event_from
from riacho.pipelines.connect.runner.progress import end_offset, figures, has_moved, lag, sink_offsets, state_bytes
from riacho.pipelines.connect.runner.query_plan import secrets_of
from riacho.pipelines.connect.runner.starting_offsets import starting_offsets
from riacho.pipelines.connectors.file_stream.sink import FileStreamSink
from riacho.pipelines.plugin import ConnectError, Context, SourceOffset
from riacho.pipelines.spark_child.messages import line_of

PROGRESS = {
    "batchId": 4,
    "numInputRows": 30,
    "processedRowsPerSecond": 123.456,
    "durationMs": {"triggerExecution": 250},
    "stateOperators": [
        {"numRowsTotal": 5, "memoryUsedBytes": 1_000, "customMetrics": {"rocksdbSstFileSize": 40_000}},
        {"numRowsTotal": 2, "memoryUsedBytes": 500, "customMetrics": {"rocksdbSstFileSize": -1}},
    ],
    "sources": [
        {
            "endOffset": json.dumps({"orders": {"0": 10, "10": 3, "2": 7}}),
            "latestOffset": json.dumps({"orders": {"0": 15, "10": 3, "2": 7}}),
        }
    ],
}


def test_a_batch_in_figures() -> None:
    start = Start(name="a", generation=2, type="sink", configs={}, checkpoint="/c")
    event = figures(start, PROGRESS, 30, sink_offsets(end_offset(PROGRESS)), ["orders"])
    assert (event.name, event.generation) == ("a", 2)
    assert (event.batch_id, event.rows, event.rows_per_second, event.batch_ms) == (4, 30, 123.5, 250)
    assert (event.state_rows, event.state_bytes, event.topics) == (7, 41_500, ("orders",))
    assert event.lag == {"orders": {"0": 5, "10": 0, "2": 0}}
    assert event.offsets[1] == SourceOffset({"kafka_topic": "orders", "kafka_partition": 2}, {"kafka_offset": 7})
    assert event_from(line_of(event)) == event


def test_state_whose_size_nobody_tells_is_not_of_no_size() -> None:
    assert state_bytes({"stateOperators": [{"numRowsTotal": 5}]}) is None
    assert state_bytes({"stateOperators": [{"numRowsTotal": 5, "memoryUsedBytes": 7, "customMetrics": None}]}) == 7
    assert state_bytes({"stateOperators": []}) == 0
    assert state_bytes({}) == 0


def test_batches_without_rows_are_not_told_unless_nobody_counts() -> None:
    idle = {"numInputRows": 0, "sources": [{"startOffset": '{"position": 3}', "endOffset": '{"position": 3}'}]}
    uncounted = {"numInputRows": 0, "sources": [{"startOffset": None, "endOffset": '{"position": 3}'}]}
    assert has_moved(PROGRESS, True)
    assert has_moved(PROGRESS, False)
    assert not has_moved(uncounted, True)
    assert has_moved(uncounted, False)
    assert not has_moved(idle, False)


def test_sources_without_such_offsets_have_no_lag() -> None:
    assert lag({"sources": [{"endOffset": '{"position": 3}', "latestOffset": '{"position": 9}'}]}) is None
    assert lag({"sources": []}) is None
    assert end_offset({"sources": [{"endOffset": "no json"}]}) == {}


def test_offsets_that_somebody_set() -> None:
    place = {"kafka_topic": "orders", "kafka_partition": "1"}
    given = (
        SourceOffset(place, {"kafka_offset": 5}),
        SourceOffset({**place, "kafka_partition": 2}, None),
        SourceOffset({"kafka_topic": "gone", "kafka_partition": 0}, {"kafka_offset": 9}),
    )
    there = [("orders", 0), ("orders", 1), ("orders", 2)]
    assert json.loads(starting_offsets(given, "earliest", there)) == {"orders": {"0": -2, "1": 5, "2": -2}}
    assert json.loads(starting_offsets(given, "latest", there)) == {"orders": {"0": -1, "1": 5, "2": -1}}
    with pytest.raises(ConnectError, match="kafka_topic"):
        starting_offsets((SourceOffset({}, None),), "earliest", there)


def test_what_no_trace_may_show() -> None:
    configs = {"file": "out.txt", "connection.password": "hunter2", "sasl.jaas.config": "user bob", "topics": "a"}
    sink = FileStreamSink(FileStreamSink.CONFIG.parse(configs), Context("out", configs, ""))
    assert secrets_of(configs, sink) == ("hunter2", "user bob")

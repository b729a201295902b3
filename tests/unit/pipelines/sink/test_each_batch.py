"""Writes from foreachBatch say which batch they are: on Spark Connect nobody else tells the writer."""

from __future__ import annotations

from unittest.mock import MagicMock

from riacho.pipelines.sink.each_batch import write_to


def test_options_of_a_write() -> None:
    frame = MagicMock()
    write_to(topic="counts", sink_id="c", kafka_bootstrap_servers="b:1", riacho_query_id="q")(frame, 7)
    options = frame.write.format("riacho").mode("append").options
    assert options.call_args.kwargs == {
        "kafka.bootstrap.servers": "b:1",
        "riacho.query.id": "q",
        "riacho.sink.id": "c",
        "riacho.delivery": "exactly-once",
        "topic": "counts",
        "riacho.batch.id": "7",
    }

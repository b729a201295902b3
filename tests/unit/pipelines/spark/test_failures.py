"""The one sentence in what Spark raises, and secrets kept out of it."""

from __future__ import annotations

from riacho.base.errors import ErrorCode, KafkaError
from riacho.pipelines.plugin import ConnectError, RetriableError
from riacho.pipelines.sink.errors import sink_error
from riacho.pipelines.spark.failures import MASK, failure, is_late_worker, masked

WORKER = """[STREAM_FAILED] Query [id = 1] terminated with exception: Job aborted due to stage failure
org.apache.spark.api.python.PythonException: Traceback (most recent call last):
  File "worker.py", line 1, in main
    process()
  File "line_stream.py", line 3, in read
riacho.pipelines.plugin.ConnectError: The file a.txt is gone, of which 12 bytes have been read.

\tat org.apache.spark.api.python.BasePythonRunner.handle(PythonRunner.scala:1)
Caused by: org.apache.spark.SparkException: Task failed
"""
JAVA = """An error occurred while calling o61.save.
: org.apache.spark.SparkException: Job aborted.
\tat org.apache.spark.sql.Writer.save(Writer.scala:1)
Caused by: java.io.IOException: No space left on device
"""


class StreamingQueryException(Exception):
    pass


def test_a_sentence_of_ours_in_a_workers_traceback() -> None:
    found = failure(StreamingQueryException(WORKER))
    assert found.sentence == "The file a.txt is gone, of which 12 bytes have been read."
    assert found.class_name == "ConnectError"
    assert found.trace == found.sentence


def test_the_innermost_cause_of_javas() -> None:
    found = failure(StreamingQueryException(JAVA))
    assert found.sentence == "IOException: No space left on device"
    assert found.trace.splitlines()[0] == found.sentence


def test_ours_by_itself_has_no_more_to_say() -> None:
    assert failure(ConnectError("The directory in does not exist.")).sentence == "The directory in does not exist."


def test_a_python_error_is_named() -> None:
    outer = ValueError("not a number")
    outer.__cause__ = KeyError("x")
    found = failure(outer)
    assert found.sentence == "KeyError: 'x'"
    assert found.trace.splitlines() == ["KeyError: 'x'", "ValueError: not a number", "KeyError: 'x'"]


def test_what_may_pass_is_told_from_what_stays() -> None:
    assert failure(RetriableError("The brokers are away.")).is_retriable
    assert failure(ConnectionRefusedError("refused")).is_retriable
    assert failure(sink_error(KafkaError(ErrorCode.NETWORK_EXCEPTION, "No broker answers."))).is_retriable
    assert not failure(sink_error(KafkaError(ErrorCode.TOPIC_AUTHORIZATION_FAILED, "You may not."))).is_retriable
    assert failure(StreamingQueryException(WORKER.replace("ConnectError", "RetriableError"))).is_retriable
    assert not failure(ConnectError("The table is missing.")).is_retriable


def test_secrets_are_masked_longest_first() -> None:
    shown = masked("user=bob password=hunter2hunter2 again hunter2", ["hunter2", "hunter2hunter2", "bob"])
    assert shown == f"user=bob password={MASK} again {MASK}"
    found = failure(ConnectError("postgres://me:hunter2@db refused"), ["hunter2"])
    assert "hunter2" not in found.trace


def test_a_worker_that_spark_did_not_wait_for() -> None:
    late = (
        JAVA
        + "Caused by: java.net.SocketTimeoutException: Timed out while waiting for the Python worker to connect back"
    )
    assert is_late_worker(StreamingQueryException(late))
    secret = "Caused by: org.apache.spark.SparkException: Python worker failed to connect back.\n"
    secret += "Caused by: java.net.SocketTimeoutException: Read timed out"
    assert is_late_worker(StreamingQueryException(secret))
    assert not is_late_worker(StreamingQueryException(JAVA))


def test_errors_of_our_own_rooms_speak_for_themselves() -> None:
    error = "riacho.pipelines.source.offset_reader.SourceError: Topic 'orders' does not exist on this cluster."
    found = failure(StreamingQueryException(WORKER.replace(WORKER.splitlines()[5], error)))
    assert found.trace == "Topic 'orders' does not exist on this cluster."

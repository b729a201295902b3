"""Spark's texts of checkpoints that cannot be read or written, and what a user is told of them; and of others not."""

from __future__ import annotations

import pytest

from riacho.pipelines.spark.checkpoint_failures import checkpoint_failure
from riacho.pipelines.spark.failures import failure

LOG = "org.apache.spark.sql.execution.streaming.checkpointing.HDFSMetadataLog.get(HDFSMetadataLog.scala:1)"
METADATA = "org.apache.spark.sql.execution.streaming.checkpointing.StreamMetadata$.read(StreamMetadata.scala:1)"
STATE = "org.apache.spark.sql.execution.streaming.state.HDFSBackedStateStoreProvider.readDeltaFile(X.scala:1)"
WRITER = "org.apache.spark.sql.execution.datasources.FileFormatWriter$.write(FileFormatWriter.scala:1)"
CUT = "is missing, empty or cut short"


@pytest.mark.parametrize(
    ("said", "frame", "told"),
    [
        ("IllegalStateException: Failed to read log file file:/c/offsets/2. Incomplete log file", LOG, "/c/offsets/2 "),
        ("ChecksumException: Checksum error: file:/c/commits/3 at 512 exp: 1 got: 2", LOG, "/c/commits/3 "),
        (
            "ChecksumException: Checksum error: file:/c/state/0/0/3.delta at 0 exp: 1 got: 2",
            STATE,
            "state/0/0/3.delta ",
        ),
        ("FileNotFoundException: File file:/c/state/0/0/3.delta does not exist", STATE, "/c/state/0/0/3.delta "),
        ("com.fasterxml.jackson.core.io.JsonEOFException: Unexpected end-of-input", LOG, "one of its files "),
        ("com.fasterxml.jackson.databind.exc.MismatchedInputException: No content", METADATA, "one of its files "),
    ],
)
def test_files_that_were_cut_short(said: str, frame: str, told: str) -> None:
    sentence = checkpoint_failure(f"{said}\n\tat {frame}")
    assert sentence is not None
    assert f"{told}{CUT}" in sentence


def test_a_disk_that_is_full() -> None:
    sentence = checkpoint_failure(f"java.io.IOException: No space left on device\n\tat {LOG}")
    assert sentence is not None
    assert sentence.startswith("The checkpoint cannot be written (No space left on device): make room there")


@pytest.mark.parametrize(
    "said",
    [
        "ChecksumException: Checksum error: file:/data/offsets/part-0 at 0 exp: 1 got: 2",
        "com.fasterxml.jackson.core.JsonParseException: Unexpected character",
        "java.io.IOException: No space left on device",
        "OSError: [Errno 28] No space left on device: '/data/out'",
        "FileNotFoundException: File file:/data/state/list.csv does not exist",
    ],
)
def test_what_is_not_of_the_checkpoint(said: str) -> None:
    assert checkpoint_failure(f"{said}\n\tat {WRITER}") is None


class Py4JJavaError(Exception):
    """Its message is what Java said, with the stack."""


@pytest.mark.parametrize(
    ("said", "class_name", "sentence"),
    [
        ("com.example.ThingException: No thing", "ThingException", "ThingException: No thing"),
        (
            "com.example.NoThing: No thing",
            "Py4JJavaError",
            "An error occurred while calling o7.start. : com.example.NoTh",
        ),
    ],
)
def test_one_sentence_of_what_py4j_says(said: str, class_name: str, sentence: str) -> None:
    """Of a query that cannot even be started it gives Java's stack as the message."""
    found = failure(
        Py4JJavaError(f"An error occurred while calling o7.start.\n: {said}\n\tat com.example.A.b(A.java:1)")
    )
    assert found.class_name == class_name
    assert found.sentence.startswith(sentence)
    assert "A.java" not in found.sentence


def test_the_trace_is_the_sentence() -> None:
    said = f"An error occurred while calling o7.start.\n: java.io.IOException: Incomplete log file\n\tat {METADATA}"
    found = failure(Py4JJavaError(said))
    assert found.trace == found.sentence
    assert found.sentence.startswith("The checkpoint is damaged: one of its files")

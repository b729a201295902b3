"""From a file to a topic to a file, through the runner: nothing is lost and nothing comes twice, killed or not."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

from support.connect_runner import ConnectRunner, Event
from support.topic_records import read

if TYPE_CHECKING:
    from riacho.testing import KafkaCluster

TEXT = {
    "key.converter": "org.apache.kafka.connect.storage.StringConverter",
    "value.converter": "org.apache.kafka.connect.storage.StringConverter",
}


def append(file: Path, first: int, last: int) -> None:
    with file.open("a") as stream:
        stream.writelines(f"line {number}\n" for number in range(first, last))


def lines(file: Path) -> list[str]:
    return file.read_text().splitlines() if file.exists() else []


class Copy:
    """Two connectors that copy a file by way of a topic."""

    def __init__(self, runner: ConnectRunner, directory: Path, name: str) -> None:
        self.runner = runner
        self.name = name
        self.source, self.target = directory / "in.txt", directory / "out.txt"
        self.reading = self.writing = 0

    def start(self) -> None:
        source = TEXT | {"connector.class": "FileStreamSource", "file": str(self.source), "topic": self.name}
        sink = TEXT | {"connector.class": "FileStreamSink", "file": str(self.target), "topics": self.name}
        creation = {"topic.creation.default.partitions": "1", "topic.creation.default.replication.factor": "1"}
        self.reading = self.runner.run(f"{self.name} in", source | creation, kind="source")
        self.runner.wait_for(lambda event: event["event"] == "progress", self.reading)
        self.writing = self.runner.run(f"{self.name} out", sink, kind="sink")

    def wait(self, count: int) -> Event:
        return self.runner.wait_for(
            lambda event: event["event"] == "progress" and len(lines(self.target)) >= count, self.writing
        )

    def stop(self) -> None:
        self.runner.stop(f"{self.name} in", self.reading)
        self.runner.stop(f"{self.name} out", self.writing)


def test_connectors_of_somebody_elses(runner: ConnectRunner, connect_broker: KafkaCluster, tmp_path: Path) -> None:
    tally = tmp_path / "tally.json"
    counter = runner.run("counter", {"connector.class": "CounterSource", "topic": "numbers"}, kind="source")
    # Three batches of ten; then it ends, for it would go on for ever.
    runner.wait_for(lambda event: event["event"] == "progress" and event["batch_id"] >= 2, counter)
    runner.stop("counter", counter)
    counting = runner.run(
        "tally", {"connector.class": "TallySink", "file": str(tally), "topics.regex": "num.*"} | TEXT, kind="sink"
    )
    reached = runner.wait_for(
        lambda event: event["event"] == "progress" and event["offsets"][0]["offset"]["kafka_offset"] >= 30, counting
    )
    assert reached["topics"] == ["numbers"]
    runner.stop("tally", counting)
    counted = json.loads(tally.read_text())["counts"]["numbers"]
    assert counted >= 30
    assert counted == len(read(connect_broker.bootstrap_servers, "numbers"))


def test_what_cannot_start_says_why_and_leaves_the_others_alone(runner: ConnectRunner, tmp_path: Path) -> None:
    copy = Copy(runner, tmp_path, "untouched")
    append(copy.source, 0, 10)
    copy.start()
    copy.wait(10)
    missing = runner.run(
        "missing",
        {"connector.class": "FileStreamSink", "file": str(tmp_path / "no" / "out.txt"), "topics": "untouched"},
        kind="sink",
    )
    failed = runner.wait_for(lambda event: event["event"] == "failed" and event["generation"] == missing)
    assert failed["task"] is None
    assert failed["trace"] == f"The directory {tmp_path / 'no'} of the file to write does not exist."

    cut = tmp_path / "cut.txt"
    append(cut, 0, 5)
    cutting = runner.run(
        "cut", TEXT | {"connector.class": "FileStreamSource", "file": str(cut), "topic": "cut"}, kind="source"
    )
    runner.wait_for(lambda event: event["event"] == "progress", cutting)
    # At once: a moment at which the file is empty would be told instead.
    os.truncate(cut, 2)
    failed = runner.wait_for(lambda event: event["event"] == "failed" and event["generation"] == cutting)
    assert failed["task"] == 0
    assert failed["trace"].startswith(f"The file {cut} has 2 bytes, fewer than the 35 that have been read")

    append(copy.source, 10, 20)
    copy.wait(20)
    assert lines(copy.target) == lines(copy.source)
    copy.stop()


def test_lines_pass_in_order_once_and_through_a_kill(
    runner: ConnectRunner, connect_broker: KafkaCluster, tmp_path: Path
) -> None:
    """The last of its file: what comes after it would be run by a JVM that has everything to load and compile again."""
    copy = Copy(runner, tmp_path, "copied")
    append(copy.source, 0, 300)
    copy.start()
    first = copy.wait(300)
    assert first["topics"] == ["copied"]
    assert first["lag"] == {"copied": {"0": 0}}
    (told,) = runner.of(copy.reading, "progress")
    assert told["offsets"] == [
        {"partition": {"filename": str(copy.source)}, "offset": {"position": copy.source.stat().st_size}}
    ]
    assert (told["rows"], told["topics"]) == (300, ["copied"])

    # Whatever the two are at: taking the lines up, writing them, or done.
    append(copy.source, 300, 600)
    runner.kill()
    runner.start()
    append(copy.source, 600, 900)
    copy.start()
    copy.wait(900)
    expected = [f"line {number}" for number in range(900)]
    assert lines(copy.target) == expected
    assert [each.value for each in read(connect_broker.bootstrap_servers, "copied")] == [
        each.encode() for each in expected
    ]
    copy.stop()

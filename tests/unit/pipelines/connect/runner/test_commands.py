"""The lines between worker and runner."""

from __future__ import annotations

import io
import json

import pytest

from riacho.pipelines.connect.protocol import Settings, Start, Stop, command_from
from riacho.pipelines.connect.runner.host import Host
from riacho.pipelines.plugin import SourceOffset
from riacho.pipelines.spark_child.events import Events
from riacho.pipelines.spark_child.messages import Quit

START = {
    "do": "start",
    "name": "orders",
    "generation": 3,
    "type": "sink",
    "configs": {"topics": "orders", "tasks.max": "2"},
    "offsets": [{"partition": {"kafka_topic": "orders", "kafka_partition": 0}, "offset": {"kafka_offset": 5}}],
    "checkpoint": "/tmp/checkpoints/orders",
    "tasks_max": 2,
}


def test_a_start() -> None:
    start = command_from(json.dumps(START))
    assert isinstance(start, Start)
    assert (start.name, start.generation, start.is_sink, start.tasks_max) == ("orders", 3, True, 2)
    assert start.configs == {"topics": "orders", "tasks.max": "2"}
    offset = SourceOffset({"kafka_topic": "orders", "kafka_partition": 0}, {"kafka_offset": 5})
    assert start.offsets == (offset,)
    assert start.scratch == "/tmp/checkpoints/orders.scratch"


def test_the_others() -> None:
    assert command_from('{"do":"stop","name":"orders","generation":3}') == Stop("orders", 3)
    assert command_from('{"do":"quit"}') == Quit()


@pytest.mark.parametrize("line", ["", "[]", "{", '{"do":"dance"}'])
def test_what_is_no_command_is_said_in_a_sentence(line: str) -> None:
    with pytest.raises(ValueError, match=r"\.$"):
        command_from(line)


def told(lines: list[str]) -> list[dict[str, object]]:
    """What a runner says to these commands, when none of them needs Spark."""
    stream = io.BytesIO()
    Host(Settings(bootstrap_servers="127.0.0.1:1"), Events(stream)).run(lines)
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def test_a_line_that_cannot_be_read_does_not_end_the_runner() -> None:
    events = told(["nonsense\n", "\n", '{"do":"stop","name":"a","generation":1}\n'])
    assert [each["event"] for each in events] == ["log", "stopped"]


def test_a_connector_that_does_not_exist_fails_without_spark(tmp_path: object) -> None:
    command = START | {"configs": {"connector.class": "com.example.Nothing"}, "checkpoint": f"{tmp_path}/c"}
    (event,) = told([json.dumps(command)])
    assert (event["event"], event["name"], event["generation"], event["task"]) == ("failed", "orders", 3, None)
    assert str(event["trace"]).startswith("Failed to find any class")


def test_a_bad_config_fails_in_one_sentence(tmp_path: object) -> None:
    command = START | {"configs": {"connector.class": "FileStreamSink"}, "checkpoint": f"{tmp_path}/c"}
    (event,) = told([json.dumps(command)])
    assert event["trace"] == 'Missing required configuration "file" which has no default value.'
    command = command | {"type": "source"}
    (event,) = told([json.dumps(command)])
    assert "is a sink connector." in str(event["trace"])

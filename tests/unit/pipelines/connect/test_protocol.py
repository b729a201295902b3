"""The lines between worker and runner: what one end writes the other one reads, and nothing else."""

from __future__ import annotations

import json

import pytest

from riacho.pipelines.connect.protocol import (
    AnyCommand,
    AnyEvent,
    Doing,
    Errors,
    Failed,
    Prepared,
    Progress,
    Running,
    Settings,
    Start,
    Stop,
    Stopped,
    command_from,
    event_from,
    settings_from,
)
from riacho.pipelines.plugin import SourceOffset
from riacho.pipelines.reach.limits import Limits
from riacho.pipelines.spark_child.messages import Alive, Log, MessageError, Quit, Ready, line_of

OFFSET = SourceOffset({"kafka_topic": "orders", "kafka_partition": 0}, {"kafka_offset": 5})
START = Start(
    name="orders",
    generation=3,
    type="sink",
    configs={"topics": "orders"},
    offsets=(OFFSET, SourceOffset({"kafka_topic": "orders", "kafka_partition": 1}, None)),
    checkpoint="/tmp/checkpoints/orders",
    tasks_max=2,
)
PROGRESS = Progress(
    "orders",
    3,
    batch_id=7,
    rows=10,
    rows_per_second=12.5,
    batch_ms=3,
    lag={"orders": {"0": 4}},
    state_rows=0,
    topics=("orders",),
    offsets=(OFFSET,),
)
COMMANDS: list[AnyCommand] = [START, Stop("orders", 3), Alive(), Quit()]
EVENTS: list[AnyEvent] = [
    Ready("4.3.0", "local[2]"),
    Ready("4.3.0", "local[2]", "http://127.0.0.1:4040"),
    Log("WARN", "said"),
    Doing("orders", 3, "It waits."),
    Prepared("orders", 3, 2),
    Running("orders", 3, 2),
    PROGRESS,
    Errors("orders", 3, 5, 3, 2),
    Failed("orders", 3, None, "no"),
    Failed("orders", 3, 0, "no"),
    Stopped("orders", 3),
]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda each: type(each).__name__)
def test_a_command_arrives_as_it_was_sent(command: AnyCommand) -> None:
    line = line_of(command)
    assert line.count(b"\n") == 1
    assert command_from(line) == command


@pytest.mark.parametrize("event", EVENTS, ids=lambda each: type(each).__name__)
def test_an_event_arrives_as_it_was_sent(event: AnyEvent) -> None:
    line = line_of(event)
    assert line.count(b"\n") == 1
    assert event_from(line) == event


def test_a_start_says_where_its_scratch_directory_is() -> None:
    assert (START.is_sink, START.scratch) == (True, "/tmp/checkpoints/orders.scratch")


def test_settings_arrive_with_their_limits() -> None:
    settings = Settings(bootstrap_servers="b:1", modules=("mine",), limits=Limits(urls=("public",)), silence_ms=8_000)
    arrived = settings_from(line_of(settings))
    assert arrived == settings
    assert arrived.silence_s == 8.0


def test_an_offset_of_an_odd_type_goes_as_its_text() -> None:
    from datetime import date

    event = Progress(
        "a", 1, batch_id=0, rows=0, rows_per_second=0, batch_ms=0, lag=None, state_rows=0, topics=(),
        offsets=(SourceOffset({"table": "t"}, {"since": date(2026, 1, 2)}),),
    )  # fmt: skip
    arrived = event_from(line_of(event))
    assert isinstance(arrived, Progress)
    assert arrived.offsets[0].offset == {"since": "2026-01-02"}


RUNNING = json.loads(line_of(Running("orders", 3, 2)))


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"{",
        b"[]",
        b"\xff\xfe",
        json.dumps(RUNNING | {"event": "dancing"}),
        json.dumps(RUNNING | {"rhythm": 3}),
        json.dumps(RUNNING | {"tasks": "two"}),
        json.dumps({"event": "running", "name": "orders"}),
        json.dumps({"do": "quit"}),
    ],
)
def test_what_is_no_event_is_an_error_in_one_sentence(line: bytes | str) -> None:
    with pytest.raises(MessageError, match=r"^An event could not be read: .*\.$"):
        event_from(line)

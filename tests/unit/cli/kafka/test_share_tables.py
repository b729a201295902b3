"""The tables of kafka-share-groups, and the words of its flags."""

from __future__ import annotations

import pytest

from riacho.cli.kafka import console_share_consumer, share_groups
from riacho.cli.kafka.formatters import DefaultFormatter
from riacho.cli.kafka.launch import run_tool
from riacho.cli.kafka.text import share_group_tables
from riacho.client.share_consumer import ShareRecord
from riacho.client.share_groups import UNDECIDED, ShareGroupDescription, ShareMember, ShareOffset
from riacho.client.share_session import Share

GROUP = ShareGroupDescription(
    "g", "Stable", [ShareMember("m", "c", "/h", 4, [("t", 0), ("t", 1), ("u", 0)])], 5, 4, 1, ("host", 9092)
)


def test_offsets(capsys: pytest.CaptureFixture[str]) -> None:
    share_group_tables.print_offsets("g", {("t", 0): ShareOffset(5, 0, 7), ("t", 1): UNDECIDED}, verbose=False)
    share_group_tables.print_offsets("g", {}, verbose=False)
    assert capsys.readouterr().out.splitlines() == [
        "",
        "GROUP           TOPIC           PARTITION  START-OFFSET  LAG",
        "g               t               0          5             7",
        "g               t               1          -             -",
        "",
        "Share group 'g' has no offset information.",
    ]


def test_members(capsys: pytest.CaptureFixture[str]) -> None:
    share_group_tables.print_members(GROUP, verbose=True)
    assert capsys.readouterr().out.splitlines() == [
        "",
        "GROUP           CONSUMER-ID     HOST            CLIENT-ID       #PARTITIONS  MEMBER-EPOCH  ASSIGNMENT",
        "g               m               /h              c               3            4             t:0,1;u:0",
    ]


def test_state(capsys: pytest.CaptureFixture[str]) -> None:
    share_group_tables.print_state(GROUP._replace(state="Empty", members=[]), verbose=False)
    captured = capsys.readouterr()
    assert captured.out.splitlines() == [
        "",
        "GROUP           COORDINATOR (ID)          STATE           #MEMBERS",
        "g               host:9092  (1)            Empty           0",
    ]
    assert captured.err == "\nShare group 'g' has no active members.\n"


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["--list", "--describe"], "Command must include exactly one action"),
        (["--describe"], "Option [describe] takes one of these options: [all-groups], [group]"),
        (["--describe", "--group", "g", "--members", "--state"], "takes at most one of these options"),
        (["--delete", "--group", "g", "--topic", "t"], 'Option "[topic]" can\'t be used with option "[delete]"'),
        (["--delete-offsets", "--group", "g"], "Option [delete-offsets] takes the following options"),
        (
            ["--reset-offsets", "--group", "g", "--all-topics", "--to-latest"],
            "takes the option: [execute] or [dry-run]",
        ),
        (["--reset-offsets", "--group", "g", "--to-latest", "--execute"], "[all-topics], [topic]"),
        (["--reset-offsets", "--group", "g", "--all-topics", "--execute"], "[to-datetime], [to-earliest], [to-latest]"),
    ],
)
def test_flags_that_do_not_go_together(words: list[str], problem: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_tool("kafka-share-groups", share_groups.run, words) == 1
    assert problem in capsys.readouterr().err


def test_the_consumer_takes_one_verdict_and_one_group(
    capsys: pytest.CaptureFixture[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    tool, run = "kafka-console-share-consumer", console_share_consumer.run
    assert run_tool(tool, run, ["--topic", "t", "--reject", "--release"]) == 1
    assert "At most one of --reject and --release may be specified." in capsys.readouterr().err
    assert run_tool(tool, run, ["--topic", "t", "--group", "a", "--command-property", "group.id=b"]) == 1
    assert "do not match: 'a', 'b'" in capsys.readouterr().err


def test_the_delivery_count_is_a_column() -> None:
    record = ShareRecord("t", 1, 5, 1700, 0, 3, 2, b"k", b"v", [], Share(b"t" * 16, 1), 1)
    shape = DefaultFormatter({f"print.{name}": "true" for name in ("timestamp", "partition", "offset", "delivery")})
    assert (
        shape.format(console_share_consumer.printable(record))
        == b"CreateTime:1700\tPartition:1\tOffset:5\tDelivery:2\tv\n"
    )

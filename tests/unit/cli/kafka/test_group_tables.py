"""The tables of `kafka-consumer-groups --describe`, byte for byte."""

from __future__ import annotations

import pytest

from riacho.base.errors import ErrorCode
from riacho.cli.kafka.text import group_tables
from riacho.client.group_description import GroupDescription, Member, assigned_partitions
from riacho.client.groups import CommittedOffset
from riacho.client.offsets import FoundOffset
from riacho.wire.codec import encode
from riacho.wire.messages.consumer_protocol_assignment import ConsumerProtocolAssignment, TopicPartition

MEMBER = Member("consumer-1-abc", None, "consumer-1", "/127.0.0.1", [("orders", 0), ("orders", 1)])
GROUP = GroupDescription("g", "Stable", "range", [MEMBER], 1, ("localhost", 9092))
COMMITTED = {("orders", 0): CommittedOffset(7, 2, ""), ("old", 0): CommittedOffset(1, -1, "")}
ENDS = {
    ("orders", 0): FoundOffset(10, -1, -1),
    ("orders", 1): FoundOffset(4, -1, -1),
    ("old", 0): FoundOffset(-1, -1, -1, ErrorCode.LEADER_NOT_AVAILABLE),
}


def test_offsets(capsys: pytest.CaptureFixture[str]) -> None:
    group_tables.print_offsets(group_tables.offset_rows(GROUP, COMMITTED, ENDS), False)
    assert capsys.readouterr().out == (
        "\nGROUP           TOPIC           PARTITION  CURRENT-OFFSET  LOG-END-OFFSET  LAG             "
        "CONSUMER-ID     HOST            CLIENT-ID"
        "\ng               orders          0          7               10              3               "
        "consumer-1-abc  /127.0.0.1      consumer-1"
        "\ng               orders          1          -               4               -               "
        "consumer-1-abc  /127.0.0.1      consumer-1"
        "\ng               old             0          1               -               -               "
        "-               -               -\n"
    )


def test_verbose_offsets_show_the_epoch(capsys: pytest.CaptureFixture[str]) -> None:
    group_tables.print_offsets(group_tables.offset_rows(GROUP, COMMITTED, ENDS), True)
    told = capsys.readouterr().out.splitlines()
    assert told[1].startswith("GROUP           TOPIC           PARTITION  LEADER-EPOCH    CURRENT-OFFSET  ")
    assert told[2].startswith("g               orders          0          2               7 ")


def test_members(capsys: pytest.CaptureFixture[str]) -> None:
    group_tables.print_members(GROUP, False)
    assert capsys.readouterr().out == (
        "\nGROUP           CONSUMER-ID     HOST            CLIENT-ID       #PARTITIONS     "
        "\ng               consumer-1-abc  /127.0.0.1      consumer-1      2               \n"
    )


def test_static_members_have_a_column_more(capsys: pytest.CaptureFixture[str]) -> None:
    group_tables.print_members(GROUP._replace(members=[MEMBER._replace(instance_id="i-1")]), False)
    assert "CONSUMER-ID     GROUP-INSTANCE-ID HOST" in capsys.readouterr().out


def test_verbose_members(capsys: pytest.CaptureFixture[str]) -> None:
    group_tables.print_members(GROUP, True)
    assert (
        capsys.readouterr()
        .out.splitlines()[2]
        .endswith("2               -               orders:0,1           -               -                   ")
    )


def test_members_of_both_protocols(capsys: pytest.CaptureFixture[str]) -> None:
    new = MEMBER._replace(epoch=3, upgraded=True, target=[("orders", 0)])
    old = MEMBER._replace(epoch=3, upgraded=False)
    group_tables.print_members(GROUP._replace(members=[new, old], assignment_epoch=4), True)
    told = capsys.readouterr().out.splitlines()
    assert told[1].endswith("TARGET-ASSIGNMENT    UPGRADED")
    assert told[2].endswith("3               orders:0,1           4               orders:0             true")
    assert told[3].endswith("false")


def test_state(capsys: pytest.CaptureFixture[str]) -> None:
    group_tables.print_state(GROUP, False)
    assert capsys.readouterr().out == (
        "\nGROUP           COORDINATOR (ID)          ASSIGNMENT-STRATEGY  STATE                #MEMBERS"
        "\ng               localhost:9092  (1)       range                Stable               1\n"
    )
    group_tables.print_state(GROUP._replace(group_epoch=5, assignment_epoch=4, assignor=""), True)
    assert capsys.readouterr().out.splitlines()[2] == (
        "g               localhost:9092  (1)       -                    Stable               "
        "5               4                         1"
    )


def test_notes_go_to_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    group_tables.warn_of_state(GROUP._replace(state="Empty"))
    group_tables.warn_of_state(GROUP._replace(state="PreparingRebalance"))
    group_tables.warn_of_state(GROUP)
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err == ("\nConsumer group 'g' has no active members.\n\nWarning: Consumer group 'g' is rebalancing.\n")


def test_assignments_are_read_leniently() -> None:
    body = encode(ConsumerProtocolAssignment(assigned_partitions=[TopicPartition(topic="t", partitions=[1, 0])]), 0)
    assert assigned_partitions(b"\x00\x00" + bytes(body)) == [("t", 0), ("t", 1)]
    assert assigned_partitions(b"") == []
    assert assigned_partitions(b"\x00\x00\xff\xff\xff") == []

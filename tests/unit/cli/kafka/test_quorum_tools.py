"""The lines of kafka-metadata-quorum, kafka-features and kafka-leader-election, byte for byte."""

from __future__ import annotations

import pytest

from riacho.base.errors import ErrorCode, KafkaError
from riacho.base.ids import uuid_from_text
from riacho.cli.kafka.controller_properties import controller_endpoints, parse_listeners, read_controller
from riacho.cli.kafka.features import feature_lines, outcome_line
from riacho.cli.kafka.flags.jopt import parse
from riacho.cli.kafka.flags.tools import TOOLS
from riacho.cli.kafka.launch import ToolError
from riacho.cli.kafka.leader_election import parse_partitions, report
from riacho.cli.kafka.metadata_quorum import replication_rows, status_text
from riacho.cli.kafka.text.tables import print_table
from riacho.client.elections import ElectionType
from riacho.client.features import Features
from riacho.client.quorum import Quorum, QuorumEndpoint
from riacho.wire.messages.describe_quorum_response import ReplicaState

ID = "S3p0UcQ1SjCkwUQ3Ioj1BA"


def quorum() -> Quorum:
    leader = ReplicaState(
        replica_id=2,
        replica_directory_id=uuid_from_text(ID),
        log_end_offset=50,
        last_fetch_timestamp=2_000,
        last_caught_up_timestamp=2_000,
    )
    follower = ReplicaState(replica_id=1, log_end_offset=40, last_fetch_timestamp=1_900, last_caught_up_timestamp=1_700)
    observer = ReplicaState(replica_id=3, log_end_offset=49)
    endpoints = {2: [QuorumEndpoint("CONTROLLER", "::1", 9093)], 1: [QuorumEndpoint("CONTROLLER", "h", 9094)]}
    return Quorum(2, 7, 40, [follower, leader], [observer], endpoints)


def test_status() -> None:
    assert status_text("cluster", quorum()) == (
        "ClusterId:              cluster\n"
        "LeaderId:               2\n"
        "LeaderEpoch:            7\n"
        "HighWatermark:          40\n"
        "MaxFollowerLag:         10\n"
        "MaxFollowerLagTimeMs:   300\n"
        'CurrentVoters:          [{"id": 1, "endpoints": ["CONTROLLER://h:9094"]}, '
        f'{{"id": 2, "directoryId": "{ID}", "endpoints": ["CONTROLLER://[::1]:9093"]}}]\n'
        'CurrentObservers:       [{"id": 3}]'
    )


def test_replication_has_the_leader_first() -> None:
    zero = "A" * 22
    assert replication_rows(quorum(), None) == [
        ["2", ID, "50", "0", "2000", "2000", "Leader"],
        ["1", zero, "40", "10", "1900", "1700", "Follower"],
        ["3", zero, "49", "1", "-1", "-1", "Observer"],
    ]
    assert replication_rows(quorum(), 2_100)[1][4:6] == ["200 ms ago", "400 ms ago"]
    with pytest.raises(ToolError, match="possible drift in system clock"):
        replication_rows(quorum(), 1_950)


def test_tables_end_each_column_with_a_tab(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(["A", "Long"], [["longer", "x"]])
    assert capsys.readouterr().out == "A     \tLong\t\nlonger\tx   \t\n"


def test_a_controller_by_its_own_properties() -> None:
    properties = {
        "listeners": "PLAINTEXT://:9092,CONTROLLER://0.0.0.0:9093",
        "advertised.listeners": "CONTROLLER://h:9094",
        "controller.listener.names": "controller",
    }
    assert controller_endpoints(properties) == [QuorumEndpoint("CONTROLLER", "h", 9094)]
    assert parse_listeners("A://[::1]:1,b://:2") == [QuorumEndpoint("A", "::1", 1), QuorumEndpoint("B", "localhost", 2)]


BAD_CONTROLLERS = [
    ({}, "node.id not found"),
    ({"node.id": "-1"}, "node.id was negative"),
    ({"node.id": "x"}, "not a number"),
    ({"node.id": "1", "process.roles": "broker"}, "process.roles did not contain 'controller'"),
    ({"node.id": "1", "process.roles": "controller"}, "Neither metadata.log.dir nor log.dirs were found"),
    ({"node.id": "1", "process.roles": "controller", "log.dirs": "/nowhere"}, "Unable to read meta.properties"),
]


@pytest.mark.parametrize(("properties", "problem"), BAD_CONTROLLERS)
def test_what_is_no_controller(properties: dict[str, str], problem: str) -> None:
    with pytest.raises(ToolError, match=problem):
        read_controller(properties)


def test_features() -> None:
    features = Features({"metadata.version": (7, 30), "group.version": (0, 1)}, {"metadata.version": 25}, 12)
    group, metadata = feature_lines(features)
    assert group == (
        "Feature: group.version                             SupportedMinVersion: 0                "
        "SupportedMaxVersion: 1                FinalizedVersionLevel: 0                Epoch: 12"
    )
    assert metadata.split()[1:] == [
        "metadata.version", "SupportedMinVersion:", "3.3-IV3", "SupportedMaxVersion:", "4.3-IV0",
        "FinalizedVersionLevel:", "4.0-IV3", "Epoch:", "12",
    ]  # fmt: skip
    assert feature_lines(features._replace(epoch=None))[0].endswith("Epoch: -")


def test_what_came_of_an_update() -> None:
    error = KafkaError(ErrorCode.INVALID_UPDATE_VERSION, "No.")
    assert outcome_line("upgrade", "f", 2, None, dry_run=False) == "f was upgraded to 2."
    assert outcome_line("downgrade", "f", 2, None, dry_run=True) == "f can be downgraded to 2."
    assert outcome_line("disable", "f", 0, None, dry_run=False) == "f was disabled."
    assert outcome_line("disable", "f", 0, error, dry_run=True) == "Can not disable f. No."
    assert outcome_line("upgrade", "f", 2, error, dry_run=False) == "Could not upgrade f to 2. No."


def test_elections_are_told_by_what_came_of_them(capsys: pytest.CaptureFixture[str]) -> None:
    outcomes = {
        ("t", 1): None,
        ("t", 0): None,
        ("t", 2): KafkaError(ErrorCode.ELECTION_NOT_NEEDED),
        ("u", 0): KafkaError(ErrorCode.ELIGIBLE_LEADERS_NOT_AVAILABLE, "None is there."),
    }
    with pytest.raises(ToolError, match=r"1 replica\(s\) could not be elected"):
        report(ElectionType.UNCLEAN, outcomes)
    assert capsys.readouterr().out == (
        "Successfully completed leader election (UNCLEAN) for partitions t-0, t-1\n"
        "Valid replica already elected for partitions t-2\n"
        "Error completing leader election (UNCLEAN) for partition: u-0: None is there.\n"
    )
    assert report(ElectionType.PREFERRED, {}) == 0


def test_partitions_of_an_election() -> None:
    one = '{"topic": "t", "partition": 1}'
    assert parse_partitions(f'{{"partitions": [{one}]}}') == [("t", 1)]
    for text, problem in {
        "": "data is empty",
        "{}": 'missing "partitions" field',
        f'{{"partitions": [{one}, {one}]}}': r"duplicate partitions: \[t-1\]",
        '{"partitions": [{"topic": "t"}]}': "needs a topic and a partition",
    }.items():
        with pytest.raises(ToolError, match=problem):
            parse_partitions(text)


def test_flags_may_stand_before_the_command() -> None:
    words = ["--bootstrap-server", "describe", "describe", "--status"]
    arguments = parse(TOOLS["kafka-metadata-quorum"], words)
    assert (arguments.command, arguments.text("bootstrap-server")) == ("describe", "describe")
    assert parse(TOOLS["kafka-leader-election"], ["--election-type", "unclean"]).text("election-type") == "UNCLEAN"

"""What a new cluster begins with: features, voters, and the files that hold them."""

from __future__ import annotations

import pytest

from riacho.base.ids import uuid_from_text
from riacho.cli.kafka.bootstrap_checkpoint import bootstrap_checkpoint, first_snapshot
from riacho.cli.kafka.feature_levels import bootstrap_levels
from riacho.cli.kafka.flags.jopt import Arguments, UsageError, parse
from riacho.cli.kafka.flags.tools import TOOLS
from riacho.cli.kafka.initial_voters import check_flags, initial_voters, parse_controllers
from riacho.cli.kafka.launch import ToolError
from riacho.metadata.image.features import SUPPORTED
from riacho.metadata.image.snapshot import read_snapshot
from riacho.raft.control_records import iterate_control_records
from riacho.raft.voters import Endpoint, Voter, VoterSet
from riacho.wire.messages.kraft_version_record import KRaftVersionRecord
from riacho.wire.messages.voters_record import VotersRecord

ID = "S3p0UcQ1SjCkwUQ3Ioj1BA"
RAW = uuid_from_text(ID)


def flags(line: str) -> Arguments:
    return parse(TOOLS["kafka-storage"], ["format", "-c", "c", "-t", ID, *line.split()])


def test_levels_that_are_served() -> None:
    levels = bootstrap_levels(None, [], dynamic=True)
    assert next(iter(levels.items())) == ("metadata.version", 30)
    assert list(levels)[1:] == sorted(list(levels)[1:])
    assert all(SUPPORTED[name][0] <= level <= SUPPORTED[name][1] for name, level in levels.items())
    assert "kraft.version" not in levels
    without = bootstrap_levels(None, ["eligible.leader.replicas.version=0"], dynamic=True)
    assert "eligible.leader.replicas.version" not in without


BAD_LEVELS = [
    (None, ["no.such=1"], True, "Unsupported feature: no.such"),
    (None, ["group.version=9"], True, "No feature:group.version with feature level 9"),
    (None, ["kraft.version=0"], True, "Cannot set kraft.version to 0"),
    (None, ["kraft.version=1"], False, "Cannot set kraft.version to 1"),
    ("4.3", ["metadata.version=30"], True, "Use --release-version instead"),
    ("1.1", [], True, "Unknown metadata.version '1.1'"),
    ("3.9", [], True, "This broker writes metadata.version 4.3-IV0 only, not 3.9-IV0"),
    (None, ["a"], True, "equals sign not found"),
]


@pytest.mark.parametrize(("release", "features", "dynamic", "problem"), BAD_LEVELS)
def test_levels_that_are_refused(release: str | None, features: list[str], dynamic: bool, problem: str) -> None:
    with pytest.raises(ToolError, match=problem):
        bootstrap_levels(release, features, dynamic=dynamic)


BAD_FLAGS = [
    ("", {"process.roles": "controller"}, "you must specify one of the following"),
    ("--standalone", {"process.roles": "broker"}, "only use --standalone on a controller"),
    ("-s", {"process.roles": "controller", "controller.quorum.voters": "1@h:1"}, "You cannot specify"),
]


@pytest.mark.parametrize(("line", "properties", "problem"), BAD_FLAGS)
def test_flags_that_do_not_fit_the_node(line: str, properties: dict[str, str], problem: str) -> None:
    with pytest.raises(ToolError, match=problem):
        check_flags(flags(line), properties)


def test_voters_can_be_told_in_one_way_only() -> None:
    with pytest.raises(UsageError, match="not allowed with argument --standalone"):
        check_flags(flags("--standalone --no-initial-controllers"), {})
    check_flags(flags(""), {})


def test_voters() -> None:
    properties = {"listeners": "X://h:5", "controller.listener.names": "x"}
    alone = initial_voters(flags("--standalone"), properties, 4, RAW)
    assert alone == VoterSet([Voter(4, RAW, (Endpoint("X", "h", 5),))])
    listed = initial_voters(flags(f"-I 2@[::1]:9:{ID}"), properties, 4, bytes(16))
    assert listed == VoterSet([Voter(2, RAW, (Endpoint("X", "0:0:0:0:0:0:0:1", 9),))])
    assert initial_voters(flags("--no-initial-controllers"), properties, 4, RAW) is None


@pytest.mark.parametrize("text", ["", "1", "1@h:9093", f"x@h:1:{ID}", f"1@h:0:{ID}", f"1@h:x:{ID}", "1@h:1:zz"])
def test_what_is_no_list_of_controllers(text: str) -> None:
    with pytest.raises(ToolError):
        parse_controllers(text, "C")
    with pytest.raises(ToolError, match="Node id 1 was specified more than once"):
        parse_controllers(f"1@h:1:{ID},1@h:2:{ID}", "C")


def test_the_files_read_back() -> None:
    records = read_snapshot(bootstrap_checkpoint({"metadata.version": 30, "f": 1}, now_ms=5))
    assert [(r.name, r.feature_level) for r in records] == [("metadata.version", 30), ("f", 1)]  # type: ignore[attr-defined]
    voters = parse_controllers(f"1@h:1:{ID}", "C")
    data = first_snapshot(voters, now_ms=5)
    assert read_snapshot(data) == []
    values = [value for _, _, value in iterate_control_records(data)]
    assert [v.kraft_version for v in values if isinstance(v, KRaftVersionRecord)] == [1]
    assert [VoterSet.from_record(v) for v in values if isinstance(v, VotersRecord)] == [voters]

from __future__ import annotations

import pytest

from riacho.base.ids import uuid_text
from riacho.raft.voters import Endpoint, ReplicaKey, Voter, VoterSet
from support.raft_world import directory, dynamic_voters, static_voters


def test_static_voters_are_parsed() -> None:
    voters = VoterSet.parse("2@two:9093, 1@[::1]:9094")
    assert voters.ids == [1, 2]
    assert voters.get(1) == Voter(1, endpoints=(Endpoint("", "::1", 9094),))
    assert voters.get(2) == Voter(2, endpoints=(Endpoint("", "two", 9093),))


def test_voters_with_directories_are_parsed() -> None:
    (voter,) = VoterSet.parse(f"3@three:9093:{uuid_text(directory(3))}")
    assert voter.key == ReplicaKey(3, directory(3))
    assert voter.endpoint() == Endpoint("", "three", 9093)


@pytest.mark.parametrize("text", ["1", "x@host:1", "1@host", "1@host:port", "1@:9093", "1@host:70000"])
def test_what_is_no_voter_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not a"):
        VoterSet.parse(text)


def test_an_id_occurs_once() -> None:
    with pytest.raises(ValueError, match="twice"):
        VoterSet.parse("1@a:1,1@b:2")


@pytest.mark.parametrize(("count", "majority"), [(1, 1), (2, 2), (3, 2), (4, 3), (5, 3)])
def test_majority(count: int, majority: int) -> None:
    assert static_voters(count).majority == majority


def test_a_static_voter_fits_every_directory_a_dynamic_one_only_its_own() -> None:
    stranger = ReplicaKey(1, directory(1, life=9))
    assert static_voters(3).has(stranger)
    assert not dynamic_voters(3).has(stranger)
    assert dynamic_voters(3).has(ReplicaKey(1, directory(1)))
    # A voter that came back with another disk is another replica than the voter with its id.
    assert [voter.node_id for voter in dynamic_voters(3).others(stranger)] == [1, 2, 3]


def test_record_and_back() -> None:
    voters = dynamic_voters(3)
    assert VoterSet.from_record(voters.to_record()) == voters


def test_sets_are_values() -> None:
    voters = static_voters(3)
    assert voters.without(3) == static_voters(2)
    assert voters.without(3).with_voter(Voter(3)).ids == [1, 2, 3]
    assert len(voters) == 3
    assert {voters, static_voters(3)} == {voters}


def test_endpoint_by_listener() -> None:
    voter = Voter(1, endpoints=(Endpoint("A", "a", 1), Endpoint("B", "b", 2)))
    assert voter.endpoint("B") == Endpoint("B", "b", 2)
    assert voter.endpoint("C") == Endpoint("A", "a", 1)
    assert Voter(1).endpoint() is None

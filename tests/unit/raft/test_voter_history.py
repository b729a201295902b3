from __future__ import annotations

from riacho.raft.voter_history import VoterHistory, VotersAt
from support.raft_world import dynamic_voters, static_voters


def history() -> VoterHistory:
    known = VoterHistory(static_voters(3), 0)
    known.add(VotersAt(10, dynamic_voters(3), 1))
    known.add(VotersAt(20, dynamic_voters(4), 1))
    return known


def test_the_latest_rules() -> None:
    assert history().latest == VotersAt(20, dynamic_voters(4), 1)


def test_truncation_makes_the_former_rule_again() -> None:
    known = history()
    known.truncate(20)
    assert known.latest == VotersAt(10, dynamic_voters(3), 1)
    known.truncate(3)
    assert known.latest == VotersAt(-1, static_voters(3), 0)


def test_truncation_behind_it_leaves_it() -> None:
    known = history()
    known.truncate(21)
    assert known.latest.offset == 20


def test_committed_once_the_high_watermark_is_past_it() -> None:
    assert not history().is_committed(20)
    assert history().is_committed(21)


def test_what_a_snapshot_must_hold() -> None:
    assert history().at(20).voters == dynamic_voters(3)
    assert history().at(21).voters == dynamic_voters(4)
    assert history().at(5).voters == static_voters(3)


def test_a_replayed_log_keeps_what_was_configured_below_it() -> None:
    known = history()
    known.replace((VotersAt(15, dynamic_voters(5), 1),))
    assert known.latest.voters == dynamic_voters(5)
    known.truncate(15)
    assert known.latest.voters == static_voters(3)


def test_what_is_seen_twice_counts_once() -> None:
    known = history()
    known.add(VotersAt(20, dynamic_voters(4), 1))
    known.truncate(20)
    assert known.latest.offset == 10

from __future__ import annotations

import pytest

from riacho.raft.config import RaftConfig


def test_a_leader_outlives_a_fetch_timeout_by_half() -> None:
    assert RaftConfig(fetch_timeout_ms=2_000).check_quorum_timeout_ms == 3_000


@pytest.mark.parametrize("name", ["election_timeout_ms", "fetch_timeout_ms", "request_timeout_ms", "retry_backoff_ms"])
def test_times_are_positive(name: str) -> None:
    with pytest.raises(ValueError, match=name):
        RaftConfig(**{name: 0})


def test_the_first_election_comes_within_a_range() -> None:
    with pytest.raises(ValueError, match="range"):
        RaftConfig(initial_election_ms=(300, 50))

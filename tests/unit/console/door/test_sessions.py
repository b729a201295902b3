"""Sessions end by silence, age, logging out and where there are too many; ids are kept by nobody."""

from __future__ import annotations

from riacho.console.door.roles import Role
from riacho.console.door.sessions import Sessions


def make(**bounds: int) -> Sessions:
    return Sessions(idle_ms=1_000, age_ms_max=5_000, **bounds)


def test_a_session_is_found_until_it_was_silent_for_too_long() -> None:
    sessions = make()
    session_id = sessions.begin("ann", Role.VIEWER, "local", 0)
    for now_ms in (900, 1_800, 2_700):
        found = sessions.find(session_id, now_ms)
        assert found is not None
        assert (found.name, found.role) == ("ann", Role.VIEWER)
    assert sessions.find(session_id, 3_700) is None
    assert len(sessions) == 0


def test_no_session_outlives_its_age_however_busy() -> None:
    sessions = make()
    session_id = sessions.begin("ann", Role.VIEWER, "local", 0)
    assert all(sessions.find(session_id, now_ms) for now_ms in range(0, 5_000, 500))
    assert sessions.find(session_id, 5_000) is None


def test_ids_and_tokens_are_256_random_bits_and_ids_are_not_kept() -> None:
    sessions = make(count_max=200, per_user_max=200)
    ids = {sessions.begin("ann", Role.ADMIN, "local", 0) for _ in range(100)}
    tokens = {found.csrf for each in ids if (found := sessions.find(each, 0))}
    assert len(ids) == len(tokens) == 100
    assert all(len(each) == 43 for each in ids | tokens)
    assert not any(each in repr(vars(sessions)) for each in ids)


def test_who_logs_out_is_gone() -> None:
    sessions = make()
    session_id = sessions.begin("ann", Role.ADMIN, "local", 0)
    assert sessions.end(session_id) is not None
    assert sessions.find(session_id, 0) is None
    assert sessions.end(session_id) is None


def test_one_user_takes_no_more_than_a_share_and_pushes_out_nobody_else() -> None:
    sessions = make(count_max=10, per_user_max=3)
    bob = sessions.begin("bob", Role.VIEWER, "local", 0)
    own = [sessions.begin("ann", Role.ADMIN, "local", n) for n in range(8)]
    assert [sessions.find(each, 10) is not None for each in own] == [False] * 5 + [True] * 3
    assert sessions.find(bob, 10) is not None


def test_all_together_are_bounded_and_the_longest_unused_goes() -> None:
    sessions = make(count_max=3, per_user_max=3)
    first, second, third = (sessions.begin(f"u{n}", Role.VIEWER, "local", n) for n in range(3))
    assert sessions.find(first, 5)
    sessions.begin("u9", Role.VIEWER, "local", 6)
    assert len(sessions) == 3
    assert sessions.find(second, 7) is None
    assert sessions.find(first, 7)
    assert sessions.find(third, 7)

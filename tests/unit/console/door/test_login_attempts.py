"""Guessing passwords becomes slow, by name and by address, without locking the owner of a name out."""

from __future__ import annotations

from riacho.console.door.login_attempts import LoginAttempts


def fail(attempts: LoginAttempts, name: str, address: str, times: int, now_ms: int = 0) -> None:
    for _ in range(times):
        attempts.failed(name, address, now_ms)


def test_a_few_failures_are_free_then_each_costs_twice_as_long() -> None:
    attempts = LoginAttempts()
    fail(attempts, "ann", "a", 4)
    assert attempts.wait_ms("ann", "a", 0) == 0
    waits = []
    for _ in range(8):
        attempts.failed("ann", "a", 0)
        waits.append(attempts.wait_ms("ann", "a", 0))
    assert waits == [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]
    assert attempts.wait_ms("ann", "a", 59_000) == 1_000
    assert attempts.wait_ms("ann", "a", 60_000) == 0


def test_a_name_is_slow_from_any_address_and_an_address_with_any_name() -> None:
    attempts = LoginAttempts()
    for n in range(6):
        attempts.failed("ann", f"a{n}", 0)
    assert attempts.wait_ms("ann", "elsewhere", 0) > 0
    assert attempts.wait_ms("bob", "elsewhere", 0) == 0
    for n in range(21):
        attempts.failed(f"u{n}", "sprayer", 0)
    assert attempts.wait_ms("zoe", "sprayer", 0) > 0


def test_all_addresses_of_one_machines_network_are_one() -> None:
    attempts = LoginAttempts()
    for n in range(21):
        attempts.failed(f"u{n}", f"2001:db8::{n:x}", 0)
    assert attempts.wait_ms("zoe", "2001:db8::ffff", 0) > 0
    assert attempts.wait_ms("zoe", "2001:db8:0:1::1", 0) == 0


def test_failures_of_others_do_not_lock_out_who_has_been_here() -> None:
    attempts = LoginAttempts()
    attempts.succeeded("ann", "home")
    fail(attempts, "ann", "evil", 50)
    assert attempts.wait_ms("ann", "evil", 0) > 0
    assert attempts.wait_ms("ann", "home", 0) == 0
    fail(attempts, "ann", "home", 6)
    assert attempts.wait_ms("ann", "home", 0) > 0


def test_who_guesses_behind_the_same_proxy_locks_nobody_out() -> None:
    attempts = LoginAttempts()
    attempts.succeeded("ann", "proxy")
    for n in range(100):
        attempts.failed(f"guess{n}", "proxy", 0)
    assert attempts.wait_ms("zoe", "proxy", 0) > 0
    assert attempts.wait_ms("ann", "proxy", 0) == 0
    fail(attempts, "ann", "proxy", 6)
    assert attempts.wait_ms("ann", "proxy", 0) > 0


def test_what_is_remembered_of_them_is_bounded() -> None:
    attempts = LoginAttempts()
    for n in range(25_000):
        attempts.failed(f"{n}" + "x" * 5_000, f"10.0.{n % 256}.{n // 256}", 0)
    kept = attempts._failures._values
    assert len(kept) <= 10_000
    assert max(len(name) for name, _ in kept) < 300


def test_a_login_and_time_forgive() -> None:
    attempts = LoginAttempts()
    fail(attempts, "ann", "a", 10)
    attempts.succeeded("ann", "a")
    assert attempts.wait_ms("ann", "a", 0) == 0
    fail(attempts, "bob", "b", 12)
    assert attempts.wait_ms("bob", "b", 15 * 60_000) == 0
    attempts.failed("bob", "b", 16 * 60_000)
    assert attempts.wait_ms("bob", "b", 16 * 60_000) == 0

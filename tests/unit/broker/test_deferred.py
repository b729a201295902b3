"""A reply that comes later reaches its one listener once, and nobody when the peer is gone."""

from __future__ import annotations

from riacho.broker.deferred import Deferred


def test_the_listener_is_called_at_once() -> None:
    got: list[str] = []
    deferred = Deferred()
    deferred.then(got.append)
    deferred.resolve("answer")
    deferred.resolve("another")
    assert got == ["answer"]


def test_an_early_answer_waits_for_its_listener() -> None:
    got: list[str] = []
    deferred = Deferred()
    deferred.resolve("answer")
    deferred.then(got.append)
    assert got == ["answer"]


def test_an_abandoned_reply_calls_its_hook_and_no_listener() -> None:
    got: list[str] = []
    hooks: list[str] = []
    deferred = Deferred(on_abandon=lambda: hooks.append("cancelled"))
    deferred.then(got.append)
    deferred.abandon()
    deferred.abandon()
    deferred.resolve("too late")
    assert (got, hooks) == ([], ["cancelled"])

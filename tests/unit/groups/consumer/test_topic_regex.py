"""Patterns come from clients: whatever they send, it is quick."""

from __future__ import annotations

import time

import pytest

from riacho.base.errors import ErrorCode, KafkaError
from riacho.groups.consumer.topic_regex import check_regex, matching_topics


@pytest.mark.parametrize("regex", ["(", "a{2,1}", "(?=a)", r"(a)\1", "[z-a]", "*", "a{1001}", "(?P<n>a", "\\"])
def test_what_is_no_pattern_is_refused(regex: str) -> None:
    with pytest.raises(KafkaError) as raised:
        check_regex(regex)
    assert raised.value.code is ErrorCode.INVALID_REGULAR_EXPRESSION
    assert f"`{regex}`" in raised.value.detail


def test_the_whole_name_must_match() -> None:
    names = ["orders", "orders-eu", "my-orders"]
    assert matching_topics(["orders", "orders.*", ".*orders"], names, None) == {
        "orders": {"orders"},
        "orders.*": {"orders", "orders-eu"},
        ".*orders": {"orders", "my-orders"},
    }


def test_only_topics_that_the_member_may_know_of() -> None:
    assert matching_topics([".*"], ["a", "b"], lambda name: name == "b") == {".*": {"b"}}


def test_a_stored_pattern_that_does_not_compile_matches_nothing() -> None:
    assert matching_topics(["("], ["a"], None) == {"(": frozenset()}


@pytest.mark.parametrize(
    "regex",
    ["(a*)*b", "(a+)+$", "(a|aa)+b", "(.*)*x", "(a?){25}a{25}", "(((a{30}){30}){30})", "(?i)(x+x+)+y", "a" * 100_000],
)
def test_a_hostile_pattern_costs_next_to_nothing(regex: str) -> None:
    start = time.process_time()
    matching_topics([regex], ["a" * 249] * 200, None)
    assert time.process_time() - start < 2.0, "a backtracking engine would take for ever"

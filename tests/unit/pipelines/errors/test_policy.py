"""errors.* of a connector's config: defaults, what goes together, and the waits between tries."""

from __future__ import annotations

from itertools import islice

import pytest

from riacho.base.config import ConfigError
from riacho.pipelines.errors.policy import DLQ_TOPIC, ErrorPolicy, check


def test_the_defaults_are_kafkas() -> None:
    assert ErrorPolicy.from_configs({}, is_sink=True) == ErrorPolicy(
        tolerate=False,
        retry_timeout_ms=0,
        retry_delay_ms_max=60_000,
        log=False,
        log_messages=False,
        dead_letter_topic=None,
        dead_letter_replication_factor=3,
        dead_letter_headers=False,
    )


def test_a_sink_that_tolerates_names_a_topic_for_its_bad_records() -> None:
    configs = {
        "errors.tolerance": "ALL",
        DLQ_TOPIC: "letters",
        "errors.deadletterqueue.topic.replication.factor": "1",
        "errors.deadletterqueue.context.headers.enable": "true",
    }
    policy = ErrorPolicy.from_configs(configs, is_sink=True)
    assert (policy.tolerate, policy.dead_letter_topic) == (True, "letters")
    assert (policy.dead_letter_replication_factor, policy.dead_letter_headers) == (1, True)


def test_letters_are_for_sinks_that_tolerate() -> None:
    assert ErrorPolicy.from_configs({DLQ_TOPIC: "letters"}, is_sink=True).dead_letter_topic is None
    both = {DLQ_TOPIC: "letters", "errors.tolerance": "all"}
    assert ErrorPolicy.from_configs(both, is_sink=False).dead_letter_topic is None


@pytest.mark.parametrize(
    ("name", "value"),
    [("errors.tolerance", "some"), ("errors.retry.timeout", "-2"), ("errors.log.enable", "maybe")],
)
def test_what_cannot_be_used_is_said_in_one_sentence(name: str, value: str) -> None:
    with pytest.raises(ConfigError, match=name):
        ErrorPolicy.from_configs({name: value}, is_sink=True)
    (wrong,) = [each for each in check({name: value}, is_sink=True) if each.errors]
    assert wrong.definition.name == name


def test_the_letters_may_not_come_back_to_the_connector() -> None:
    configs = {"topics": "orders, letters", DLQ_TOPIC: "letters", "errors.tolerance": "all"}
    (wrong,) = [each for each in check(configs, is_sink=True) if each.errors]
    assert (wrong.definition.name, "letters" in wrong.errors[0]) == (DLQ_TOPIC, True)
    assert not [each for each in check(configs | {"topics": "orders"}, is_sink=True) if each.errors]


def test_waits_double_to_the_longest_and_end_with_the_timeout() -> None:
    policy = ErrorPolicy(retry_timeout_ms=3_000, retry_delay_ms_max=1_000)
    assert list(policy.delays_ms()) == [300, 600, 1_000, 1_000, 100]
    assert list(ErrorPolicy().delays_ms()) == []
    endless = ErrorPolicy(retry_timeout_ms=-1, retry_delay_ms_max=500)
    assert list(islice(endless.delays_ms(), 4)) == [300, 500, 500, 500]

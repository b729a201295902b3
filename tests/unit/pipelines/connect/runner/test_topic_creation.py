"""topic.creation.*: which group decides, and what is left to the broker (KIP-158)."""

from __future__ import annotations

import pytest

from riacho.pipelines.connect.runner.topic_creation import NewTopicSettings, settings_for
from riacho.pipelines.plugin import ConnectError

CONFIGS = {
    "topic.creation.default.partitions": "4",
    "topic.creation.default.replication.factor": "2",
    "topic.creation.default.retention.ms": "1000",
    "topic.creation.groups": "compacted, secret",
    "topic.creation.compacted.include": "accounts.*, balances",
    "topic.creation.compacted.exclude": "accounts-raw",
    "topic.creation.compacted.cleanup.policy": "compact",
    "topic.creation.compacted.partitions": "1",
    "topic.creation.secret.include": ".*-raw",
    "topic.creation.secret.replication.factor": "3",
}


def test_the_first_group_that_takes_the_name_decides_over_the_default() -> None:
    assert settings_for("orders", CONFIGS) == NewTopicSettings(4, 2, {"retention.ms": "1000"})
    compacted = {"retention.ms": "1000", "cleanup.policy": "compact"}
    assert settings_for("accounts-eu", CONFIGS) == NewTopicSettings(1, 2, compacted)
    assert settings_for("accounts-raw", CONFIGS) == NewTopicSettings(4, 3, {"retention.ms": "1000"})


def test_what_nobody_says_is_the_brokers() -> None:
    assert settings_for("orders", {}) == NewTopicSettings(-1, -1, {})


@pytest.mark.parametrize(
    "wrong",
    [
        {"topic.creation.default.partitions": "many"},
        {"topic.creation.groups": "a", "topic.creation.a.include": "("},
    ],
)
def test_what_cannot_be_read_is_said(wrong: dict[str, str]) -> None:
    with pytest.raises(ConnectError, match=r"topic\.creation"):
        settings_for("orders", wrong)

"""Under which subject a topic's schema stands: Confluent's three strategies, by class name or short name."""

from __future__ import annotations

TOPIC_NAME = "TopicNameStrategy"
RECORD_NAME = "RecordNameStrategy"
TOPIC_RECORD_NAME = "TopicRecordNameStrategy"
STRATEGIES = (TOPIC_NAME, RECORD_NAME, TOPIC_RECORD_NAME)


def strategy_of(class_name: str) -> str | None:
    """The short name; None for one that nobody knows."""
    short = class_name.rpartition(".")[2]
    return short if short in STRATEGIES else None


def subject_of(strategy: str, topic: str, record_name: str | None, is_key: bool) -> str:
    """A schema without a name (a plain string, say) can only stand under its topic's."""
    if strategy == TOPIC_NAME or not record_name:
        return f"{topic}-{'key' if is_key else 'value'}"
    return record_name if strategy == RECORD_NAME else f"{topic}-{record_name}"

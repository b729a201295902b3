"""Offsets by topic and partition, in the JSON of Spark's own Kafka connector: {"orders":{"0":12,"1":-2}}.

The same form is what a query's checkpoint keeps and what its progress shows. In options, -2 is the earliest offset and
-1 the latest one.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum

from riacho.base.config import ConfigError
from riacho.client.offsets import EARLIEST, LATEST, TopicPartition

Offsets = dict[TopicPartition, int]


class At(IntEnum):
    LATEST = LATEST
    EARLIEST = EARLIEST


@dataclass(frozen=True, slots=True)
class Position:
    """The same end of every partition, or an offset (or end) for each."""

    everywhere: At | None = None
    each: Mapping[TopicPartition, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Times:
    """The first record at or after a time in milliseconds: one for all, or one for each partition."""

    everywhere: int | None = None
    each: Mapping[TopicPartition, int] = field(default_factory=dict)


def parse_positions(name: str, text: str) -> Position:
    word = text.strip().lower()
    if word in ("earliest", "latest"):
        return Position(everywhere=At[word.upper()])
    each = _parse(name, text)
    for (topic, partition), offset in each.items():
        if offset < At.EARLIEST:
            raise ConfigError(
                f"Option '{name}' has offset {offset} for {topic}-{partition}; -1 is latest, -2 earliest."
            )
    return Position(each=each)


def parse_times(name: str, text: str) -> Times:
    return Times(each=_parse(name, text))


def _parse(name: str, text: str) -> Offsets:
    try:
        return from_json(json.loads(text))
    except (ValueError, TypeError, AttributeError):
        example = '{"topicA":{"0":23,"1":-1},"topicB":{"0":-2}}'
        raise ConfigError(f"Option '{name}' cannot be read; write JSON such as {example}.") from None


def from_json(document: Mapping[str, Mapping[str, int]]) -> Offsets:
    offsets: Offsets = {}
    for topic, partitions in document.items():
        for partition, offset in partitions.items():
            if isinstance(offset, bool) or not isinstance(offset, int):
                raise ValueError(f"{offset} is no offset")
            offsets[topic, int(partition)] = offset
    return offsets


def to_json(offsets: Mapping[TopicPartition, int]) -> dict[str, dict[str, int]]:
    """Sorted, so that the same offsets are the same text."""
    document: dict[str, dict[str, int]] = {}
    for topic, partition in sorted(offsets):
        document.setdefault(topic, {})[str(partition)] = offsets[topic, partition]
    return document

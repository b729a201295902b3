"""Places in a topic as people say them, and the offsets that they mean.

start, end                  the first record there is; behind the last one
42                          that offset, in every partition
-10                         the last ten records of every partition
@2026-01-31T10:00           the first record of that time or later (local time; Z or +02:00 says another zone)
@1767261600000              the same in milliseconds
"5m ago", 2h30m             the first record of that long ago or later (ms, s, m, h, d, w)
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

import click

if TYPE_CHECKING:
    from riacho.client.cluster import Cluster
    from riacho.client.offsets import TopicPartition

_UNIT_MS = {"ms": 1, "s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000, "w": 604_800_000}
_SPAN = re.compile(r"(\d+)\s*(ms|s|m|h|d|w)\s*")
_WORDS = {"start": "start", "beginning": "start", "earliest": "start", "end": "end", "latest": "end"}
OFFSET_MAX = 2**63 - 1


class Kind(Enum):
    START = "start"
    END = "end"
    OFFSET = "offset"
    BACK = "back"
    TIME = "time"


class Position(NamedTuple):
    kind: Kind
    number: int = 0


def parse_position(text: str, now_ms: int) -> Position:
    """ClickException with what may be written when it is none of that."""
    word = text.strip().lower()
    if word in _WORDS:
        return Position(Kind(_WORDS[word]))
    if word.isascii() and word.isdecimal() and int(word) <= OFFSET_MAX:
        return Position(Kind.OFFSET, int(word))
    if re.fullmatch(r"-[0-9]{1,18}", word):
        return Position(Kind.BACK, int(word[1:]))
    if word.startswith("@"):
        return Position(Kind.TIME, _parse_time(text.strip()[1:]))
    span_ms = parse_span_ms(re.sub(r"\s+ago$", "", word))
    if span_ms is None:
        raise click.UsageError(
            f"{text!r} is no place in a topic; write start, end, an offset, -N for the last N, @TIME or '5m ago'."
        )
    return Position(Kind.TIME, max(0, now_ms - span_ms))


def parse_span_ms(text: str) -> int | None:
    """`90s`, `1h30m`; None when it is no length of time."""
    parts = _SPAN.findall(text)
    if not parts or _SPAN.sub("", text):
        return None
    return sum(int(number) * _UNIT_MS[unit] for number, unit in parts)


def _parse_time(text: str) -> int:
    if text.isascii() and text.isdecimal() and len(text) <= 18:
        return int(text)
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise click.UsageError(f"'@{text}' is no time; write @2026-01-31T10:00, @2026-01-31 or milliseconds.") from None
    return int(moment.timestamp() * 1000)


def resolve(cluster: Cluster, position: Position, partitions: Iterable[TopicPartition]) -> dict[TopicPartition, int]:
    """The offset in each partition. What lies before the first record is the first, behind the last the end."""
    from riacho.client.offsets import EARLIEST, LATEST

    wanted = list(partitions)
    starts = _ask(cluster, dict.fromkeys(wanted, EARLIEST))
    if position.kind is Kind.START:
        return starts
    ends = _ask(cluster, dict.fromkeys(wanted, LATEST))
    if position.kind is Kind.END:
        return ends
    if position.kind is Kind.BACK:
        return {p: max(starts[p], ends[p] - position.number) for p in wanted}
    if position.kind is Kind.OFFSET:
        return {p: min(max(position.number, starts[p]), ends[p]) for p in wanted}
    found = _ask(cluster, dict.fromkeys(wanted, position.number))
    return {p: found[p] if found[p] >= 0 else ends[p] for p in wanted}


def _ask(cluster: Cluster, times: dict[TopicPartition, int]) -> dict[TopicPartition, int]:
    from riacho.client.cluster import check
    from riacho.client.offsets import list_offsets

    found = list_offsets(cluster, times)
    for (topic, partition), answer in found.items():
        check(answer.error, f"The offsets of {topic}-{partition} cannot be read: {answer.error.name}.")
    return {partition: answer.offset for partition, answer in found.items()}

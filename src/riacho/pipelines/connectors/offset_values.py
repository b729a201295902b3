"""Values in offsets that somebody moves by hand: what connectors can begin from, in Kafka's sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from riacho.pipelines.plugin import ConnectError, SourceOffset

_LONG_MAX = 2**63 - 1


def check_count(offset: Mapping[str, Any], key: str) -> None:
    """ConnectError where the value of `key` is no number of bytes, records or rows."""
    value = offset[key]
    if isinstance(value, bool) or not isinstance(value, int) or value > _LONG_MAX:
        raise ConnectError(f"The value for the '{key}' key in the offset is expected to be a Long value")
    if value < 0:
        raise ConnectError(f"The value for the '{key}' key in the offset should be a non-negative value")


def check_keys(offsets: Sequence[SourceOffset], partition: Sequence[str], offset: Sequence[str]) -> None:
    """ConnectError where a partition has not all of its keys, or an offset has none, or others, of its own."""
    for each in offsets:
        for key in partition:
            if key not in each.partition:
                raise ConnectError(f"Partition objects should contain the key '{key}'")
        if each.offset is None:
            continue
        if not each.offset or not set(each.offset) <= set(offset):
            names = ", ".join(f"'{key}'" for key in offset)
            raise ConnectError(f"Offset objects should either be null or contain no other keys than {names}")

"""What came out against what had to: one line a difference.

Order counts within a topic and a key, as Kafka promises no other.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from riacho.pipelines.sql.formats.json_source import NumberText, jackson_text
from riacho.pipelines.sql.formats.record_comparison import same, same_delimited
from riacho.pipelines.sql.testing.case import CaseRecord

DIFFERENCES_MAX = 10


def differences(topic: str, expected: Sequence[CaseRecord], actual: Sequence[CaseRecord]) -> list[str]:
    """None where all is as it should be."""
    if _matches_all(expected, actual):
        return []
    if len(expected) == len(actual) and _matches_by_key(expected, actual):
        return []
    return _lines(topic, expected, actual)


def _matches_all(expected: Sequence[CaseRecord], actual: Sequence[CaseRecord]) -> bool:
    return len(expected) == len(actual) and not any(
        mismatch(wanted, found) for wanted, found in zip(expected, actual, strict=True)
    )


def _matches_by_key(expected: Sequence[CaseRecord], actual: Sequence[CaseRecord]) -> bool:
    wanted, found = _by_key(expected), _by_key(actual)
    return wanted.keys() == found.keys() and all(_matches_all(wanted[key], found[key]) for key in wanted)


def _by_key(records: Sequence[CaseRecord]) -> dict[str, list[CaseRecord]]:
    grouped: dict[str, list[CaseRecord]] = {}
    for record in records:
        grouped.setdefault(_canonical(record.key), []).append(record)
    return grouped


def _canonical(value: Any) -> str:
    """Equal for what `same` calls equal."""
    match value:
        case bool() | None:
            return str(value)
        case NumberText() | int():
            return str(Decimal(value).normalize())
        case float():
            return str(Decimal(repr(value)).normalize())
        case dict():
            return "{" + ",".join(f"{key}:{_canonical(each)}" for key, each in sorted(value.items())) + "}"
        case list():
            return "[" + ",".join(map(_canonical, value)) + "]"
        case _:
            return repr(value)


def _lines(topic: str, expected: Sequence[CaseRecord], actual: Sequence[CaseRecord]) -> list[str]:
    lines = []
    if len(expected) != len(actual):
        lines.append(f"{topic}: {len(expected)} records expected, {len(actual)} came")
    for at in range(max(len(expected), len(actual))):
        if at >= len(actual):
            lines.append(f"{topic}[{at}]: expected {shown(expected[at])}, nothing came")
        elif at >= len(expected):
            lines.append(f"{topic}[{at}]: nothing expected, {shown(actual[at])} came")
        else:
            lines += [f"{topic}[{at}] {line}" for line in mismatch(expected[at], actual[at])]
    if len(lines) > DIFFERENCES_MAX:
        return [*lines[:DIFFERENCES_MAX], f"{topic}: {len(lines) - DIFFERENCES_MAX} more differences"]
    return lines


def mismatch(expected: CaseRecord, actual: CaseRecord) -> list[str]:
    """What the case does not say of a record is not compared."""
    found = []
    if not _same(expected.key, actual.key):
        found.append(_line("key", expected.key, actual.key))
    if not _same(expected.value, actual.value):
        found.append(_line("value", expected.value, actual.value))
    if expected.timestamp is not None and expected.timestamp != actual.timestamp:
        found.append(f"timestamp: expected {expected.timestamp}, got {actual.timestamp}")
    window, other = expected.window, actual.window
    if window is not None:
        if other is None:
            found.append("window: expected one, and there is none")
        elif window.start != other.start or (
            window.end is not None and other.end is not None and window.end != other.end
        ):
            found.append(f"window: expected [{window.start}, {window.end}], got [{other.start}, {other.end}]")
    if expected.headers is not None and expected.headers != (actual.headers or ()):
        found.append(f"headers: expected {list(expected.headers)}, got {list(actual.headers or ())}")
    return found


def _same(expected: Any, actual: Any) -> bool:
    return same(expected, actual) or same_delimited(expected, actual)


def _line(part: str, expected: Any, actual: Any) -> str:
    return f"{part}: expected {_json(expected)}, got {_json(actual)}"


def _json(value: Any) -> str:
    return jackson_text(value)


def shown(record: CaseRecord) -> str:
    window = "" if record.window is None else f" [{record.window.start}, {record.window.end}]"
    time = "" if record.timestamp is None else f" @{record.timestamp}"
    return f"{_json(record.key)}{window} -> {_json(record.value)}{time}"

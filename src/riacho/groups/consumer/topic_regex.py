"""Subscriptions by pattern: which topics each one matches. A pattern must match the whole name, as in Kafka."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from riacho.base.errors import KafkaError
from riacho.base.pattern import compile_pattern
from riacho.groups.consumer.regex_watch import MayDescribe

# The memory that one compiled pattern may take.
_MEMORY_BYTES_MAX = 1 << 20


def check_regex(regex: str) -> None:
    _compile(regex)


def matching_topics(
    regexes: Iterable[str], names: Iterable[str], may_describe: MayDescribe
) -> dict[str, frozenset[str]]:
    """The topics each pattern matches. A stored pattern that does not compile, of another RE2, matches nothing."""
    known = list(names)
    found: dict[str, frozenset[str]] = {}
    for regex in regexes:
        try:
            pattern = _compile(regex)
        except KafkaError:
            found[regex] = frozenset()
            continue
        matched = (name for name in known if pattern.fullmatch(name))
        found[regex] = frozenset(name for name in matched if may_describe is None or may_describe(name))
    return found


def _compile(regex: str) -> Any:
    return compile_pattern(regex, _MEMORY_BYTES_MAX, "SubscribedTopicRegex")

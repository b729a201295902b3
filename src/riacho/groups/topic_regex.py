"""Subscriptions by pattern: RE2, whose matching time grows with the length of the name and nothing else.

Patterns come from clients, so an engine that backtracks would let any of them stop the broker. RE2 has no back
references and no look-around; Kafka has the same rules, and a pattern must match the whole name.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import re2

from riacho.base.errors import ErrorCode, KafkaError
from riacho.groups.regex_watch import MayDescribe

# The memory that one compiled pattern may take. RE2 counts before it compiles, so a huge one costs nothing.
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
    options = re2.Options()
    options.max_mem = _MEMORY_BYTES_MAX
    options.log_errors = False
    try:
        return re2.compile(regex, options)
    except re2.error as error:
        reason = error.args[0]
        detail = reason.decode(errors="replace") if isinstance(reason, bytes) else str(reason)
        raise KafkaError(
            ErrorCode.INVALID_REGULAR_EXPRESSION,
            f"SubscribedTopicRegex `{regex}` is not a valid regular expression: {detail}.",
        ) from error

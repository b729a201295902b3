"""Which groups' patterns are being resolved, and since when there are topics that patterns have not seen."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

# May the member whose heartbeat asked for it know of this topic? None: there is no authorizer.
MayDescribe = Callable[[str], bool] | None


class ResolveRegexes(NamedTuple):
    """An effect: match these patterns against all topics, away from the heartbeats, and bring the result back."""

    group_id: str
    regexes: frozenset[str]
    may_describe: MayDescribe


class RegexWatch:
    def __init__(self) -> None:
        self.resolving: set[str] = set()
        # The version of the metadata that last brought a new topic.
        self.last_created_version = -1

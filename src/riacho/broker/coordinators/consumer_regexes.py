"""Patterns of consumer groups matched against all topics, away from the heartbeats (KIP-848).

A cluster may have many topics and a group many patterns. Each is a matter of microseconds with RE2, but all together
they would hold up everybody else's requests, so a worker thread does it and the result comes back to the loop.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from typing import TYPE_CHECKING

from riacho.client.tasks import Tasks
from riacho.groups.consumer.topic_regex import matching_topics

if TYPE_CHECKING:
    from riacho.groups.consumer.regex_watch import ResolveRegexes
    from riacho.groups.topics_view import TopicsView

Matched = Mapping[str, frozenset[str]]

_logger = logging.getLogger("riacho.groups")


class RegexResolver:
    def __init__(self, executor: Executor | None, on_resolved: Callable[[str, Matched | None, int], None]) -> None:
        """`on_resolved` gets the group, what its patterns match (None: it failed), and the version of the topics."""
        self._executor = executor
        self._on_resolved = on_resolved
        self._tasks: Tasks[None] = Tasks()

    def resolve(self, asked: ResolveRegexes, topics: TopicsView) -> None:
        self._tasks.start(self._resolve(asked, topics))

    def close(self) -> None:
        self._tasks.cancel()
        if self._executor is not None:
            self._executor.shutdown(wait=False, cancel_futures=True)

    async def _resolve(self, asked: ResolveRegexes, topics: TopicsView) -> None:
        matched: Matched | None = None
        try:
            matched = await self._match(asked, list(topics.names()))
        except Exception:
            _logger.exception("patterns not resolved group=%s", asked.group_id)
        self._on_resolved(asked.group_id, matched, topics.version)

    async def _match(self, asked: ResolveRegexes, names: list[str]) -> Matched:
        if self._executor is None:
            return matching_topics(asked.regexes, names, asked.may_describe)
        # Who may see what is asked for on the loop, where the authorizer lives.
        loop = asyncio.get_running_loop()
        matched = await loop.run_in_executor(self._executor, matching_topics, asked.regexes, names, None)
        may_describe = asked.may_describe
        if may_describe is None:
            return matched
        return {regex: frozenset(name for name in found if may_describe(name)) for regex, found in matched.items()}

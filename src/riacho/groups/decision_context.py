"""One call into the shard: when it happens, under which settings, over which topics, and what is decided so far."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from riacho.base.coordination import CoordinatorDecision
from riacho.groups.config import GroupConfig
from riacho.groups.timers import Timers
from riacho.groups.topics_view import NO_TOPICS, TopicsView

# What was set for one group by name (kafka-configs --entity-type groups): texts by Kafka's name of the setting.
GroupSettings = Callable[[str], Mapping[str, str]]


def no_group_settings(group_id: str) -> Mapping[str, str]:
    return {}


class DecisionContext:
    __slots__ = ("config", "decision", "group_settings", "now_ms", "timers", "topics")

    def __init__(
        self,
        config: GroupConfig,
        timers: Timers,
        now_ms: int,
        topics: TopicsView = NO_TOPICS,
        group_settings: GroupSettings = no_group_settings,
    ) -> None:
        self.config = config
        self.timers = timers
        self.now_ms = now_ms
        self.topics = topics
        self.group_settings = group_settings
        self.decision = CoordinatorDecision()

    def once_applied(self, change: Callable[[], None]) -> None:
        """Change what is not stored when the records are, and not at all if they never will be."""
        self.decision.on_applied.append(change)

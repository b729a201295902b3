"""What a consumer group subscribes to after a change that is only being decided, and the epoch that comes of it."""

from __future__ import annotations

from collections.abc import Iterable

from riacho.groups.consumer import records
from riacho.groups.consumer.decision_context import ConsumerDecisionContext
from riacho.groups.consumer.group import ConsumerGroup, ResolvedRegex
from riacho.groups.consumer.member import ConsumerMember

# Changes of topics ask for a refresh themselves; this is how often it is looked at without one.
_METADATA_REFRESH_INTERVAL_MS = 2_147_483_647


class SubscribedNames:
    """The names of all topics that members of the group subscribe to, as they will be."""

    def __init__(self, group: ConsumerGroup) -> None:
        self._group = group
        self._counts = group.topic_subscribers.copy()

    def names(self) -> Iterable[str]:
        return (name for name, count in self._counts.items() if count > 0)

    def replace_member(self, old: ConsumerMember, new: ConsumerMember) -> None:
        self._counts.subtract(old.subscribed_topic_names)
        if old.regex and old.regex != new.regex and self._group.regexes[old.regex] == 1:
            self.drop_regex(old.regex)
        self._counts.update(new.subscribed_topic_names)

    def drop_member(self, member: ConsumerMember) -> None:
        """Without its pattern, which others may use."""
        self._counts.subtract(member.subscribed_topic_names)

    def drop_regex(self, regex: str) -> None:
        resolved = self._group.resolved_regexes.get(regex)
        if resolved is not None:
            self._counts.subtract(resolved.topics)

    def replace_regex(self, regex: str, resolved: ResolvedRegex) -> bool:
        """Whether it matches other topics now."""
        old = self._group.resolved_regexes.get(regex)
        before: frozenset[str] = frozenset() if old is None else old.topics
        if before == resolved.topics:
            return False
        self._counts.subtract(before)
        self._counts.update(resolved.topics)
        return True


def bump_epoch(group: ConsumerGroup, names: SubscribedNames, act: ConsumerDecisionContext, *, force: bool) -> int:
    """The group's epoch from now on: another one when `force` says so or its topics are not what they were."""
    metadata_hash = act.hashes.of_group(names.names(), act.context.topics)
    epoch = group.group_epoch
    if force or metadata_hash != group.metadata_hash:
        epoch += 1
        act.records.append(records.group_epoch_record(group.group_id, epoch, metadata_hash))
    deadline_ms = act.now_ms + _METADATA_REFRESH_INTERVAL_MS
    act.once_applied(lambda: group.live.watch_metadata_until(deadline_ms))
    return epoch

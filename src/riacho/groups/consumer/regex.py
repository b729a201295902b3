"""Subscriptions of members by pattern: when they are resolved, and what comes of it (KIP-848).

Patterns of a group are resolved together and away from the heartbeats: a heartbeat only asks for it (`ResolveRegexes`),
and its answer does not wait. The result comes back as a decision of its own, which changes the group's epoch when any
pattern matches other topics than before.

They are resolved again when a pattern is new, when topics were created since, and every
`group.consumer.regex.refresh.interval.ms`; but not more often than every ten seconds.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

from riacho.groups.consumer import records
from riacho.groups.consumer.decision_context import ConsumerDecisionContext
from riacho.groups.consumer.group import ConsumerGroup, ResolvedRegex
from riacho.groups.consumer.member import ConsumerMember
from riacho.groups.consumer.regex_watch import MayDescribe, ResolveRegexes
from riacho.groups.consumer.subscription import SubscribedNames, bump_epoch
from riacho.groups.consumer.topic_regex import check_regex

_REFRESH_INTERVAL_MS_MIN = 10_000


class RegexChange(Enum):
    NONE = 0
    UPDATED = 1
    # Already known which topics it matches, so that a new assignment can take it in.
    UPDATED_AND_RESOLVED = 2


def update_regexes(
    group: ConsumerGroup,
    member: ConsumerMember,
    updated: ConsumerMember,
    may_describe: MayDescribe,
    act: ConsumerDecisionContext,
) -> RegexChange:
    change = _change(group, member, updated, act)
    is_new = bool(updated.regex) and member.regex != updated.regex and not group.regexes[updated.regex]
    if (is_new or group.regexes) and _is_refresh_due(group, member, updated, is_new, act):
        regexes = frozenset(_regexes_after(group, member, updated))
        act.effects.append(ResolveRegexes(group.group_id, regexes, may_describe))
        act.once_applied(lambda: act.watch.resolving.add(group.group_id))
    return change


def regexes_resolved(
    group: ConsumerGroup, matched: Mapping[str, frozenset[str]], version: int, act: ConsumerDecisionContext
) -> None:
    """The answer to `ResolveRegexes`."""
    names = SubscribedNames(group)
    has_changed = False
    for regex, topics in sorted(matched.items()):
        # Nobody uses it any more.
        if not group.regexes[regex]:
            continue
        resolved = ResolvedRegex(topics, version, act.now_ms)
        has_changed = names.replace_regex(regex, resolved) or has_changed
        act.records.append(
            records.regular_expression_record(group.group_id, regex, topics, version, resolved.timestamp_ms)
        )
    bump_epoch(group, names, act, force=has_changed)


def _change(
    group: ConsumerGroup, member: ConsumerMember, updated: ConsumerMember, act: ConsumerDecisionContext
) -> RegexChange:
    old, new = member.regex, updated.regex
    if old == new:
        return RegexChange.NONE
    if old and group.regexes[old] == 1:
        act.records.append(records.regular_expression_tombstone(group.group_id, old))
    if not new:
        return RegexChange.UPDATED_AND_RESOLVED
    if not group.regexes[new]:
        check_regex(new)
        return RegexChange.UPDATED
    return RegexChange.UPDATED_AND_RESOLVED if new in group.resolved_regexes else RegexChange.UPDATED


def _is_refresh_due(
    group: ConsumerGroup, member: ConsumerMember, updated: ConsumerMember, is_new: bool, act: ConsumerDecisionContext
) -> bool:
    if group.group_id in act.watch.resolving:
        return False
    wanted = _regexes_after(group, member, updated)
    if not wanted:
        return False
    # All of a group are resolved at one time, so any of them tells when.
    last = next(iter(group.resolved_regexes.values()), None)
    if last is None:
        return True
    if act.now_ms <= last.timestamp_ms + _REFRESH_INTERVAL_MS_MIN:
        return False
    return (
        is_new
        or len(wanted) != len(group.resolved_regexes)
        or last.version < act.watch.last_created_version
        or act.now_ms > last.timestamp_ms + act.config.regex_refresh_interval_ms
    )


def _regexes_after(group: ConsumerGroup, member: ConsumerMember, updated: ConsumerMember) -> set[str]:
    counts = group.regexes.copy()
    if member.regex:
        counts[member.regex] -= 1
    if updated.regex:
        counts[updated.regex] += 1
    return {regex for regex, count in counts.items() if count > 0}

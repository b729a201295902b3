"""Alerts of one cluster: which rules' conditions hold, since when, and what that makes of them. No clock, no network.

    quiet -> (condition holds) -> pending -> (for_s) -> firing -> (does not hold for for_s) -> quiet, told as resolved

So one that comes and goes every few seconds neither fires nor is resolved with each of them. What is not known leaves
everything as it was. Each thing that a rule is about (a group, a broker) is counted by itself, up to a bound.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import msgspec

from riacho.console.clusters.picture import Picture
from riacho.console.history.alert_rules import Rule

FIRING, RESOLVED = "firing", "resolved"
STATES_MAX = 1_000
_RECENT_MAX = 100

# What a rule is about, and whether its condition holds with which number; None: not known.
Found = Iterable[tuple[str, float | None]]
# How much of a connector or a query has failed, by its name; None where that is not known.
Failures = Mapping[str, int] | None


class Alert(msgspec.Struct, frozen=True, kw_only=True):
    """`since_ms`: when the condition began to hold; `at_ms`: when it fired or was resolved."""

    rule: str
    kind: str
    target: str
    state: str
    value: float
    above: float
    since_ms: int
    at_ms: int
    webhook: str | None = None


@dataclass(slots=True)
class _State:
    since_ms: int
    value: float
    # When it stopped to hold; None while it does.
    until_ms: int | None = None
    fired_ms: int | None = None


class Alerts:
    def __init__(self, rules: list[Rule]) -> None:
        self.rules = rules
        self.recent: deque[Alert] = deque(maxlen=_RECENT_MAX)
        # By rule and what it is about.
        self._states: dict[tuple[Rule, str], _State] = {}
        self._brokers_seen: set[int] = set()

    def set_rules(self, rules: list[Rule]) -> None:
        """Rules that stay as they are keep their states."""
        self.rules = rules
        kept = set(rules)
        self._states = {key: state for key, state in self._states.items() if key[0] in kept}

    def firing(self) -> list[Alert]:
        return [_alert(*key, state, FIRING, state.fired_ms) for key, state in self._states.items() if state.fired_ms]

    def step(self, picture: Picture | None, *, is_up: bool, failed: Mapping[str, Failures], now_ms: int) -> list[Alert]:
        """What fires or is resolved now. `failed` by the kind of rule that is about them."""
        if is_up and picture is not None:
            self._brokers_seen |= picture.brokers.keys()
        told: list[Alert] = []
        for rule in self.rules:
            if not rule.is_on:
                told += self._stepped(rule, (), now_ms)
                continue
            found = self._found(rule, picture, is_up, failed)
            if found is not None:
                told += self._stepped(rule, found, now_ms)
        self.recent.extend(told)
        return told

    def _stepped(self, rule: Rule, found: Found, now_ms: int) -> list[Alert]:
        told: list[Alert] = []
        unknown: set[str] = set()
        holding: dict[str, float] = {}
        for target, value in found:
            if value is None:
                unknown.add(target)
            elif value > rule.above:
                holding[target] = value
        for target, value in holding.items():
            state = self._states.get((rule, target))
            if state is None:
                if len(self._states) >= STATES_MAX:
                    break
                state = self._states[rule, target] = _State(now_ms, value)
            state.value, state.until_ms = value, None
            if state.fired_ms is None and now_ms - state.since_ms >= rule.for_s * 1000:
                state.fired_ms = now_ms
                told.append(_alert(rule, target, state, FIRING, now_ms))
        for key in [key for key in self._states if key[0] is rule or key[0] == rule]:
            if key[1] in holding or key[1] in unknown:
                continue
            told += self._over(key, now_ms)
        return told

    def _over(self, key: tuple[Rule, str], now_ms: int) -> list[Alert]:
        state = self._states[key]
        if state.fired_ms is None:
            del self._states[key]
            return []
        state.until_ms = now_ms if state.until_ms is None else state.until_ms
        if now_ms - state.until_ms < key[0].for_s * 1000:
            return []
        del self._states[key]
        return [_alert(*key, state, RESOLVED, now_ms)]

    def _found(self, rule: Rule, picture: Picture | None, is_up: bool, failed: Mapping[str, Failures]) -> Found | None:
        """None where nothing is known."""
        if rule.kind == "cluster_down":
            return [("", None if picture is None and is_up else float(not is_up) + rule.above)]
        if rule.kind in ("failed_tasks", "failed_queries"):
            known = failed.get(rule.kind)
            # A query has failed or not, whatever number it would have to be above.
            more = rule.above if rule.kind == "failed_queries" else 0
            return None if known is None else _about(rule, ((name, n and n + more) for name, n in known.items()))
        if not is_up or picture is None:
            return None
        match rule.kind:
            case "lag":
                return _about(rule, ((name, group.lag) for name, group in picture.groups.items()))
            case "under_replicated":
                return [("", sum(topic.under_replicated for topic in picture.topics.values()))]
            case "offline":
                return [("", sum(topic.offline for topic in picture.topics.values()))]
            case "disk":
                return _about(rule, _disks(picture, rule.above))
            case _:
                return _about(rule, self._down(picture, rule.above))

    def _down(self, picture: Picture, above: float) -> Found:
        """Brokers that are fenced, or have gone while partitions still count on them."""
        fenced = {broker.id for broker in picture.brokers.values() if broker.is_fenced}
        gone = self._brokers_seen - picture.brokers.keys()
        if gone:
            counted = {node for topic in picture.topics.values() for each in topic.partitions for node in each.replicas}
            self._brokers_seen -= gone - counted
            fenced |= gone & counted
        return [(str(broker_id), above + 1) for broker_id in sorted(fenced)]


def _disks(picture: Picture, above: float) -> Found:
    """Of each broker how full its fullest volume is: a log that cannot grow is not helped by room on another."""
    for broker in picture.brokers.values():
        told = [each.percent_used for each in broker.directories]
        fullest = max((each for each in told if each is not None), default=None)
        # One of which nothing is known may be fuller.
        is_known = fullest is not None and (fullest > above or None not in told)
        yield str(broker.id), fullest if is_known else None


def _about(rule: Rule, found: Found) -> Found:
    return [(name, value) for name, value in found if rule.is_about(name)]


def _alert(rule: Rule, target: str, state: _State, word: str, at_ms: int | None) -> Alert:
    return Alert(
        rule=rule.name,
        kind=rule.kind,
        target=target,
        state=word,
        value=state.value,
        above=rule.above,
        since_ms=state.since_ms,
        at_ms=at_ms or 0,
        webhook=rule.webhook,
    )

"""Conversations with a consumer group (KIP-848), as text: see `consumer_groups/*.txt`.

Members are called by one-letter names. A member follows what it is told: what it no longer has it lets go of, and says
so with its next heartbeat, unless the heartbeat is `holding on`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from riacho.base.errors import ErrorCode
from riacho.groups.config import GroupConfig
from riacho.groups.consumer.group import ConsumerGroup
from riacho.groups.consumer.member import MemberState
from riacho.groups.consumer_config import Bounded, ConsumerGroupConfig
from support.consumer_world import ConsumerWorld, assigned
from support.conversation import replay
from support.group_world import GROUP

FILES = sorted((Path(__file__).parent / "consumer_groups").glob("*.txt"))
_WORDS = {
    MemberState.STABLE: "stable",
    MemberState.UNREVOKED_PARTITIONS: "has to give back",
    MemberState.UNRELEASED_PARTITIONS: "waits for others",
}


class Conversation:
    def __init__(self) -> None:
        consumer = ConsumerGroupConfig(assignment_interval_ms=Bounded(0, 0, 15_000))
        self.world = ConsumerWorld(GroupConfig(initial_rebalance_delay_ms=0, consumer=consumer))
        self.counts: dict[str, int] = {}
        self.epochs: dict[str, int] = {}
        self.owned: dict[str, dict[str, set[int]]] = {}
        self.statics: dict[str, str] = {}
        self.shown = ""

    def perform(self, keyword: str, text: str) -> list[str]:
        words = text.split()
        said = getattr(self, f"on_{words[1]}")(words[0], *words[2:])
        return [*said, *self.changes()]

    # topic t has 4; a joins t,u; a beats; a beats holding on; a leaves; a steps out; time passes 5000; broker restarts

    def on_has(self, topic: str, count: str) -> list[str]:
        self.counts[topic] = int(count)
        self.world.set_topics(**self.counts)
        return []

    def on_joins(self, who: str, topics: str, *how: str) -> list[str]:
        options = dict(zip(how[::2], how[1::2], strict=True))
        if "static" in options:
            self.statics[who] = options["static"]
        self.owned[who] = {}
        return self.told(who, self.beat(who, 0, topics=topics.split(",")))

    def on_matches(self, who: str, regex: str) -> list[str]:
        self.owned[who] = {}
        return self.told(who, self.beat(who, 0, regex=regex))

    def on_beats(self, who: str, *how: str) -> list[str]:
        owned = None if how else self.owned[who]
        return self.told(who, self.beat(who, self.epochs[who], owned=owned))

    def on_subscribes(self, who: str, topics: str) -> list[str]:
        return self.told(who, self.beat(who, self.epochs[who], topics=topics.split(","), owned=self.owned[who]))

    def on_leaves(self, who: str) -> list[str]:
        return self.told(who, self.beat(who, -1))

    def on_steps(self, who: str, out: str) -> list[str]:
        return self.told(who, self.beat(who, -2))

    def on_commits(self, who: str, where: str, offset: str) -> list[str]:
        topic, index = where.rsplit("-", 1)
        ((_, code),) = self.world.commit({(topic, int(index)): int(offset)}, who, self.epochs[who]).items()
        return [f"{who} {ErrorCode(code).name if code else 'ok'}"]

    def on_passes(self, who: str, duration_ms: str) -> list[str]:
        self.world.pass_time(int(duration_ms))
        return []

    def on_resolves(self, who: str, what: str) -> list[str]:
        self.world.resolve_regexes()
        return []

    def on_restarts(self, who: str) -> list[str]:
        self.world.restart()
        return []

    # What came of it

    def beat(self, who: str, epoch: int, **how: Any) -> Any:
        return self.world.beat(who, epoch, instance_id=self.statics.get(who), **how)

    def told(self, who: str, response: Any) -> list[str]:
        if response.error_code:
            return [f"{who} {ErrorCode(response.error_code).name}"]
        self.epochs[who] = response.member_epoch
        now = assigned(response)
        if now is None:
            return [f"{who} is in epoch {response.member_epoch}"]
        self.owned[who] = now
        return [f"{who} is in epoch {response.member_epoch} with {_text(now)}"]

    def changes(self) -> list[str]:
        group = self.world.shard.groups.get(GROUP)
        if not isinstance(group, ConsumerGroup):
            return []
        waiting = [
            f", {member.member_id} {_WORDS[member.state]}"
            for member in sorted(group.members.values(), key=lambda member: member.member_id)
            if member.state is not MemberState.STABLE
        ]
        shown = f"group {group.state_name} epoch {group.group_epoch}{''.join(waiting)}"
        if shown == self.shown:
            return []
        self.shown = shown
        return [shown]


def _text(partitions: dict[str, set[int]]) -> str:
    return (
        " ".join(f"{topic}-{index}" for topic in sorted(partitions) for index in sorted(partitions[topic])) or "nothing"
    )


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_conversation(path: Path, rewrite: bool) -> None:
    replay(path, Conversation().perform, rewrite)

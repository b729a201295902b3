"""Conversations with a share group, as text: see `share_groups/*.txt`."""

from __future__ import annotations

from pathlib import Path

import pytest

from riacho.base.errors import ErrorCode
from riacho.groups.config import GroupConfig
from riacho.groups.share.group import ShareGroup
from riacho.groups.share.heartbeat import StateToCreate
from riacho.groups.share.offsets import DeleteState
from riacho.groups.share_config import ShareGroupConfig
from riacho.wire.messages.share_group_heartbeat_response import ShareGroupHeartbeatResponse
from support.conversation import replay
from support.share_group_world import GROUP, ShareGroupWorld

FILES = sorted((Path(__file__).parent / "share_groups").glob("*.txt"))


class Conversation:
    def __init__(self) -> None:
        self.topics: dict[str, int] = {}
        self.size_max = 200
        self.world = ShareGroupWorld()
        self.shown = ""
        self.lines: list[str] = []
        self.asked: list[StateToCreate] = []

    def perform(self, keyword: str, text: str) -> list[str]:
        words = text.split()
        if keyword == "given":
            self.given(*words)
            return []
        self.lines = []
        getattr(self, f"on_{words[1]}")(words[0], *words[2:])
        self.show_asked()
        self.show_group()
        return self.lines

    def given(self, what: str, *words: str) -> None:
        """`topic t 4` or `size_max 2`."""
        if what == "topic":
            self.topics[words[0]] = int(words[1])
        else:
            self.size_max = int(words[0])
        config = GroupConfig(share=ShareGroupConfig(group_size_max=self.size_max))
        self.world = ShareGroupWorld(config, **self.topics)

    # a joins t,u | beats | resubscribes u | leaves

    def on_joins(self, who: str, topics: str) -> None:
        self.told(who, self.world.join(who, *topics.split(",")))

    def on_beats(self, who: str, *epoch: str) -> None:
        self.told(who, self.world.heartbeat(who, int(epoch[0])) if epoch else self.world.beat(who))

    def on_resubscribes(self, who: str, topics: str) -> None:
        self.told(who, self.world.heartbeat(who, self.world.group().members[who].epoch, topics.split(",")))

    def on_leaves(self, who: str) -> None:
        self.told(who, self.world.leave(who))

    # state is_created | fails; time passes 1000; broker restarts

    def on_is_created(self, _: str) -> None:
        self.settle(succeeded=True)

    def on_fails(self, _: str) -> None:
        self.settle(succeeded=False)

    def on_passes(self, _: str, duration_ms: str) -> None:
        self.world.pass_time(int(duration_ms))

    def on_restarts(self, _: str) -> None:
        self.world.restart()
        self.asked = []

    # t is_made 4 | grows 6 | is_deleted; group moves t 0=5 | forgets t | is_removed

    def on_is_made(self, topic: str, count: str) -> None:
        self.world.create_topic(topic, int(count))

    def on_grows(self, topic: str, count: str) -> None:
        self.world.grow_topic(topic, int(count))

    def on_is_deleted(self, topic: str) -> None:
        self.world.delete_topic(topic)

    def on_moves(self, _: str, topic: str, *offsets: str) -> None:
        wanted = {int(p): int(o) for p, _, o in (each.partition("=") for each in offsets)}
        outcome = self.world.alter(topic, wanted)
        if outcome.response.error_code:
            self.lines.append(f"refused {ErrorCode(outcome.response.error_code).name}")
        if outcome.to_create is not None:
            self.world.to_create.append(outcome.to_create)

    def on_forgets(self, _: str, topic: str) -> None:
        self.deleting(self.world.delete_offsets(topic))
        self.world.deleted(topic)

    def on_is_removed(self, _: str) -> None:
        outcome = self.world.begin_delete_group()
        self.deleting(outcome)
        if outcome.code is ErrorCode.NONE:
            self.lines.append(f"removed {self.world.delete_group().name}")

    # What is told

    def told(self, who: str, answer: ShareGroupHeartbeatResponse) -> None:
        if answer.error_code:
            self.lines.append(f"{who} {ErrorCode(answer.error_code).name}")
            return
        text = f"{who} is in epoch {answer.member_epoch}" if answer.member_epoch >= 0 else f"{who} has left"
        if answer.assignment is not None:
            reads = sorted(
                f"{self.world.name_of(t.topic_id)}-{p}"
                for t in answer.assignment.topic_partitions
                for p in t.partitions
            )
            text += f", reads {' '.join(reads) or 'nothing'}"
        self.lines.append(text)

    def settle(self, *, succeeded: bool) -> None:
        for asked in self.asked:
            self.world.settle(asked, succeeded=succeeded)
        self.asked = []

    def deleting(self, outcome: DeleteState) -> None:
        if outcome.code is not ErrorCode.NONE:
            self.lines.append(f"refused {outcome.code.name}")
        for topic_id, partitions in outcome.partitions.items():
            self.lines.append(f"state goes {' '.join(f'{outcome.names[topic_id]}-{p}' for p in partitions)}")
        for topic in outcome.failed:
            self.lines.append(f"{topic.topic_name} {ErrorCode(topic.error_code).name}")

    def show_asked(self) -> None:
        for asked in self.world.to_create:
            wanted = sorted(
                f"{self.world.name_of(topic_id)}-{p}" + (f"={offset}" if offset >= 0 else "")
                for topic_id, offsets in asked.offsets.items()
                for p, offset in offsets.items()
            )
            self.lines.append(f"state wanted {' '.join(wanted)} in epoch {asked.group_epoch}")
        self.asked += self.world.to_create
        self.world.to_create.clear()

    def show_group(self) -> None:
        group = self.world.shard.groups.get(GROUP)
        text = "no group"
        if isinstance(group, ShareGroup):
            text = f"group {group.state_name} epoch {group.epoch} assigned {group.assignment_epoch}"
        if text != self.shown:
            self.shown = text
            self.lines.append(text)


@pytest.mark.parametrize("path", FILES, ids=[path.stem for path in FILES])
def test_conversation(path: Path, rewrite: bool) -> None:
    replay(path, Conversation().perform, rewrite)


def test_there_are_conversations() -> None:
    assert FILES

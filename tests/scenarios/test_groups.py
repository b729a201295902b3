"""Conversations with a classic group, as text: see `groups/*.txt`.

Members are called by one-letter names; the ids they get are shown by these names, and `a'` is the id that a had before.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from riacho.base.errors import ErrorCode
from riacho.groups.classic.records import GroupStored, OffsetCommitted, parse_record
from riacho.groups.config import GroupConfig
from support.conversation import replay
from support.group_world import GROUP, GroupWorld, subscription

FILES = sorted((Path(__file__).parent / "groups").glob("*.txt"))


class Conversation:
    def __init__(self) -> None:
        self.settings: dict[str, int] = {}
        self.world = GroupWorld()
        self.ids: dict[str, str] = {}
        self.generations: dict[str, int] = {}
        self.joins: dict[str, dict[str, Any]] = {}
        self.names: dict[str, str] = {}
        self.askers: dict[int, tuple[str, str]] = {}
        self.told: set[int] = set()
        self.waiting: set[int] = set()
        self.shown = ""
        self.log_end = 0

    def perform(self, keyword: str, text: str) -> list[str]:
        words = text.split()
        if keyword == "given":
            key, value = words
            self.settings[key] = int(value)
            self.world = GroupWorld(GroupConfig(**self.settings))
            return []
        getattr(self, f"on_{words[1] if len(words) > 1 else words[0]}")(words[0], *words[2:])
        return [*self.replies(), *self.stored(), *self.changes()]

    # a joins | rejoins | syncs | heartbeats | leaves | commits; time passes; group is_deleted | restarts ...

    def on_joins(self, who: str, *how: str) -> None:
        options = dict(zip(how[::2], how[1::2], strict=True))
        join: dict[str, Any] = {"version": int(options.get("version", 9)), "instance_id": options.get("static")}
        topics = options.get("topics", "t").split(",")
        protocols = options.get("protocols", "range").split(",")
        join["protocols"] = {name: subscription(*topics) for name in protocols}
        for option in ("session", "rebalance"):
            if option in options:
                join[f"{option}_timeout_ms"] = int(options[option])
        self.joins[who] = join
        self.ask(who, "join", self.world.join("", **join))

    def on_rejoins(self, who: str, *how: str) -> None:
        join = dict(self.joins[who])
        options = dict(zip(how[::2], how[1::2], strict=True))
        if "topics" in options:
            join["protocols"] = {name: subscription(*options["topics"].split(",")) for name in join["protocols"]}
        self.ask(who, "join", self.world.join(self.ids[who], **join))

    def on_syncs(self, who: str, *assigned: str) -> None:
        """`a syncs b=t-0 c=t-1` brings an assignment."""
        brought = dict(each.split("=") for each in assigned)
        assignments = {self.ids[name]: value.encode() for name, value in brought.items()}
        self.ask(who, "sync", self.world.sync(self.ids[who], self.generations[who], assignments, **self.static(who)))

    def on_heartbeats(self, who: str) -> None:
        code = self.world.heartbeat(self.ids[who], self.generations.get(who, 0), **self.static(who))
        self.say(who, max(self.world.asked), code)

    def on_leaves(self, who: str) -> None:
        response = self.world.leave((self.ids[who], self.static(who)["instance_id"]))
        self.say(who, max(self.world.asked), response.members[0].error_code)

    def on_removes(self, who: str, instance: str) -> None:
        response = self.world.leave(("", instance))
        self.say(who, max(self.world.asked), response.members[0].error_code)

    def on_commits(self, who: str, where: str, offset: str) -> None:
        topic, partition = where.rsplit("-", 1)
        member = (self.ids[who], self.generations[who]) if who in self.ids else ("", -1)
        ((_, code),) = self.world.commit({(topic, int(partition)): int(offset)}, *member).items()
        self.say(who, max(self.world.asked), code)

    def on_passes(self, who: str, duration_ms: str) -> None:
        self.world.pass_time(int(duration_ms))

    def on_restarts(self, who: str) -> None:
        self.world.restart()

    def on_deletes(self, who: str, what: str) -> None:
        self.say(who, max(self.world.asked, default=0) + 1, self.world.delete_group())

    def on_expire(self, who: str) -> None:
        self.world.run(self.world.shard.expire_offsets(self.world.now_ms))

    # What came of it

    def ask(self, who: str, kind: str, request_id: int) -> None:
        self.askers[request_id] = (who, kind)

    def say(self, who: str, request_id: int, code: int) -> None:
        self.askers[request_id] = (who, ErrorCode(code).name if code else "ok")

    def static(self, who: str) -> dict[str, Any]:
        return {"instance_id": self.joins[who]["instance_id"]}

    def replies(self) -> list[str]:
        new = [
            request_id for request_id in self.world.answers if request_id in self.askers and request_id not in self.told
        ]
        for request_id in new:
            who, kind = self.askers[request_id]
            if kind == "join" and self.world.answers[request_id].member_id:
                self.rename(who, self.world.answers[request_id].member_id)
        lines = [self.reply(request_id) for request_id in new]
        lines += [f"{self.askers[request_id][0]} waits" for request_id in self.world.parked() - self.waiting]
        self.told.update(new)
        self.waiting |= self.world.parked()
        return lines

    def reply(self, request_id: int) -> str:
        who, kind = self.askers[request_id]
        answer = self.world.answers[request_id]
        if kind not in ("join", "sync"):
            return f"{who} {kind}"
        if answer.error_code:
            return f"{who} {ErrorCode(answer.error_code).name}"
        if kind == "sync":
            return f"{who} is assigned {answer.assignment.decode() or 'nothing'}"
        self.generations[who] = answer.generation_id
        members = " ".join(self.names[member.member_id] for member in answer.members)
        skip = ", need not assign" if answer.skip_assignment else ""
        leads = f", leads {members}" if members else f", follows {self.names[answer.leader]}"
        return f"{who} is in generation {answer.generation_id} by {answer.protocol_name}{leads}{skip}"

    def rename(self, who: str, member_id: str) -> None:
        if member_id in self.names:
            return
        old = self.ids.get(who)
        if old is not None:
            self.names[old] = f"{who}'"
        self.ids[who] = member_id
        self.names[member_id] = who

    def stored(self) -> list[str]:
        lines = []
        for key, value in self.world.log[self.log_end :]:
            record = parse_record(key, value)
            if isinstance(record, OffsetCommitted):
                to = "nothing" if record.committed is None else record.committed.offset
                lines.append(f"stored {record.topic}-{record.partition} at {to}")
            elif isinstance(record, GroupStored) and record.metadata is None:
                lines.append("stored no group")
            elif isinstance(record, GroupStored) and record.metadata is not None:
                members = " ".join(self.names[member.member_id] for member in record.metadata.members)
                lines.append(f"stored generation {record.metadata.generation} of {members or 'nobody'}")
        self.log_end = len(self.world.log)
        return lines

    def changes(self) -> list[str]:
        group = self.world.shard.groups.get(GROUP)
        shown = "no group" if group is None else f"group {group.state.value} generation {group.generation}"
        if shown == self.shown:
            return []
        self.shown = shown
        return [shown]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_conversation(path: Path, rewrite: bool) -> None:
    replay(path, Conversation().perform, rewrite)


def test_there_are_conversations() -> None:
    assert len(FILES) >= 6

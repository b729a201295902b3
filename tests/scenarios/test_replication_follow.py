"""Replicas that lose and regain each other, as text: see `replication_follow/*.txt`.

Brokers are numbers; a log is shown as `offset:value@epoch`. A fetch is one round: what the follower did about it.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from riacho.partition.follower import Following, StartOver, Truncate
from support.conversation import replay
from support.epoch_log import EpochLog, exchange

FILES = sorted((Path(__file__).parent / "replication_follow").glob("*.txt"))


class Conversation:
    def __init__(self) -> None:
        self.logs: dict[str, EpochLog] = {}
        self.states: dict[str, Following] = {}
        self.fetched: dict[str, int] = {}
        self.leader = ""
        self.epoch = -1

    def perform(self, keyword: str, text: str) -> list[str]:
        words = text.split()
        if keyword == "given":
            self.logs = {name: EpochLog() for name in words[1:]}
            return []
        return getattr(self, f"on_{words[1]}")(words[0], *words[2:])  # type: ignore[no-any-return]

    def on_leads(self, who: str, _: str, epoch: str) -> list[str]:
        """`1 leads epoch 0`."""
        self.leader, self.epoch = who, int(epoch)
        self.logs[who].lead(self.epoch)
        self.states, self.fetched = {}, {}
        return []

    def on_writes(self, who: str, *values: str) -> list[str]:
        assert who == self.leader
        for value in values:
            self.logs[who].write(self.epoch, value)
        return [self.shown(who)]

    def on_fetches(self, who: str) -> list[str]:
        leading, own = self.logs[self.leader], self.logs[who]
        state = self.states.setdefault(who, Following(int(self.leader), self.epoch, own))
        offset = state.fetch_offset
        before = own.high_watermark
        effect = exchange(leading, self.epoch, state, own)
        if isinstance(effect, Truncate):
            lost = f", {before - effect.offset} below the high watermark" if effect.is_below_high_watermark else ""
            return [f"{who} truncates to {effect.offset}{lost}", self.shown(who)]
        if isinstance(effect, StartOver):
            return [f"{who} starts over at {effect.offset}", self.shown(who)]
        # Who asks for an offset has everything below it.
        self.fetched[who] = offset
        in_sync = [self.fetched.get(name, 0) for name in self.logs if name != self.leader]
        leading.high_watermark = max(leading.high_watermark, min([leading.log_end_offset, *in_sync]))
        return [
            self.shown(who),
            f"high watermark {leading.high_watermark} at {self.leader}, {own.high_watermark} at {who}",
        ]

    def on_restarts(self, who: str, *how: str) -> list[str]:
        """`1 restarts`, or `1 restarts losing 2` records that were not on disk."""
        log = self.logs[who]
        if how:
            log.truncate_to(log.log_end_offset - int(how[1]))
        self.states.pop(who, None)
        self.fetched.pop(who, None)
        return [self.shown(who)]

    def on_drops(self, who: str, _: str, offset: str) -> list[str]:
        """`1 drops below 5`."""
        self.logs[who].drop_below(int(offset))
        return [self.shown(who)]

    def shown(self, who: str) -> str:
        log = self.logs[who]
        entries = enumerate(log.entries, log.log_start_offset)
        return f"{who} has " + (" ".join(f"{at}:{value}@{epoch}" for at, (epoch, value) in entries) or "nothing")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_conversation(path: Path, rewrite: bool) -> None:
    replay(path, Conversation().perform, rewrite)


def test_there_are_conversations() -> None:
    assert len(FILES) >= 5

"""Consumers that take records of one share-partition, as text: see `share_partitions/*.txt`.

Batches are `first-last`, hidden ones with a `!`. A change is stored at once unless the coordinator is said to be slow;
`state` shows each run of records with its state, its deliveries and who holds it.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from riacho.base.errors import KafkaError
from riacho.shares.acquiring import AcquireRequest, FetchedBatch
from riacho.shares.config import ShareLimits
from riacho.shares.record_state import AcknowledgeType
from riacho.shares.share_partition import SharePartition, Transition
from riacho.shares.state_batches import StateBatch, combine
from riacho.wire.messages.share_acknowledge_request import AcknowledgementBatch
from support.conversation import replay

FILES = sorted((Path(__file__).parent / "share_partitions").glob("*.txt"))
STATES = {0: "available", 1: "acquired", 2: "acknowledged", 4: "archived"}


class Conversation:
    def __init__(self) -> None:
        self.limits = ShareLimits(record_lock_duration_ms=1_000)
        self.batches: list[FetchedBatch] = []
        self.now_ms = 0
        self.share = SharePartition(0, 1)
        self.stored: list[StateBatch] = []
        self.stored_start = 0
        self.is_slow = False
        self.unstored: list[Transition] = []

    def perform(self, keyword: str, text: str) -> list[str]:
        words = text.split()
        if keyword == "given":
            getattr(self, f"given_{words[0]}")(*words[1:])
            return []
        return getattr(self, f"on_{words[1]}")(words[0], *words[2:])  # type: ignore[no-any-return]

    def given_batches(self, *batches: str) -> None:
        for batch in batches:
            first, last = batch.rstrip("!").split("-")
            self.batches.append(FetchedBatch(int(first), int(last), batch.endswith("!")))

    def given_limits(self, deliveries: str, locks: str = "2000") -> None:
        self.limits = ShareLimits(
            delivery_count_limit=int(deliveries),
            record_lock_duration_ms=1_000,
            partition_max_record_locks=int(locks),
        )

    def on_fetches(self, who: str, records_max: str = "500", mode: str = "") -> list[str]:
        if not self.share.can_acquire(self.limits):
            return [f"{who} gets nothing: too much is in flight"]
        offset = self.share.next_fetch_offset()
        found = [batch for batch in self.batches if batch.last_offset >= offset]
        request = AcquireRequest(who, int(records_max), 500, mode == "exactly")
        acquired = self.share.acquire(request, found, offset, self.limits, self.now_ms)
        given = [f"{each.first_offset}-{each.last_offset} x{each.delivery_count}" for each in acquired.ranges]
        return [f"{who} gets {', '.join(given)}" if given else f"{who} gets nothing"]

    def on_acknowledges(self, who: str, records: str, *kinds: str) -> list[str]:
        first, last = records.split("-")
        types = [int(AcknowledgeType[kind.upper()]) for kind in kinds]
        batch = AcknowledgementBatch(first_offset=int(first), last_offset=int(last), acknowledge_types=types)
        try:
            return self.changed(self.share.acknowledge(who, [batch], self.limits, self.now_ms))
        except KafkaError as error:
            return [f"{who} is told {error.code.name}"]

    def on_leaves(self, who: str) -> list[str]:
        return self.changed(self.share.release(who, self.limits))

    def on_passes(self, _: str, seconds: str) -> list[str]:
        self.now_ms += int(float(seconds.rstrip("s")) * 1000)
        return self.changed(self.share.expire(self.limits, self.now_ms))

    def on_is(self, _: str, how: str) -> list[str]:
        """`coordinator is slow`, `coordinator is back`, `coordinator is away`: what waits is stored or refused."""
        self.is_slow = how == "slow"
        if self.is_slow:
            return []
        waiting, self.unstored = self.unstored, []
        answers = []
        for transition in waiting:
            if how == "away":
                self.share.roll_back(transition)
            else:
                answers += self.changed(transition)
        return answers or self.shown()

    def on_moves(self, _: str) -> list[str]:
        """`leadership moves`: the next leader has what is stored."""
        self.share = SharePartition(self.stored_start, 1, self.stored)
        return self.shown()

    def on_starts(self, _: str, __: str, offset: str) -> list[str]:
        """`log starts at N`."""
        self.share.log_start_moved(int(offset))
        return self.shown()

    def changed(self, transition: Transition) -> list[str]:
        if self.is_slow and transition.id:
            self.unstored.append(transition)
            return self.shown()
        if transition:
            self.stored_start = self.share.start_offset
            self.stored = combine(self.stored, transition.state_batches, self.stored_start)
        self.share.commit(transition)
        return self.shown()

    def shown(self) -> list[str]:
        runs = [
            f"{run.first}-{run.last} {STATES[run.state]} x{run.delivery_count} {run.member_id}".rstrip()
            for run in self.share.runs
        ]
        return [f"state {self.share.start_offset}: {', '.join(runs) or 'nothing in flight'}"]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_conversation(path: Path, rewrite: bool) -> None:
    replay(path, Conversation().perform, rewrite)


def test_there_are_conversations() -> None:
    assert len(FILES) >= 5

"""Conversations with a partition's leader, as text: see `replication/*.txt`.

Broker 1 leads brokers 2 and 3. `N fetches X` says that N has everything below X and asks for more.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from riacho.base.errors import KafkaError
from riacho.partition.leader import IsrProposal, PartitionLeader
from support.conversation import replay

FILES = sorted((Path(__file__).parent / "replication").glob("*.txt"))


class Conversation:
    def __init__(self) -> None:
        self.now_ms = 1_000_000
        self.settings = {"end": 0, "watermark": 0, "min.isr": 1}
        self.isr: tuple[int, ...] = (1, 2, 3)
        self.fenced: set[int] = set()
        self.epochs = {1: 10, 2: 20, 3: 30}
        self.end = 0
        self.partition_epoch = 0
        self.proposal: IsrProposal | None = None
        self.writes: list[int] = []
        self.leader: PartitionLeader | None = None
        self.shown: dict[str, str] = {}

    def perform(self, keyword: str, text: str) -> list[str]:
        words = text.split()
        if keyword == "given":
            if words[0] == "isr":
                self.isr = tuple(int(each) for each in words[1:])
            else:
                self.settings[words[0]] = int(words[1])
            return []
        if self.leader is None:
            self.lead()
        try:
            lines = getattr(self, f"on_{words[1]}")(words[0], *words[2:]) or []
        except KafkaError as error:
            lines = [error.code.name]
        return [*lines, *self.committed(), *self.changes()]

    def lead(self) -> None:
        self.end = self.settings["end"]
        self.leader = PartitionLeader(
            1,
            (1, 2, 3),
            self.isr,
            leader_epoch=1,
            partition_epoch=0,
            log_end_offset=self.end,
            high_watermark=self.settings["watermark"],
            min_isr=self.settings["min.isr"],
            lag_ms_max=30_000,
            is_eligible=lambda broker, epoch: broker not in self.fenced and epoch == self.epochs[broker],
            now_ms=self.now_ms,
        )
        self.shown = self.view()

    # producer writes; 2 fetches 5; time passes; lag is_checked; controller confirms | refuses; 3 is_fenced ...

    def on_writes(self, who: str, acks: str = "all") -> list[str]:
        assert self.leader is not None
        if acks == "all" and not self.leader.has_enough_replicas:
            return [f"{who} NOT_ENOUGH_REPLICAS"]
        self.end += 1
        if acks == "all":
            self.writes.append(self.end - 1)
        self.leader.appended(self.end, self.now_ms)
        return [] if acks == "all" else [f"{who} ok at {self.end - 1}"]

    def on_fetches(self, who: str, offset: str) -> list[str]:
        assert self.leader is not None
        broker = int(who)
        self.leader.fetched(broker, self.epochs[broker], int(offset), self.end, self.now_ms)
        return self.proposed(self.leader.propose_expansion(broker))

    def on_passes(self, who: str, duration_ms: str) -> None:
        assert self.leader is not None
        self.now_ms += int(duration_ms)
        self.leader.tick(self.now_ms)

    def on_is_checked(self, who: str) -> list[str]:
        assert self.leader is not None
        return self.proposed(self.leader.propose_shrink(self.now_ms))

    def proposed(self, proposal: IsrProposal | None) -> list[str]:
        if proposal is None:
            return []
        self.proposal = proposal
        return [f"leader proposes isr {' '.join(map(str, proposal.isr))}"]

    def on_confirms(self, who: str) -> None:
        assert self.leader is not None
        assert self.proposal is not None
        self.partition_epoch += 1
        self.leader.confirmed(self.proposal, self.proposal.isr, 1, self.partition_epoch, self.now_ms)

    def on_refuses(self, who: str) -> None:
        assert self.leader is not None
        assert self.proposal is not None
        self.leader.refused(self.proposal, self.now_ms)

    def on_is_fenced(self, who: str) -> None:
        """The controller takes a dead broker out of the ISR by itself."""
        assert self.leader is not None
        self.fenced.add(int(who))
        self.partition_epoch += 1
        kept = tuple(each for each in self.leader.isr if each != int(who))
        self.leader.image_changed((1, 2, 3), kept, self.partition_epoch, self.now_ms)

    def on_is_back(self, who: str) -> None:
        """Registered anew, under a new broker epoch."""
        self.fenced.discard(int(who))
        self.epochs[int(who)] += 1

    # What came of it

    def committed(self) -> list[str]:
        assert self.leader is not None
        done = [offset for offset in self.writes if offset < self.leader.high_watermark]
        self.writes = [offset for offset in self.writes if offset not in done]
        return [f"producer ok at {offset}" for offset in done]

    def changes(self) -> list[str]:
        before, self.shown = self.shown, self.view()
        return [line for what, line in self.shown.items() if before.get(what) != line]

    def view(self) -> dict[str, str]:
        assert self.leader is not None
        enough = "" if self.leader.has_enough_replicas else ", too small"
        return {
            "isr": f"isr {' '.join(map(str, self.leader.isr))}{enough}",
            "watermark": f"high watermark {self.leader.high_watermark}",
        }


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_conversation(path: Path, rewrite: bool) -> None:
    replay(path, Conversation().perform, rewrite)


def test_there_are_conversations() -> None:
    assert FILES

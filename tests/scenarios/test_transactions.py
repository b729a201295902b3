"""Conversations with a transaction coordinator, as text: see `transactions/*.txt`.

Producers are called by one-letter names and share the transactional id `tx`. What one knows of its producer id and
epoch is what it was told last. Producer ids are shown as P1, P2, ... in the order in which they come up.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from riacho.base.errors import ErrorCode
from riacho.transactions.config import TransactionConfig
from riacho.transactions.records import parse_record
from riacho.transactions.transaction import Partition
from support.conversation import replay
from support.transaction_world import TransactionWorld

FILES = sorted((Path(__file__).parent / "transactions").glob("*.txt"))


class Conversation:
    def __init__(self) -> None:
        self.settings: dict[str, int] = {}
        self.world = TransactionWorld()
        self.producers: dict[str, tuple[int, int]] = {}
        self.names: dict[int, str] = {-1: "-"}
        self.log_end = 0
        self.due = 0

    def perform(self, keyword: str, text: str) -> list[str]:
        words = text.split()
        if keyword == "given":
            self.settings[words[0]] = int(words[1])
            version = self.settings.get("transaction_version", 2)
            config = {name: value for name, value in self.settings.items() if name != "transaction_version"}
            self.world = TransactionWorld(TransactionConfig(**config), version)
            return []
        said = getattr(self, f"on_{words[1]}")(words[0], *words[2:])
        return [*said, *self.stored(), *self.markers()]

    # What a producer does: a inits | continues | adds t-0 | offsets | verifies t-0 | commits | aborts [version 4]

    def on_inits(self, who: str, *how: str) -> list[str]:
        return self.init(who, -1, -1, *how)

    def on_continues(self, who: str, *how: str) -> list[str]:
        return self.init(who, *self.producers[who], *how)

    def init(self, who: str, producer_id: int, producer_epoch: int, *how: str) -> list[str]:
        options = {name: int(value) for name, value in zip(how[::2], how[1::2], strict=True)}
        response = self.world.init(
            producer_id=producer_id,
            producer_epoch=producer_epoch,
            timeout_ms=options.get("timeout", 60_000),
            version=options.get("version", 5),
        )
        if response.error_code:
            return [f"{who} {ErrorCode(response.error_code).name}"]
        return [self.is_producer(who, response.producer_id, response.producer_epoch)]

    def on_adds(self, who: str, where: str, *how: str) -> list[str]:
        version = int(how[1]) if how else 5
        return self.codes(who, self.world.add(self.producers[who], *partitions(where), version=version))

    def on_verifies(self, who: str, where: str) -> list[str]:
        return self.codes(who, self.world.verify(self.producers[who], *partitions(where)))

    def on_offsets(self, who: str) -> list[str]:
        return self.codes(who, self.world.add_offsets(self.producers[who]))

    def on_commits(self, who: str, *how: str) -> list[str]:
        return self.end(who, True, *how)

    def on_aborts(self, who: str, *how: str) -> list[str]:
        return self.end(who, False, *how)

    def end(self, who: str, committed: bool, *how: str) -> list[str]:
        """`a commits unheard`: the answer gets lost on its way."""
        version = int(how[how.index("version") + 1]) if "version" in how else 5
        response = self.world.ask_end(self.producers[who], committed=committed, version=version)
        if response.error_code:
            return [f"{who} {ErrorCode(response.error_code).name}"]
        if response.producer_id < 0:
            return [f"{who} ok"]
        if "unheard" in how:
            return []
        return [self.is_producer(who, response.producer_id, response.producer_epoch)]

    # And what the world does: leaders confirm [t-0], time passes, coordinator restarts, ...

    def on_confirm(self, who: str, *where: str) -> list[str]:
        if not where:
            self.world.write_markers()
        for each in where:
            self.world.confirm(self.world.due[-1], partitions(each))
        self.due = len(self.world.due)
        return []

    def on_passes(self, who: str, duration_ms: str) -> list[str]:
        self.world.pass_time(int(duration_ms))
        return [f"{each} needs a producer id" for each in self.world.wanting_id]

    def on_gives(self, who: str, *what: str) -> list[str]:
        self.world.give_producer_ids()
        return []

    def on_restarts(self, who: str) -> list[str]:
        self.due = 0
        self.world.restart()
        return []

    def on_expires(self, who: str) -> list[str]:
        self.world.run(self.world.shard.expire_ids(self.world.now_ms))
        return []

    def on_has(self, who: str, epoch: str) -> list[str]:
        """`tx has 32766`: it has come to this epoch."""
        producers = [name for name, producer in self.producers.items() if producer == self.world.producer]
        self.world.edit(producer_epoch=int(epoch))
        for name in producers:
            self.producers[name] = self.world.producer
        self.log_end = len(self.world.log)
        return []

    # What came of it

    def codes(self, who: str, codes: ErrorCode | dict[Partition, ErrorCode]) -> list[str]:
        if isinstance(codes, ErrorCode):
            return [f"{who} {codes.name if codes else 'ok'}"]
        return [
            f"{who} {code.name if code else 'ok'} for {topic}-{partition}" for (topic, partition), code in codes.items()
        ]

    def is_producer(self, who: str, producer_id: int, producer_epoch: int) -> str:
        self.producers[who] = (producer_id, producer_epoch)
        return f"{who} is {self.name(producer_id)} epoch {producer_epoch}"

    def name(self, producer_id: int) -> str:
        return self.names.setdefault(producer_id, f"P{len(self.names)}")

    def stored(self) -> list[str]:
        lines = []
        for record in self.world.log[self.log_end :]:
            stored = parse_record(*record)
            assert stored is not None
            if stored.transaction is None:
                lines.append(f"stored nothing of {stored.transactional_id}")
                continue
            transaction = stored.transaction
            line = f"stored {transaction.state.label} {self.name(transaction.producer_id)}"
            line += f" epoch {transaction.producer_epoch}"
            if transaction.next_producer_id >= 0:
                line += f" next {self.name(transaction.next_producer_id)}"
            lines.append(" ".join([line, *(f"{topic}-{each}" for topic, each in sorted(transaction.partitions))]))
        self.log_end = len(self.world.log)
        return lines

    def markers(self) -> list[str]:
        new = self.world.due[self.due :]
        self.due = len(self.world.due)
        return [
            f"{'commit' if due.committed else 'abort'} markers of {self.name(due.producer_id)}"
            f" epoch {due.producer_epoch} for {' '.join(f'{topic}-{each}' for topic, each in sorted(due.partitions))}"
            for due in new
        ]


def partitions(where: str) -> list[Partition]:
    pairs = (each.rsplit("-", 1) for each in where.split(","))
    return [(topic, int(number)) for topic, number in pairs]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_conversation(path: Path, rewrite: bool) -> None:
    replay(path, Conversation().perform, rewrite)


def test_there_are_conversations() -> None:
    assert len(FILES) >= 11

"""A transaction shard half of whose appends fail, with producers, leaders and time that go on all the same.

As in `abandoning_world.py`: every second decision that has records is abandoned, and what is stored has to be what a
second shard stores, which takes in nothing but the records that were appended.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from riacho.base.coordination import CoordinatorDecision
from riacho.base.errors import ErrorCode
from riacho.transactions.config import TransactionConfig
from riacho.transactions.shard import TransactionShard
from riacho.transactions.state import ONGOING
from riacho.wire.messages.add_partitions_to_txn_response import AddPartitionsToTxnResponse, AddPartitionsToTxnResult
from support.transaction_world import TransactionWorld, durable_state

IDS = ("x", "y")
PARTITIONS = [("t", 0), ("t", 1), ("u", 0)]
TIMEOUT_MS = 1_000
REFUSED = ErrorCode.NOT_COORDINATOR
Producer = tuple[int, int]


class AbandoningTransactionWorld(TransactionWorld):
    def __init__(self, config: TransactionConfig | None = None) -> None:
        self.abandons = False
        self.abandoned = 0
        self._with_records = 0
        self._replayed: TransactionShard | None = None
        super().__init__(config)
        self._replayed = self.reloaded()

    def run(self, decision: CoordinatorDecision) -> Any:
        self.check_stored()
        if decision.records and self.abandons:
            self._with_records += 1
            if self._with_records % 2 == 1:
                self.abandoned += 1
                return refused(decision.reply[0].response) if decision.reply else None
        before = len(self.log)
        answer = super().run(decision)
        if self._replayed is not None:
            for record in self.log[before:]:
                self._replayed.apply(record.key, record.value)
        self.check_stored()
        return answer

    def check_stored(self) -> None:
        if self._replayed is not None:
            assert durable_state(self.shard) == durable_state(self._replayed)


def refused(response: Any) -> Any:
    """The same answer, as it is when the append has failed."""
    if not isinstance(response, AddPartitionsToTxnResponse | AddPartitionsToTxnResult):
        return type(response)(error_code=REFUSED)
    is_result = isinstance(response, AddPartitionsToTxnResult)
    for topic in response.topic_results if is_result else response.results_by_topic_v3_and_below:
        for partition in topic.results_by_partition:
            partition.partition_error_code = REFUSED
    return response


class AbandoningTransactions:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.world = AbandoningTransactionWorld(
            TransactionConfig(id_expiration_ms=20_000, timeout_check_interval_ms=100)
        )
        self.producers: dict[str, Producer] = {}

    def run(self) -> None:
        self.world.abandons = True
        acts: list[Callable[[], None]] = [self.init, self.add, self.add, self.end, self.end, self.use_up_epochs]
        acts += [self.write_markers, self.pass_time, self.world.give_producer_ids, self.expire_ids]
        for _ in range(self.random.randint(30, 120)):
            self.random.choice(acts)()
        self.world.abandons = False
        self.check_end()

    # What producers, leaders and time do

    def init(self) -> None:
        name = self.random.choice(IDS)
        known = self.producers.get(name) if self.random.random() < 0.5 else None
        producer_id, producer_epoch = known or (-1, -1)
        self._learn(
            name,
            self.world.init(name, timeout_ms=TIMEOUT_MS, producer_id=producer_id, producer_epoch=producer_epoch),
        )

    def add(self) -> None:
        if self.producers:
            name = self.random.choice(sorted(self.producers))
            partitions = self.random.sample(PARTITIONS, self.random.randint(1, 3))
            self.world.add(self.producers[name], *partitions, transactional_id=name)

    def end(self) -> None:
        if self.producers:
            name = self.random.choice(sorted(self.producers))
            committed = self.random.random() < 0.5
            self._learn(name, self.world.ask_end(self.producers[name], committed=committed, transactional_id=name))

    def use_up_epochs(self) -> None:
        """Both what is stored and what the producer knows: it is about to need another producer id."""
        name = self.random.choice(IDS)
        transaction = self.world.shard.transactions.get(name)
        if transaction is not None and not transaction.is_prepared and transaction.producer_epoch < 32_765:
            self.world.edit(name, producer_epoch=32_765)
            edited = self.world.transaction(name)
            self.producers[name] = (edited.producer_id, edited.producer_epoch)

    def write_markers(self) -> None:
        """What could not be written down is told again."""
        for due in list(self.world.due):
            self.world.confirm(due, due.partitions)
            if not self.world.shard.is_due(due):
                self.world.due.remove(due)

    def pass_time(self) -> None:
        self.world.pass_time(self.random.choice([10, 500, 1_001, 21_000]))

    def expire_ids(self) -> None:
        self.world.run(self.world.shard.expire_ids(self.world.now_ms))

    def check_end(self) -> None:
        """Producers fall silent: whatever is open is aborted, its markers are written, and nothing is left to do."""
        for _ in range(3):
            self.world.pass_time(10 * TIMEOUT_MS)
            self.world.give_producer_ids()
            self.write_markers()
        for name, transaction in self.world.shard.transactions.items():
            assert not transaction.is_prepared, name
            assert transaction.state is not ONGOING, name
        assert self.world.shard.next_deadline_ms() is None
        assert not self.world.due
        # And whoever comes again is served.
        for name in IDS:
            assert self.world.init(name).error_code == ErrorCode.NONE

    def _learn(self, name: str, response: Any) -> None:
        if response.error_code == ErrorCode.NONE:
            self.producers[name] = (response.producer_id, response.producer_epoch)

"""Any conversation that producers, brokers, timeouts, marker writers and fail-overs can have keeps its promises."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from riacho.base.errors import ErrorCode
from riacho.transactions.config import TransactionConfig
from riacho.transactions.markers import MarkersDue
from riacho.transactions.records import parse_record
from riacho.transactions.state import IDLE, ONGOING, PREPARED, PREVIOUS
from riacho.transactions.transaction import Transaction
from support.transaction_world import TransactionWorld, durable_state

IDS = ("x", "y")
PARTITIONS = [("t", 0), ("t", 1), ("u", 0)]
TIMEOUT_MS = 1_000


class Transactions(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.world = TransactionWorld(TransactionConfig(id_expiration_ms=20_000, timeout_check_interval_ms=100))
        # All producers that ever were, by transactional id: zombies included.
        self.producers: dict[str, list[tuple[int, int]]] = {name: [(77, 0)] for name in IDS}
        self.read = 0
        self.last: dict[str, Transaction] = {}
        self.epochs: dict[int, int] = {}
        self.owners: dict[int, str] = {}
        self.prepared: dict[str, Transaction] = {}
        self.confirmed: dict[str, set[tuple[str, int]]] = defaultdict(set)
        self.news: list[MarkersDue] = []

    # What clients and brokers do

    @rule(name=st.sampled_from(IDS))
    def init(self, name: str) -> None:
        response = self.world.init(name, timeout_ms=TIMEOUT_MS)
        # The last epoch is the coordinator's own, so that it can fence whoever has the one before.
        assert response.producer_epoch < 32_767
        self.learn(name, response)

    @rule(name=st.sampled_from(IDS), data=st.data())
    def continue_(self, name: str, data: st.DataObject) -> None:
        producer_id, producer_epoch = self.pick(name, data)
        known = self.world.shard.transactions.get(name)
        response = self.world.init(name, timeout_ms=TIMEOUT_MS, producer_id=producer_id, producer_epoch=producer_epoch)
        if response.error_code == 0 and known is not None and known.producer_id == producer_id:
            assert producer_epoch in (known.producer_epoch, known.last_producer_epoch)
        self.learn(name, response)

    @rule(
        name=st.sampled_from(IDS),
        data=st.data(),
        partitions=st.sets(st.sampled_from(PARTITIONS), min_size=1),
        version=st.sampled_from([3, 5]),
        verify_only=st.booleans(),
    )
    def add(self, name: str, data: st.DataObject, partitions: Any, version: int, verify_only: bool) -> None:
        producer = self.pick(name, data)
        before = len(self.world.log)
        code = self.world.add(
            producer, *sorted(partitions), transactional_id=name, version=version, verify_only=verify_only
        )
        transaction = self.world.shard.transactions.get(name)
        if code is ErrorCode.NONE:
            assert transaction is not None
            assert (transaction.producer_id, transaction.producer_epoch) == producer
            assert partitions <= transaction.partitions
            assert transaction.state is ONGOING
        else:
            assert len(self.world.log) == before

    @rule(name=st.sampled_from(IDS), data=st.data())
    def add_offsets(self, name: str, data: st.DataObject) -> None:
        self.world.add_offsets(self.pick(name, data), transactional_id=name)

    @rule(name=st.sampled_from(IDS), data=st.data(), committed=st.booleans(), version=st.sampled_from([4, 5, 5]))
    def end(self, name: str, data: st.DataObject, committed: bool, version: int) -> None:
        producer = self.pick(name, data)
        response = self.world.ask_end(producer, committed=committed, version=version, transactional_id=name)
        transaction = self.world.shard.transactions.get(name)
        if response.error_code == 0:
            assert transaction is not None
            assert transaction.state.label.endswith("Commit" if committed else "Abort")
            if version == 5:
                assert response.producer_id in (transaction.producer_id, transaction.next_producer_id)
                self.learn(name, response)

    # What happens to them

    @rule(data=st.data())
    @precondition(lambda self: self.world.due)
    def confirm_some(self, data: st.DataObject) -> None:
        due = data.draw(st.sampled_from(self.world.due))
        self.confirm(due, data.draw(st.sets(st.sampled_from(sorted(due.partitions)), min_size=1)))

    @rule()
    @precondition(lambda self: self.world.due)
    def confirm_all(self) -> None:
        for due in list(self.world.due):
            self.confirm(due, due.partitions)

    @rule(data=st.data())
    @precondition(lambda self: self.news)
    def late_news(self, data: st.DataObject) -> None:
        """A leader's answer that went astray comes at last."""
        due = data.draw(st.sampled_from(self.news))
        prepared = self.prepared.get(due.transactional_id)
        if prepared is not None and (prepared.producer_id, prepared.producer_epoch) == (
            due.producer_id,
            due.producer_epoch,
        ):
            return
        before = len(self.world.log)
        self.world.confirm(due, due.partitions)
        assert len(self.world.log) == before

    @rule(duration_ms=st.sampled_from([10, 500, 1_001, 5_000, 21_000]))
    def time_passes(self, duration_ms: int) -> None:
        self.world.pass_time(duration_ms)

    @rule()
    def producer_ids_come(self) -> None:
        self.world.give_producer_ids()

    @rule()
    def ids_expire(self) -> None:
        self.world.run(self.world.shard.expire_ids(self.world.now_ms))

    @rule()
    def fail_over(self) -> None:
        self.confirmed.clear()
        self.world.restart()

    @rule(level=st.sampled_from([0, 1, 2, 2]))
    def feature_changes(self, level: int) -> None:
        self.world.transaction_version = level

    @rule(name=st.sampled_from(IDS), epoch=st.sampled_from([32_764, 32_765, 32_766]))
    def epochs_are_used_up(self, name: str, epoch: int) -> None:
        transaction = self.world.shard.transactions.get(name)
        if transaction is None or transaction.state not in (IDLE | {ONGOING}) or transaction.producer_epoch >= epoch:
            return
        self.producers[name].append((transaction.producer_id, epoch))
        self.world.edit(name, producer_epoch=epoch)

    # Promises

    @invariant()
    def replay_is_what_is_live(self) -> None:
        assert durable_state(self.world.reloaded()) == durable_state(self.world.shard)

    @invariant()
    def every_step_is_one_that_may_be(self) -> None:
        for record in self.world.log[self.read :]:
            stored = parse_record(*record)
            assert stored is not None
            name, now = stored
            before = self.last.pop(name, None)
            if now is None:
                assert before is None or before.state in IDLE
                continue
            self.last[name] = now
            self.check_step(before, now)
            self.check_epoch(name, now)
        self.read = len(self.world.log)

    def check_step(self, before: Transaction | None, now: Transaction) -> None:
        if before is None:
            assert now.state.label == "Empty"
            return
        is_edit = before.state is now.state and before.last_update_ms == now.last_update_ms
        assert before.state in PREVIOUS[now.state] or is_edit
        if now.state in PREPARED:
            assert now.partitions == before.partitions
            self.prepared[now.transactional_id] = now
        elif before.state in PREPARED:
            # Completed: exactly what it said has been confirmed, or there was nothing to write.
            confirmed = self.confirmed.pop(now.transactional_id, set())
            assert self.prepared.pop(now.transactional_id).partitions == confirmed
            assert not now.partitions
            assert now.state.label.removeprefix("Complete") == before.state.label.removeprefix("Prepare")

    def check_epoch(self, name: str, now: Transaction) -> None:
        """The epochs of a producer id never go back, and it never changes hands."""
        assert self.owners.setdefault(now.producer_id, name) == name
        assert now.producer_epoch >= self.epochs.get(now.producer_id, 0)
        assert 0 <= now.producer_epoch <= 32_767
        self.epochs[now.producer_id] = now.producer_epoch

    @invariant()
    def open_transactions_end_in_time(self) -> None:
        open_since_ms = [
            transaction.start_ms
            for transaction in self.world.shard.transactions.values()
            if transaction.state is ONGOING and transaction.transactional_id not in self.world.wanting_id
        ]
        if open_since_ms:
            due_ms = self.world.shard.next_deadline_ms()
            assert due_ms is not None
            assert due_ms <= max(min(open_since_ms) + TIMEOUT_MS + 1, self.world.now_ms + 100)

    @invariant()
    def prepared_transactions_have_their_markers_under_way(self) -> None:
        under_way = {(due.transactional_id, due.producer_id, due.producer_epoch) for due in self.world.due}
        for name, transaction in self.world.shard.transactions.items():
            if transaction.state in PREPARED:
                assert (name, transaction.producer_id, transaction.producer_epoch) in under_way
                assert transaction.partitions

    # Help

    def confirm(self, due: MarkersDue, partitions: Any) -> None:
        confirmed = self.confirmed[due.transactional_id]
        confirmed |= partitions
        self.world.confirm(due, partitions)
        if confirmed >= due.partitions:
            transaction = self.world.shard.transactions[due.transactional_id]
            assert transaction.state.label == ("CompleteCommit" if due.committed else "CompleteAbort")
            self.world.due.remove(due)
            self.news.append(due)
        self.every_step_is_one_that_may_be()

    def learn(self, name: str, response: Any) -> None:
        if response.error_code == 0:
            self.producers[name].append((response.producer_id, response.producer_epoch))

    def pick(self, name: str, data: st.DataObject) -> tuple[int, int]:
        """Mostly the newest producer."""
        producers = self.producers[name]
        return data.draw(st.one_of(st.just(producers[-1]), st.just(producers[-1]), st.sampled_from(producers)))


Transactions.TestCase.settings = settings(
    max_examples=100,
    stateful_step_count=50,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
TestTransactions = Transactions.TestCase

"""A broker's transaction coordinator against the pure one: the same random requests, the same answers.

The pure shard answers without a broker around it (`support.transaction_world`), so it serves as the model, for Riacho
and for Apache Kafka alike. Whoever says CONCURRENT_TRANSACTIONS is asked again until the markers are written.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from conformance.raw import RawConnection, error_codes, wait_for_coordinator, wait_until_served
from conformance.running_broker import RunningBroker
from conformance.waiting import eventually
from riacho.base.errors import ErrorCode
from riacho.transactions.transaction import Partition
from support.transaction_world import TransactionWorld

STEPS = 40
TIMEOUT_MS = 60_000
REQUESTS = ["init", "init", "add", "add", "add", "add", "verify", "offsets", "end", "end", "end", "end", "describe"]
Producer = tuple[int, int]
NOBODY = (-1, -1)
TRANSACTIONAL = {"key_type": 1, "coordinator_keys": ["tx"]}
COME_AGAIN = {
    ErrorCode.CONCURRENT_TRANSACTIONS,
    # Also while the broker gets its first producer ids.
    ErrorCode.COORDINATOR_LOAD_IN_PROGRESS,
    ErrorCode.COORDINATOR_NOT_AVAILABLE,
    ErrorCode.NOT_COORDINATOR,
}


@pytest.fixture
def connection(broker: RunningBroker) -> Iterator[RawConnection]:
    with RawConnection(broker.address) as connection:
        wait_for_coordinator(connection, "g")
        eventually(lambda: not any(error_codes(connection.ask("FindCoordinator", 4, **TRANSACTIONAL))))
        yield connection


class Conversation:
    """The answers of both, in the same shape. Producer ids are the model's; the broker's are kept beside."""

    def __init__(self, connection: RawConnection, topic: str, transactional_id: str, rng: random.Random) -> None:
        self.connection = connection
        self.topic = topic
        self.id = transactional_id
        self.rng = rng
        self.model = TransactionWorld()
        self.producers: list[Producer] = [NOBODY]
        self.theirs: dict[int, int] = {-1: -1}
        self.said: list[str] = []

    def step(self) -> None:
        kind = self.rng.choice(REQUESTS)
        producer = self.rng.choice([self.producers[-1]] * 4 + self.producers)
        if self.rng.random() < 0.15:
            producer = (producer[0], producer[1] + self.rng.choice([-1, 1]))
        getattr(self, kind)(producer)

    def init(self, who: Producer) -> None:
        version = self.rng.choice([3, 4, 5])
        who = self.rng.choice([who, NOBODY])
        timeout_ms = self.rng.choice([TIMEOUT_MS] * 8 + [0, 900_001])
        self.compare(
            f"init v{version} {who} {timeout_ms}",
            lambda: self.ask(
                "InitProducerId",
                version,
                transactional_id=self.id,
                transaction_timeout_ms=timeout_ms,
                producer_id=self.their_id(who),
                producer_epoch=who[1],
            ),
            lambda: self.model.init(
                self.id, version=version, timeout_ms=timeout_ms, producer_id=who[0], producer_epoch=who[1]
            ),
        )

    def end(self, who: Producer) -> None:
        version = self.rng.choice([1, 4, 5, 5, 5, 5])
        committed = self.rng.random() < 0.5
        self.compare(
            f"end v{version} {who} committed={committed}",
            lambda: self.ask(
                "EndTxn",
                version,
                transactional_id=self.id,
                producer_id=self.their_id(who),
                producer_epoch=who[1],
                committed=committed,
            ),
            lambda: self.model.ask_end(who, committed=committed, version=version, transactional_id=self.id),
        )

    def offsets(self, who: Producer) -> None:
        version = self.rng.choice([1, 3, 4])
        answer, expected = self.settled(
            lambda: ErrorCode(
                self.ask(
                    "AddOffsetsToTxn",
                    version,
                    transactional_id=self.id,
                    producer_id=self.their_id(who),
                    producer_epoch=who[1],
                    group_id="g",
                ).error_code
            ),
            lambda: self.model.add_offsets(who, version=version, transactional_id=self.id),
        )
        self.check(f"offsets v{version} {who}", answer, expected)

    def add(self, who: Producer) -> None:
        self.add_by(who, self.rng.choice([1, 3, 4, 5]), verify_only=False)

    def verify(self, who: Producer) -> None:
        self.add_by(who, 5, verify_only=True)

    def add_by(self, who: Producer, version: int, verify_only: bool) -> None:
        where = [(self.topic, number) for number in self.rng.sample(range(3), self.rng.choice([1, 2]))]
        answer, expected = self.settled(
            lambda: self.their_codes(who, where, version, verify_only),
            lambda: self.model.add(who, *where, transactional_id=self.id, version=version, verify_only=verify_only),
        )
        self.check(f"add v{version} {who} {where} verify={verify_only}", answer, expected)

    def describe(self, who: Producer) -> None:
        """Also of others: it is looked up by transactional id alone."""

        def described() -> Any:
            return self.ask("DescribeTransactions", 0, transactional_ids=[self.id]).transaction_states[0]

        self.model.write_markers()
        eventually(lambda: not described().transaction_state.startswith("Prepare"))
        self.check("describe", self.shape(described()), self.shape(self.model.shard.describe(self.id)))

    # Answers

    def ask(self, api: str, version: int, **values: Any) -> Any:
        return self.connection.ask(api, version, **values)

    def their_id(self, who: Producer) -> int:
        return self.theirs.get(who[0], 1 << 40)

    def their_codes(
        self, who: Producer, where: list[Partition], version: int, verify_only: bool
    ) -> ErrorCode | dict[Partition, ErrorCode]:
        topics = [{"name": self.topic, "partitions": [number for _, number in where]}]
        mine = {"transactional_id": self.id, "producer_id": self.their_id(who), "producer_epoch": who[1]}
        if version < 4:
            old = {f"v3_and_below_{name}": value for name, value in {**mine, "topics": topics}.items()}
            results = self.ask("AddPartitionsToTxn", version, **old).results_by_topic_v3_and_below
        else:
            transactions = [{**mine, "verify_only": verify_only, "topics": topics}]
            response = self.ask("AddPartitionsToTxn", version, transactions=transactions)
            assert response.error_code == 0
            results = response.results_by_transaction[0].topic_results
        codes = {
            (topic.name, each.partition_index): ErrorCode(each.partition_error_code)
            for topic in results
            for each in topic.results_by_partition
        }
        return next(iter(codes.values())) if len(set(codes.values())) == 1 else codes

    def settled(self, ask: Callable[[], Any], expect: Callable[[], Any]) -> tuple[Any, Any]:
        expected = expect()
        while _code(expected) is ErrorCode.CONCURRENT_TRANSACTIONS:
            self.model.write_markers()
            expected = expect()
        answers: list[Any] = []

        def is_final() -> bool:
            answers.append(ask())
            return _code(answers[-1]) not in COME_AGAIN

        eventually(is_final, interval_s=0.01)
        return answers[-1], expected

    def compare(self, what: str, ask: Callable[[], Any], expect: Callable[[], Any]) -> None:
        """Answers that may bring a producer id and epoch."""
        answer, expected = self.settled(ask, expect)
        if answer.error_code == 0 and expected.error_code == 0 and expected.producer_id >= 0:
            # EndTxn says nothing of them before version 5.
            if answer.producer_id >= 0:
                known = self.theirs.setdefault(expected.producer_id, answer.producer_id)
                assert answer.producer_id == known, what
            self.producers.append((expected.producer_id, expected.producer_epoch))
        self.check(
            what, (ErrorCode(answer.error_code), answer.producer_epoch), (_code(expected), expected.producer_epoch)
        )

    def shape(self, described: Any) -> Any:
        partitions = {(topic.topic, number) for topic in described.topics for number in topic.partitions}
        return (
            ErrorCode(described.error_code),
            described.transaction_state,
            described.transaction_timeout_ms,
            described.producer_epoch,
            described.transaction_start_time_ms > 0,
            {(topic, number) for topic, number in partitions if topic == self.topic},
            any(topic != self.topic for topic, _ in partitions),
        )

    def check(self, what: str, answer: Any, expected: Any) -> None:
        self.said.append(f"{what}: {answer}")
        assert answer == expected, "\n".join(self.said)


def _code(answer: Any) -> ErrorCode:
    if isinstance(answer, dict):
        return ErrorCode.NONE
    return answer if isinstance(answer, ErrorCode) else ErrorCode(answer.error_code)


@pytest.mark.parametrize("seed", range(15))
def test_the_broker_answers_as_the_pure_coordinator(connection: RawConnection, name: str, seed: int) -> None:
    connection.ask(
        "CreateTopics",
        7,
        topics=[{"name": name, "num_partitions": 3, "replication_factor": 1}],
        timeout_ms=10_000,
    )
    wait_until_served(connection, name, 3)
    conversation = Conversation(connection, name, f"{name}-tx", random.Random(seed))
    for _ in range(STEPS):
        conversation.step()

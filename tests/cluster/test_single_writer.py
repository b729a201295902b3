"""Offices of a toy service on a broker in this process: elections, changes, refusals, and faults on request."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager, suppress
from typing import Any

import pytest
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient

from riacho.base.decision import Decision
from riacho.base.errors import ErrorCode
from riacho.single_writer import replicated_log as log_module
from riacho.single_writer.errors import LogError, LogTimeout, NotLeader, OutcomeUnknown, ReplicatedLogError
from riacho.single_writer.record import Append
from riacho.single_writer.replicated_log import ReplicatedLog
from riacho.testing.cluster import KafkaCluster
from support.service_log_ledger import Ledger, ledger_config

PATIENCE_S = 60.0
FIRST, SECOND = "http://127.0.0.1:1", "http://127.0.0.1:2"


@pytest.fixture(scope="module")
def kafka() -> Iterator[KafkaCluster]:
    with KafkaCluster({"group.initial.rebalance.delay.ms": "0", "group.min.session.timeout.ms": "1000"}) as cluster:
        yield cluster


@pytest.fixture
def topic(request: pytest.FixtureRequest, kafka: KafkaCluster) -> Iterator[str]:
    yield request.node.name.replace("[", "-").rstrip("]")
    kafka.clear_faults()


def run(scenario: Coroutine[Any, Any, None]) -> None:
    async def bounded() -> None:
        # Not wait_for: in Python 3.11 it can take a limit that passed for a scenario that ended.
        async with asyncio.timeout(100):
            await scenario

    asyncio.run(bounded())


async def until(is_so: Callable[[], bool]) -> None:
    deadline_s = time.monotonic() + PATIENCE_S
    while not is_so():
        assert time.monotonic() < deadline_s, "it never came to that"
        await asyncio.sleep(0.01)


@asynccontextmanager
async def office(
    kafka: KafkaCluster, topic: str, url: str = FIRST, **options: Any
) -> AsyncIterator[tuple[ReplicatedLog, Ledger]]:
    ledger = Ledger()
    made = ReplicatedLog(ledger_config(kafka.bootstrap_servers, url, topic=topic, **options), ledger)
    await made.start()
    try:
        yield made, ledger
        assert ledger.faults == []
    finally:
        await made.stop()


@asynccontextmanager
async def leader(kafka: KafkaCluster, topic: str, **options: Any) -> AsyncIterator[tuple[ReplicatedLog, Ledger]]:
    async with office(kafka, topic, **options) as (made, ledger):
        await until(lambda: made.is_leader)
        yield made, ledger


def test_numbers_in_order_and_in_the_state_when_told(kafka: KafkaCluster, topic: str) -> None:
    async def scenario() -> None:
        async with leader(kafka, topic) as (first, ledger):
            for number in range(5):
                assert await first.change(lambda: ledger.decide_give("x")) == number
                assert len(ledger.given) == number + 1
            assert await first.change(ledger.decide_count) == 5
            assert first.leader_url == FIRST

    run(scenario())


def test_changes_at_the_same_time_see_each_other(kafka: KafkaCluster, topic: str) -> None:
    async def scenario() -> None:
        async with leader(kafka, topic) as (first, ledger):
            given = await asyncio.gather(*(first.change(lambda: ledger.decide_give("x")) for _ in range(10)))
            assert sorted(given) == list(range(10))

    run(scenario())


def test_a_follower_sees_everything_after_a_barrier_and_takes_over(kafka: KafkaCluster, topic: str) -> None:
    async def scenario() -> None:
        async with office(kafka, topic, SECOND) as (second, copy):
            await until(lambda: second.is_leader)
            async with office(kafka, topic, FIRST) as (first, ledger):
                assert await second.change(lambda: copy.decide_give("x")) == 0
                await first.barrier()
                assert ledger.given == ["x"]
                with pytest.raises(NotLeader):
                    await first.change(lambda: ledger.decide_give("y"))
                await until(lambda: first.leader_url == SECOND)
                await second.stop()
                await until(lambda: first.is_leader)
                assert await first.change(lambda: ledger.decide_give("y")) == 1
                assert first.leader_url == FIRST

    run(scenario())


def test_whoever_is_not_eligible_only_reads(kafka: KafkaCluster, topic: str) -> None:
    async def scenario() -> None:
        async with office(kafka, topic, SECOND, is_eligible=False) as (second, copy):
            async with leader(kafka, topic) as (first, ledger):
                await first.change(lambda: ledger.decide_give("x"))
                await second.barrier()
                assert copy.given == ["x"]
                await until(lambda: second.leader_url == FIRST)
            await until(lambda: second.leader_url is None)
            assert not second.is_leader

    run(scenario())


def test_what_a_decision_raises_is_raised_and_writes_nothing(kafka: KafkaCluster, topic: str) -> None:
    def refuse() -> Decision[Append, int]:
        raise ValueError("not like this")

    async def scenario() -> None:
        async with leader(kafka, topic) as (first, ledger):
            with pytest.raises(ValueError, match="not like this"):
                await first.change(refuse)
            assert await first.change(lambda: ledger.decide_give("x")) == 0

    run(scenario())


def test_a_record_that_is_too_large_is_refused_and_the_next_one_taken(kafka: KafkaCluster, topic: str) -> None:
    async def scenario() -> None:
        async with leader(kafka, topic) as (first, ledger):
            large = Decision(0, [Append(b"0 x", bytes(2_000_000))])
            with pytest.raises(LogError, match="nothing was written"):
                await first.change(lambda: large)
            assert await first.change(lambda: ledger.decide_give("x")) == 0

    run(scenario())


def test_a_caller_who_goes_away_leaves_no_half_change(kafka: KafkaCluster, topic: str) -> None:
    async def scenario() -> None:
        async with leader(kafka, topic) as (first, ledger):
            await first.change(ledger.decide_count)
            begun = kafka.request_count("AddPartitionsToTxn")
            kafka.delay("EndTxn", 200)
            caller = asyncio.create_task(first.change(lambda: ledger.decide_give("gone")))
            await until(lambda: kafka.request_count("AddPartitionsToTxn") > begun)
            caller.cancel()
            await asyncio.wait([caller])
            assert await first.change(lambda: ledger.decide_give("next")) == 1
            assert ledger.given == ["gone", "next"]

    run(scenario())


def test_a_leader_that_was_fenced_leads_again_and_nobody_notices(kafka: KafkaCluster, topic: str) -> None:
    def fence() -> None:
        settings = {"bootstrap.servers": kafka.bootstrap_servers, "transactional.id": f"{topic}-group-leader"}
        Producer(settings).init_transactions(PATIENCE_S)

    async def scenario() -> None:
        async with leader(kafka, topic) as (first, ledger):
            assert await first.change(lambda: ledger.decide_give("x")) == 0
            await asyncio.to_thread(fence)
            assert await first.change(lambda: ledger.decide_give("y")) == 1

    run(scenario())


def test_a_decision_without_records_is_not_told_by_whoever_lost_the_group(kafka: KafkaCluster, topic: str) -> None:
    async def scenario() -> None:
        async with leader(kafka, topic, session_timeout_ms=3_000) as (first, ledger):
            assert await first.change(lambda: ledger.decide_give("x")) == 0
            refusals = kafka.fail("OffsetCommit", ErrorCode.UNKNOWN_MEMBER_ID)
            with pytest.raises(NotLeader):
                await first.change(ledger.decide_count)
            assert refusals.is_spent
            await until(lambda: first.is_leader)
            assert await first.change(ledger.decide_count) == 1

    run(scenario())


def test_a_commit_without_answer_is_unknown_and_found_out(kafka: KafkaCluster, topic: str) -> None:
    async def scenario() -> None:
        async with leader(kafka, topic, write_timeout_ms=4_000) as (first, ledger):
            await first.change(ledger.decide_count)
            kafka.drop("EndTxn", times=None)
            with pytest.raises(OutcomeUnknown, match="may or may not"):
                await first.change(lambda: ledger.decide_give("lost"))
            kafka.clear_faults()
            await until(lambda: first.leader_url == FIRST)
            # It never reached the coordinator, so the number is free; whatever happened, the state is what the log is.
            assert await first.change(lambda: ledger.decide_give("found")) == 0

    run(scenario())


def test_an_instance_that_joins_takes_nothing_from_the_leader(kafka: KafkaCluster, topic: str) -> None:
    async def scenario() -> None:
        async with leader(kafka, topic) as (first, ledger):
            await first.change(ledger.decide_count)
            async with office(kafka, topic, SECOND) as (second, _):
                await until(lambda: second.leader_url == FIRST)
                for _ in range(20):
                    await first.change(lambda: ledger.decide_give("x"))
                assert first.is_leader
                assert not second.is_leader

    run(scenario())


def test_a_log_that_was_deleted_is_begun_anew(kafka: KafkaCluster, topic: str) -> None:
    async def scenario() -> None:
        async with leader(kafka, topic) as (first, ledger):
            for _ in range(3):
                await first.change(lambda: ledger.decide_give("x"))
            admin = AdminClient({"bootstrap.servers": kafka.bootstrap_servers})
            deleted = admin.delete_topics([topic])[topic]
            await asyncio.to_thread(deleted.result, PATIENCE_S)
            await asyncio.to_thread(kafka.create_topic, topic, 1, {"cleanup.policy": "compact"})
            await until(lambda: ledger.clears > 0)
            # More than one sign tells of it, and the log may be read anew for each: until then changes may fail.
            number = None
            while number is None:
                with suppress(ReplicatedLogError):
                    await until(lambda: first.is_leader)
                    number = await first.change(lambda: ledger.decide_give("y"))
            assert ledger.given == ["y"] * (number + 1)

    run(scenario())


def test_a_log_that_was_made_anew_without_compaction_is_not_written(
    kafka: KafkaCluster, topic: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log_module, "_TOPIC_CHECK_EVERY", 1)

    async def scenario() -> None:
        async with leader(kafka, topic) as (first, ledger):
            await first.change(lambda: ledger.decide_give("x"))
            admin = AdminClient({"bootstrap.servers": kafka.bootstrap_servers})
            await asyncio.to_thread(admin.delete_topics([topic])[topic].result, PATIENCE_S)
            await asyncio.to_thread(kafka.create_topic, topic, 1, {"cleanup.policy": "delete"})
            await until(lambda: ledger.clears > 0)
            refusal = ""
            while "cleanup.policy=delete" not in refusal:
                await until(lambda: first.is_leader)
                try:
                    await first.change(lambda: ledger.decide_give("y"))
                except ReplicatedLogError as error:
                    refusal = str(error)
            assert refusal.endswith("Nothing was written.")

    run(scenario())


def test_a_patient_service_asks_for_no_longer_transactions_than_brokers_allow() -> None:
    settings = ledger_config("127.0.0.1:1", write_timeout_ms=3_600_000).writer_settings
    assert settings["message.timeout.ms"] == settings["transaction.timeout.ms"] == 900_000


def test_no_client_brings_a_deleted_topic_back() -> None:
    """With the cluster's defaults, which delete old records."""
    config = ledger_config("127.0.0.1:1")
    for settings in (config.writer_settings, config.reader_settings, config.membership_settings, config.watch_settings):
        assert settings["allow.auto.create.topics"] is False


@pytest.mark.parametrize(
    ("partitions", "policy", "sentence"),
    [(2, "compact", "has 2 partitions"), (1, "delete", "cleanup.policy=delete")],
    ids=["partitions", "policy"],
)
def test_a_topic_that_is_no_log(kafka: KafkaCluster, topic: str, partitions: int, policy: str, sentence: str) -> None:
    kafka.create_topic(topic, partitions, {"cleanup.policy": policy})

    async def scenario() -> None:
        with pytest.raises(LogError, match=sentence):
            async with office(kafka, topic):
                pass

    run(scenario())


def test_no_broker_is_one_sentence() -> None:
    async def scenario() -> None:
        made = ReplicatedLog(ledger_config("127.0.0.1:1", start_timeout_ms=1_000), Ledger())
        with pytest.raises(LogTimeout, match=r"No Kafka broker answered in time at 127\.0\.0\.1:1\."):
            await made.start()

    run(scenario())

"""The active controller among three: it decides ahead of the commit, and nobody hears of it before."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import pytest

from riacho.base.decision import Decision
from riacho.base.errors import ErrorCode, KafkaError
from riacho.broker.requests.later import Later, Outcome, settled
from riacho.metadata.image.image import MetadataImage
from riacho.wire.messages.config_record import ConfigRecord
from riacho.wire.messages.topic_record import TopicRecord
from support.quorum_of_three import QuorumOfThree


@pytest.fixture
def quorum(tmp_path: Path) -> QuorumOfThree:
    return QuorumOfThree(tmp_path)


def run(coroutine: Coroutine[Any, Any, Any]) -> Any:
    return asyncio.run(asyncio.wait_for(coroutine, 10))


def make(quorum: QuorumOfThree, name: str) -> Coroutine[Any, Any, set[str]]:
    """A topic of no partitions; the reply is what the decision was made on."""
    return settled(submitted(quorum, name))


def submitted(quorum: QuorumOfThree, name: str) -> Outcome[set[str]]:
    record = TopicRecord(name=name, topic_id=name.encode().ljust(16, b"-"))
    return quorum.controller.submit(lambda controller: Decision(reply=set(controller.image.topics), records=[record]))


def abandon(outcome: Outcome[set[str]]) -> None:
    assert isinstance(outcome, Later)
    outcome.abandon()


async def turn() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


def test_it_takes_office_with_the_first_commit_of_its_epoch(quorum: QuorumOfThree) -> None:
    taken: list[int] = []
    quorum.controller.on_activated.append(lambda: taken.append(quorum.log.end_offset))
    quorum.add([TopicRecord(name="older", topic_id=b"o" * 16)])
    quorum.elected()
    for committed in (0, quorum.node.epoch_start_offset):
        quorum.commit(committed)
        with pytest.raises(KafkaError) as raised:
            make(quorum, "a")
        assert raised.value.code is ErrorCode.NOT_CONTROLLER
    quorum.commit()
    assert taken == [2]
    assert set(quorum.controller.image.topics) == {"older"}, "all that was there before is committed with it"
    assert quorum.controller.image is quorum.metadata.image


def test_decisions_see_each_other_and_replies_wait_for_the_commit(quorum: QuorumOfThree) -> None:
    quorum.in_office()

    async def scenario() -> None:
        first, second = asyncio.ensure_future(make(quorum, "a")), asyncio.ensure_future(make(quorum, "b"))
        await turn()
        assert not first.done()
        assert set(quorum.controller.image.topics) == {"a", "b"}
        assert set(quorum.metadata.image.topics) == set(), "nobody else sees what is not committed"
        quorum.commit(quorum.log.end_offset - 1)
        assert await first == set()
        await turn()
        assert not second.done()
        assert set(quorum.metadata.image.topics) == {"a"}
        quorum.commit()
        assert await second == {"a"}

    run(scenario())
    assert set(quorum.metadata.image.topics) == {"a", "b"}
    assert quorum.metadata.image is quorum.controller.image


def test_a_reply_that_changes_nothing_waits_for_what_it_saw(quorum: QuorumOfThree) -> None:
    """TOPIC_ALREADY_EXISTS about a topic that may never come to be would be a lie."""
    quorum.in_office()

    async def scenario() -> None:
        creation = asyncio.ensure_future(make(quorum, "a"))
        seen = asyncio.ensure_future(
            quorum.controller.decided(lambda controller: Decision(reply=set(controller.image.topics), records=[]))
        )
        await turn()
        assert not seen.done()
        quorum.commit()
        assert await seen == {"a"}
        await creation
        # With nothing ahead it is there at once.
        assert quorum.controller.submit(lambda _: Decision(reply=1, records=[])) == 1

    run(scenario())


def test_a_commit_between_the_decision_and_the_wait_is_not_missed(quorum: QuorumOfThree) -> None:
    quorum.in_office()

    async def scenario() -> None:
        reply = make(quorum, "a")
        quorum.commit()
        assert await reply == set()

    run(scenario())


def test_losing_the_office_refuses_all_who_wait_and_drops_what_was_ahead(quorum: QuorumOfThree) -> None:
    quorum.in_office()

    async def scenario() -> None:
        waiting = [asyncio.ensure_future(make(quorum, name)) for name in "ab"]
        late = make(quorum, "c")
        await turn()
        quorum.deposed()
        for each in (*waiting, late):
            with pytest.raises(KafkaError) as raised:
                await each
            assert raised.value.code is ErrorCode.NOT_CONTROLLER
            assert raised.value.code.retriable

    run(scenario())
    assert quorum.controller.image is quorum.metadata.image
    assert set(quorum.controller.image.topics) == set()
    with pytest.raises(KafkaError):
        make(quorum, "d")
    quorum.controller.propose(lambda controller: pytest.fail("no office, no proposals"))


def test_another_leader_may_commit_what_the_last_one_appended(quorum: QuorumOfThree) -> None:
    quorum.in_office()
    abandon(submitted(quorum, "kept"))
    abandon(submitted(quorum, "cut"))
    kept = quorum.log.end_offset - 1
    quorum.deposed()
    quorum.log.truncate_to(kept, quorum.clock.now_ms())
    quorum.add([TopicRecord(name="theirs", topic_id=b"t" * 16)])
    quorum.commit()
    assert set(quorum.metadata.image.topics) == {"kept", "theirs"}
    # And this one decides on that when it comes back.
    quorum.in_office()
    assert set(quorum.controller.image.topics) == {"kept", "theirs"}


def test_the_image_ahead_counts_the_records_of_the_quorum_itself(quorum: QuorumOfThree) -> None:
    """A broker's epoch is the offset of its registration, so the offset must be right."""
    quorum.in_office()
    quorum.add_control()
    seen: list[MetadataImage] = []

    def decide(controller: Any) -> Any:
        seen.append(controller.image)
        return Decision(reply=None, records=[])

    quorum.controller.submit(decide)
    assert seen[0].end_offset == quorum.log.end_offset == 2
    abandon(submitted(quorum, "a"))
    quorum.commit()
    assert quorum.metadata.image.end_offset == quorum.log.end_offset == 3


def test_settings_are_those_ahead(quorum: QuorumOfThree) -> None:
    quorum.in_office()
    record = ConfigRecord(resource_type=4, resource_name="", name="num.partitions", value="7")
    quorum.controller.propose(lambda _: Decision(reply=None, records=[record]))
    assert quorum.controller.values.integer("num.partitions") == 7
    assert quorum.metadata.values.integer("num.partitions") == 1
    quorum.deposed()
    quorum.log.truncate_to(1, quorum.clock.now_ms())
    quorum.in_office()
    assert quorum.controller.values.integer("num.partitions") == 1


def test_an_append_that_fails_is_taken_back(quorum: QuorumOfThree, monkeypatch: pytest.MonkeyPatch) -> None:
    quorum.in_office()

    def refuse(batch: bytearray) -> int:
        raise KafkaError(ErrorCode.KAFKA_STORAGE_ERROR, "full")

    async def scenario() -> None:
        waiting = asyncio.ensure_future(make(quorum, "a"))
        await turn()
        with monkeypatch.context() as patched:
            patched.setattr(quorum, "append", refuse)
            with pytest.raises(KafkaError, match="full"):
                make(quorum, "b")
        assert set(quorum.controller.image.topics) == {"a"}
        quorum.commit()
        assert await waiting == set()

    run(scenario())
    assert set(quorum.metadata.image.topics) == {"a"}


def test_an_append_that_costs_the_office_is_refused(quorum: QuorumOfThree, monkeypatch: pytest.MonkeyPatch) -> None:
    """The driver tells of a broken log from within the append."""
    quorum.in_office()

    def refuse(batch: bytearray) -> int:
        quorum.deposed()
        raise KafkaError(ErrorCode.KAFKA_STORAGE_ERROR, "broken")

    async def scenario() -> None:
        waiting = asyncio.ensure_future(make(quorum, "a"))
        await turn()
        monkeypatch.setattr(quorum, "append", refuse)
        with pytest.raises(KafkaError) as raised:
            make(quorum, "b")
        assert raised.value.code is ErrorCode.NOT_CONTROLLER, "whoever asks again finds another controller"
        with pytest.raises(KafkaError) as raised:
            await waiting
        assert raised.value.code is ErrorCode.NOT_CONTROLLER

    run(scenario())
    assert not quorum.controller.is_active


def test_a_log_that_breaks_after_the_append_makes_no_promise(
    quorum: QuorumOfThree, monkeypatch: pytest.MonkeyPatch
) -> None:
    quorum.in_office()

    def lose(batch: bytearray) -> int:
        quorum.deposed()
        return 0

    monkeypatch.setattr(quorum, "append", lose)
    with pytest.raises(KafkaError) as raised:
        make(quorum, "a")
    assert raised.value.code is ErrorCode.NOT_CONTROLLER

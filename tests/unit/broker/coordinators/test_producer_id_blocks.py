"""Producer ids come in blocks of the controller; nobody gets one that another got."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

import pytest

from riacho.base.errors import ErrorCode, KafkaError
from riacho.broker.coordinators.producer_id_blocks import ProducerIdBlocks
from riacho.wire.messages.allocate_producer_ids_request import AllocateProducerIdsRequest
from riacho.wire.messages.allocate_producer_ids_response import AllocateProducerIdsResponse


class Registration:
    epoch = 42


class Channel:
    def __init__(self, *answers: AllocateProducerIdsResponse | KafkaError) -> None:
        self.answers = list(answers)
        self.asked: list[tuple[int, int]] = []

    async def ask(self, request: AllocateProducerIdsRequest, *, timeout_ms: int = 0) -> AllocateProducerIdsResponse:
        self.asked.append((request.broker_id, request.broker_epoch))
        await asyncio.sleep(0)
        answer = self.answers.pop(0)
        if isinstance(answer, KafkaError):
            raise answer
        return answer


def block(start: int, length: int) -> AllocateProducerIdsResponse:
    return AllocateProducerIdsResponse(producer_id_start=start, producer_id_len=length)


def blocks(*answers: AllocateProducerIdsResponse | KafkaError) -> tuple[ProducerIdBlocks, Channel]:
    channel = Channel(*answers)
    return ProducerIdBlocks(3, Registration(), channel), channel


def run(coroutine: Coroutine[Any, Any, Any]) -> Any:
    return asyncio.run(asyncio.wait_for(coroutine, 10))


def test_a_block_is_used_up_before_the_next_is_asked_for() -> None:
    async def scenario() -> None:
        ids, channel = blocks(block(1_000, 2), block(5_000, 2))
        assert [await ids.take() for _ in range(2)] == [1_000, 1_001]
        assert channel.asked == [(3, 42)]
        assert [await ids.take() for _ in range(2)] == [5_000, 5_001]
        assert channel.asked == [(3, 42)] * 2

    run(scenario())


def test_all_who_wait_share_one_answer() -> None:
    async def scenario() -> None:
        ids, channel = blocks(block(1_000, 10))
        assert sorted(await asyncio.gather(*(ids.take() for _ in range(10)))) == list(range(1_000, 1_010))
        assert len(channel.asked) == 1

    run(scenario())


def test_more_who_wait_than_a_block_has() -> None:
    """Whoever waited while the last of the block went must not take what is beyond it."""

    async def scenario() -> None:
        ids, channel = blocks(*(block(1_000 * number, 2) for number in range(1, 6)))
        taken = await asyncio.gather(*(ids.take() for _ in range(9)))
        allowed = {1_000 * number + each for number in range(1, 6) for each in range(2)}
        assert len(set(taken)) == 9
        assert set(taken) <= allowed
        assert len(channel.asked) == 5

    run(scenario())


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (AllocateProducerIdsResponse(error_code=ErrorCode.STALE_BROKER_EPOCH), ErrorCode.COORDINATOR_LOAD_IN_PROGRESS),
        (KafkaError(ErrorCode.NETWORK_EXCEPTION), ErrorCode.NETWORK_EXCEPTION),
    ],
)
def test_a_refusal_passes_and_the_next_asks_again(answer: Any, code: ErrorCode) -> None:
    async def scenario() -> None:
        ids, _ = blocks(answer, block(7, 1))
        with pytest.raises(KafkaError) as raised:
            await ids.take()
        assert raised.value.code is code
        assert code.retriable
        assert await ids.take() == 7

    run(scenario())

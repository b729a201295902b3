"""How a broker comes, stays and goes, against a controller that answers as the test says."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

import pytest

from riacho.base.errors import ErrorCode, KafkaError
from riacho.broker.membership.broker_lifecycle import BrokerLifecycle
from riacho.wire.messages.broker_heartbeat_request import BrokerHeartbeatRequest
from riacho.wire.messages.broker_heartbeat_response import BrokerHeartbeatResponse
from riacho.wire.messages.broker_registration_response import BrokerRegistrationResponse
from riacho.wire.messages.feature_level_record import FeatureLevelRecord
from support.lifecycle_world import LifecycleWorld


class Channel:
    """Gives the answers in turn, and the last one for ever; an error among them is raised."""

    def __init__(self, *answers: Any) -> None:
        self.answers = list(answers)
        self.asked: list[Any] = []

    async def send(self, request: Any, *, timeout_ms: int = 0) -> Any:
        self.asked.append(request)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def pause(self, timeout_ms: int) -> None:
        await asyncio.sleep(0)


def lifecycle(channel: Channel, **properties: str) -> BrokerLifecycle:
    return LifecycleWorld(channel, **{"broker.rack": "r1", **properties}).lifecycle


def run(coroutine: Coroutine[Any, Any, Any]) -> Any:
    return asyncio.run(asyncio.wait_for(coroutine, 10))


REGISTERED = BrokerRegistrationResponse(broker_epoch=42)
FENCED = BrokerHeartbeatResponse(is_fenced=True)
UNFENCED = BrokerHeartbeatResponse(is_fenced=False, is_caught_up=True)


def refused(code: ErrorCode) -> BrokerRegistrationResponse:
    return BrokerRegistrationResponse(error_code=code)


def test_it_registers_with_all_that_the_controller_must_know() -> None:
    channel = Channel(REGISTERED)
    me = lifecycle(channel)
    run(me.register())
    (request,) = channel.asked
    assert me.epoch == 42
    assert (request.broker_id, request.cluster_id, request.rack) == (1, "c", "r1")
    assert (request.incarnation_id, request.log_dirs, request.previous_broker_epoch) == (b"i" * 16, [b"d" * 16], 5)
    assert [(each.name, each.host, each.port) for each in request.listeners] == [("PLAINTEXT", "127.0.0.1", 9092)]
    assert "metadata.version" in {feature.name for feature in request.features}


def test_it_tries_again_while_that_may_help() -> None:
    channel = Channel(
        KafkaError(ErrorCode.NOT_CONTROLLER),
        KafkaError(ErrorCode.NETWORK_EXCEPTION),
        refused(ErrorCode.DUPLICATE_BROKER_REGISTRATION),
        REGISTERED,
    )
    me = lifecycle(channel)
    run(me.register())
    assert me.epoch == 42
    assert len(channel.asked) == 4


@pytest.mark.parametrize("code", [ErrorCode.INCONSISTENT_CLUSTER_ID, ErrorCode.INVALID_REGISTRATION])
def test_a_refusal_that_will_not_pass_is_told(code: ErrorCode) -> None:
    with pytest.raises(KafkaError) as raised:
        run(lifecycle(Channel(refused(code))).register())
    assert raised.value.code is code


def test_a_broker_that_knows_too_little_says_of_what() -> None:
    """The controller says only that some version does not fit; the metadata, which may come later, say which."""

    async def story() -> None:
        world = LifecycleWorld(Channel(refused(ErrorCode.UNSUPPORTED_VERSION)))
        metadata = world.metadata
        registering = asyncio.ensure_future(world.lifecycle.register())
        await asyncio.sleep(0)
        metadata.publish(metadata.image.apply([FeatureLevelRecord(name="streams.version", feature_level=1)]))
        with pytest.raises(KafkaError, match=r"finalised streams.version at 1, this node supports 0 to 0"):
            await registering

    run(story())


def test_heartbeats_bring_it_in_and_tell_how_far_it_is() -> None:
    async def story() -> None:
        channel = Channel(REGISTERED, FENCED, UNFENCED)
        me = lifecycle(channel)
        await me.register()
        me.serve()
        me.start()
        await me.unfenced()
        beat = channel.asked[-1]
        assert isinstance(beat, BrokerHeartbeatRequest)
        assert (beat.broker_epoch, beat.current_metadata_offset, beat.want_fence) == (42, 42, False)
        await me.close()

    run(story())


def test_it_does_not_ask_to_be_let_in_before_it_can_serve() -> None:
    async def story() -> bool:
        channel = Channel(REGISTERED, FENCED)
        me = lifecycle(channel)
        await me.register()
        await me.beat()
        wants_fence: bool = channel.asked[-1].want_fence
        return wants_fence

    assert run(story())


@pytest.mark.parametrize("code", [ErrorCode.STALE_BROKER_EPOCH, ErrorCode.BROKER_ID_NOT_REGISTERED])
def test_a_registration_that_is_gone_is_made_again(code: ErrorCode) -> None:
    async def story() -> int:
        again = BrokerRegistrationResponse(broker_epoch=99)
        channel = Channel(REGISTERED, BrokerHeartbeatResponse(error_code=code), again, UNFENCED)
        me = lifecycle(channel)
        await me.register()
        await me.beat()
        return me.epoch

    assert run(story()) == 99


def test_it_leaves_when_the_controller_says_so() -> None:
    async def story() -> tuple[bool, list[bool]]:
        may_go = BrokerHeartbeatResponse(is_fenced=False, should_shut_down=True)
        channel = Channel(REGISTERED, UNFENCED, UNFENCED, UNFENCED, may_go)
        me = lifecycle(channel)
        await me.register()
        me.serve()
        me.start()
        await me.unfenced()
        was_let_go = await me.shut_down(timeout_ms=5_000)
        await me.close()
        return was_let_go, [beat.want_shut_down for beat in channel.asked[1:]]

    was_let_go, wishes = run(story())
    assert was_let_go
    assert wishes[0] is False
    assert all(wishes[1:])


def test_it_leaves_without_a_controller_after_a_while() -> None:
    async def story() -> bool:
        world = LifecycleWorld(Channel(REGISTERED, UNFENCED, KafkaError(ErrorCode.NOT_CONTROLLER)))
        me = world.lifecycle
        await me.register()
        me.serve()
        me.start()
        await me.unfenced()
        leaving = asyncio.get_running_loop().create_task(me.shut_down(timeout_ms=60_000))
        while not leaving.done():
            await asyncio.sleep(0.01)
            world.clock.at_ms += 100
        await me.close()
        return leaving.result()

    assert run(story()) is False


def test_a_broker_that_nobody_registers_in_time_does_not_start() -> None:
    channel = Channel(KafkaError(ErrorCode.NOT_CONTROLLER))
    with pytest.raises(KafkaError) as raised:
        asyncio.run(lifecycle(channel, **{"initial.broker.registration.timeout.ms": "30"}).join())
    assert raised.value.code is ErrorCode.REQUEST_TIMED_OUT
    assert "initial.broker.registration.timeout.ms=30" in raised.value.detail
    assert channel.asked


def test_a_broker_that_is_registered_late_but_in_time_starts() -> None:
    coming = lifecycle(Channel(KafkaError(ErrorCode.NOT_CONTROLLER), BrokerRegistrationResponse(broker_epoch=9)))
    asyncio.run(coming.join())
    assert coming.epoch == 9

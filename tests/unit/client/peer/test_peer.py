"""A peer against a scripted node on loopback: many requests in flight, answers of any size, every way to be lost."""

from __future__ import annotations

import asyncio
import struct
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
import uvloop

from riacho.base.errors import ErrorCode, KafkaError
from riacho.broker.environment import SystemNetwork
from riacho.client.peer.peer import Peer, PeerRefused
from riacho.wire.messages.api_versions_response import ApiVersion, ApiVersionsResponse
from riacho.wire.messages.fetch_request import FetchRequest
from riacho.wire.messages.fetch_response import FetchableTopicResponse, FetchResponse, PartitionData
from riacho.wire.messages.heartbeat_request import HeartbeatRequest
from riacho.wire.messages.heartbeat_response import HeartbeatResponse
from riacho.wire.messages.metadata_request import MetadataRequest
from riacho.wire.messages.metadata_response import MetadataResponse
from support.simulated_peer_node import HANG_UP, SILENCE, ScriptedNode, framed, versions_answer

HEARTBEAT, METADATA, FETCH = 12, 3, 1
Run = Callable[[Coroutine[Any, Any, None]], None]


@pytest.fixture(params=[uvloop.new_event_loop, asyncio.new_event_loop], ids=["uvloop", "asyncio"])
def run(request: pytest.FixtureRequest) -> Run:
    def run_it(main: Coroutine[Any, Any, None]) -> None:
        with asyncio.Runner(loop_factory=request.param) as runner:
            runner.run(asyncio.wait_for(main, 30))

    return run_it


def echo(connection: Any, request: Any, header: Any) -> Any:
    return HeartbeatResponse(throttle_time_ms=request.generation_id)


def beat(number: int) -> HeartbeatRequest:
    return HeartbeatRequest(generation_id=number)


def peer_of(port: int, **options: Any) -> Peer:
    return Peer(SystemNetwork(), "127.0.0.1", port, client_id="test", **options)


async def failure_of(sending: Any) -> KafkaError:
    with pytest.raises(KafkaError) as raised:
        await sending
    return raised.value


def test_requests_go_out_in_the_newest_version_of_both(run: Run) -> None:
    async def main() -> None:
        node = ScriptedNode(lambda *_: MetadataResponse(cluster_id="c"), versions_answer(k3=(0, 9)))
        peer = peer_of(await node.start())
        assert not peer.is_connected
        assert (await peer.send(MetadataRequest())).cluster_id == "c"
        assert peer.is_connected
        assert (await peer.send(MetadataRequest(), version=4)).cluster_id == "c"
        assert node.requests == [(18, 4), (METADATA, 9), (METADATA, 4)], "versions are asked for once"
        assert (await failure_of(peer.send(beat(0)))).code is ErrorCode.UNSUPPORTED_VERSION
        assert peer.is_connected
        peer.close()
        node.stop()

    run(main())


def test_an_older_node_is_asked_again_in_a_version_that_it_knows(run: Run) -> None:
    async def main() -> None:
        known = [ApiVersion(api_key=18, min_version=0, max_version=2), ApiVersion(api_key=3, max_version=5)]

        def answer(connection: Any, request: Any, header: Any) -> Any:
            if header.api_key == METADATA:
                return MetadataResponse(cluster_id="old")
            if header.api_version > 2:
                refusal = ApiVersionsResponse(error_code=ErrorCode.UNSUPPORTED_VERSION, api_keys=known)
                return framed(18, header.api_version, header.correlation_id, refusal, body_version=0)
            return ApiVersionsResponse(api_keys=known)

        node = ScriptedNode(answer)
        node.versions = None  # type: ignore[assignment]
        peer = peer_of(await node.start())
        assert (await peer.send(MetadataRequest())).cluster_id == "old"
        assert node.requests == [(18, 4), (18, 2), (METADATA, 5)]
        peer.close()
        node.stop()

    run(main())


def test_many_requests_are_in_flight_at_once(run: Run) -> None:
    async def main() -> None:
        held: list[Any] = []

        def hold(connection: Any, request: Any, header: Any) -> Any:
            held.append((connection, HeartbeatResponse(throttle_time_ms=request.generation_id), header))
            if len(held) == 50:
                for waiting, answer, asked in held:
                    waiting.reply(answer, asked)
            return SILENCE

        node = ScriptedNode(hold)
        peer = peer_of(await node.start())
        answers = await asyncio.gather(*(peer.send(beat(number)) for number in range(50)))
        assert [answer.throttle_time_ms for answer in answers] == list(range(50))
        assert len(node.connections) == 1, "all who wait share one attempt to connect"
        peer.close()
        node.stop()

    run(main())


def test_answers_in_pieces_and_together_are_put_together(run: Run) -> None:
    async def main() -> None:
        def answer(connection: Any, request: Any, header: Any) -> Any:
            data = framed(HEARTBEAT, 4, header.correlation_id, HeartbeatResponse(throttle_time_ms=7))
            # The size alone, then the rest one byte at a time.
            for start, end in [(0, 3), *((at, at + 1) for at in range(3, len(data)))]:
                connection.transport.write(data[start:end])
            return SILENCE

        node = ScriptedNode(answer)
        peer = peer_of(await node.start())
        for answered in await asyncio.gather(*(peer.send(beat(0)) for _ in range(300))):
            assert answered.throttle_time_ms == 7
        peer.close()
        node.stop()

    run(main())


@pytest.mark.parametrize("size_bytes", [100, 16_300, 16_384, 70_000, 9_000_000])
def test_large_answers_are_views_of_their_own_frame(run: Run, size_bytes: int) -> None:
    async def main() -> None:
        def answer(connection: Any, request: Any, header: Any) -> Any:
            fill = bytes([request.max_wait_ms]) * size_bytes
            parts = [PartitionData(partition_index=0, records=fill)]
            return FetchResponse(responses=[FetchableTopicResponse(topic="t", partitions=parts)])

        node = ScriptedNode(answer)
        peer = peer_of(await node.start())
        answers = await asyncio.gather(*(peer.send(FetchRequest(max_wait_ms=n), version=12) for n in (1, 2, 3)))
        for number, message in enumerate(answers, 1):
            records = message.responses[0].partitions[0].records
            assert isinstance(records, memoryview)
            assert len(records) == size_bytes
            assert bytes(records) == bytes([number]) * size_bytes
        peer.close()
        node.stop()

    run(main())


def test_a_refused_port_is_told_apart(run: Run) -> None:
    async def main() -> None:
        bound = SystemNetwork().bind("127.0.0.1", 0)
        bound.close()
        peer = peer_of(bound.port)
        for _ in range(2):
            error = await failure_of(peer.send(beat(0)))
            assert isinstance(error, PeerRefused)
            assert error.code is ErrorCode.NETWORK_EXCEPTION
        assert not peer.is_connected

    run(main())


def test_a_name_refuses_when_all_its_addresses_do(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> None:
        bound = SystemNetwork().bind("127.0.0.1", 0)
        bound.close()

        async def two_addresses(*_: Any) -> list[str]:
            return ["127.0.0.1", "127.0.0.2"]

        monkeypatch.setattr("riacho.broker.environment._addresses", two_addresses)
        with pytest.raises(ConnectionRefusedError):
            await SystemNetwork().connect("some.name", bound.port, asyncio.Protocol)

    run(main())


def test_a_lost_connection_ends_all_that_wait_and_the_next_send_connects_again(run: Run) -> None:
    async def main() -> None:
        lost: list[bool] = []

        def answer(connection: Any, request: Any, header: Any) -> Any:
            return (
                HANG_UP
                if request.generation_id == 2
                else SILENCE
                if request.generation_id == 1
                else echo(0, request, 0)
            )

        node = ScriptedNode(answer)
        peer = peer_of(await node.start(), on_lost=lambda: lost.append(peer.is_connected))
        assert (await peer.send(beat(5))).throttle_time_ms == 5
        errors = await asyncio.gather(peer.send(beat(1)), peer.send(beat(2)), return_exceptions=True)
        assert [type(error) for error in errors] == [KafkaError, KafkaError]
        assert {error.code for error in errors if isinstance(error, KafkaError)} == {ErrorCode.NETWORK_EXCEPTION}
        assert lost == [False]
        assert (await peer.send(beat(6))).throttle_time_ms == 6
        assert len(node.connections) == 2
        peer.close()
        assert lost == [False], "closing is not losing"
        node.stop()

    run(main())


def test_silence_times_out_and_ends_the_connection(run: Run) -> None:
    async def main() -> None:
        node = ScriptedNode(lambda *_: SILENCE)
        peer = peer_of(await node.start())
        patient = asyncio.ensure_future(peer.send(beat(0)))
        await node.has_seen(HEARTBEAT)
        assert (await failure_of(peer.send(beat(1), timeout_ms=20))).code is ErrorCode.REQUEST_TIMED_OUT
        assert (await failure_of(patient)).code is ErrorCode.NETWORK_EXCEPTION
        assert not peer.is_connected
        await node.has_lost_all()
        node.stop()

    run(main())


def test_a_node_that_accepts_and_says_nothing_costs_no_more_than_the_timeouts(run: Run) -> None:
    async def main() -> None:
        node = ScriptedNode(lambda *_: SILENCE)
        node.versions = None  # type: ignore[assignment]
        port = await node.start()
        impatient = peer_of(port, connect_timeout_ms=60_000)
        assert (await failure_of(impatient.send(beat(0), timeout_ms=20))).code is ErrorCode.REQUEST_TIMED_OUT
        impatient.close()
        peer = peer_of(port, connect_timeout_ms=20)
        assert (await failure_of(peer.send(beat(0)))).code is ErrorCode.NETWORK_EXCEPTION
        await node.has_lost_all()
        node.stop()

    run(main())


def test_a_cancelled_send_keeps_its_place_in_the_line(run: Run) -> None:
    async def main() -> None:
        held: list[Any] = []

        def hold(connection: Any, request: Any, header: Any) -> Any:
            held.append((connection, HeartbeatResponse(throttle_time_ms=request.generation_id), header))
            return SILENCE

        node = ScriptedNode(hold)
        peer = peer_of(await node.start())
        sends = [asyncio.ensure_future(peer.send(beat(number))) for number in range(3)]
        await node.has_seen(HEARTBEAT, 3)
        sends[1].cancel()
        for connection, answer, header in held:
            connection.reply(answer, header)
        assert (await sends[0]).throttle_time_ms == 0
        assert (await sends[2]).throttle_time_ms == 2
        assert sends[1].cancelled()
        assert peer.is_connected
        peer.close()
        node.stop()

    run(main())


def test_a_send_cancelled_while_connecting_leaves_the_attempt_to_others(run: Run) -> None:
    async def main() -> None:
        node = ScriptedNode(echo)
        peer = peer_of(await node.start())
        first, second = (asyncio.ensure_future(peer.send(beat(number))) for number in (1, 2))
        await asyncio.sleep(0)
        first.cancel()
        assert (await second).throttle_time_ms == 2
        assert len(node.connections) == 1
        peer.close()
        node.stop()

    run(main())


def test_closing_is_for_good(run: Run) -> None:
    async def main() -> None:
        node = ScriptedNode(lambda *_: SILENCE)
        port = await node.start()
        peer = peer_of(port)
        waiting = asyncio.ensure_future(peer.send(beat(0)))
        await node.has_seen(HEARTBEAT)
        peer.close()
        assert (await failure_of(waiting)).code is ErrorCode.NETWORK_EXCEPTION
        assert (await failure_of(peer.send(beat(0)))).code is ErrorCode.NETWORK_EXCEPTION
        await node.has_lost_all()
        connecting = peer_of(port)
        waiting = asyncio.ensure_future(connecting.send(beat(0)))
        await asyncio.sleep(0)
        connecting.close()
        assert (await failure_of(waiting)).code is ErrorCode.NETWORK_EXCEPTION
        node.stop()

    run(main())


@pytest.mark.parametrize(
    "garbage",
    [
        struct.pack(">i", -5),
        struct.pack(">i", 3),
        struct.pack(">i", 2_000_000),
        struct.pack(">ii", 8, 999_999) + b"1234",
        b"HTTP/1.1 400 Bad Request\r\n\r\n",
    ],
    ids=["negative", "tiny", "huge", "wrong correlation id", "http"],
)
def test_what_is_no_answer_ends_the_connection(run: Run, garbage: bytes) -> None:
    async def main() -> None:
        node = ScriptedNode(lambda *_: garbage)
        peer = peer_of(await node.start(), frame_size_bytes_max=1_000_000)
        assert (await failure_of(peer.send(beat(0)))).code is ErrorCode.NETWORK_EXCEPTION
        await node.has_lost_all()
        node.stop()

    run(main())


def test_what_cannot_be_asked_leaves_the_connection_as_it_is(run: Run) -> None:
    async def main() -> None:
        node = ScriptedNode(echo)
        peer = peer_of(await node.start())
        assert (await peer.send(beat(1))).throttle_time_ms == 1
        assert (await failure_of(peer.send(beat(1), version=99))).code is ErrorCode.INVALID_REQUEST
        assert (await peer.send(beat(2))).throttle_time_ms == 2
        peer.close()
        node.stop()

    run(main())

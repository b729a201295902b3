"""The simulated network behaves as TCP does where brokers and clients can tell."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from random import Random
from typing import Any

import pytest

from support.simulated_network import SimulatedNetwork
from support.simulated_time import Life, SimulatedLoop
from support.simulated_trace import Trace


class End(asyncio.Protocol):
    """Keeps what it is told."""

    def __init__(self) -> None:
        self.data = b""
        self.losses: list[Exception | None] = []
        self.is_paused = False

    def connection_made(self, transport: Any) -> None:
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self.data += data

    def connection_lost(self, error: Exception | None) -> None:
        self.losses.append(error)

    def pause_writing(self) -> None:
        self.is_paused = True

    def resume_writing(self) -> None:
        self.is_paused = False


class Pair:
    def __init__(self, network: SimulatedNetwork, life: Life) -> None:
        self.network = network
        self.life = life
        self.accepted: list[End] = []

    async def serve(self) -> None:
        async def bind() -> None:
            host = self.network.host("b")
            await host.serve(host.bind("b", 9092), self._accept)

        await self.network.loop.create_task(bind(), context=self.life.context())

    def _accept(self) -> End:
        self.accepted.append(End())
        return self.accepted[-1]

    async def connect(self) -> End:
        _, protocol = await self.network.host("a").connect("b", 9092, End)
        return protocol  # type: ignore[no-any-return]


Run = Callable[[Callable[[Pair], Coroutine[Any, Any, None]]], None]


@pytest.fixture(params=range(5))
def run(request: pytest.FixtureRequest) -> Iterator[Run]:
    loop = SimulatedLoop(Random(1))
    network = SimulatedNetwork(loop, Random(request.param), Trace())

    def run_it(scenario: Callable[[Pair], Coroutine[Any, Any, None]]) -> None:
        pair = Pair(network, Life("b"))

        async def main() -> None:
            await pair.serve()
            await scenario(pair)

        loop.run_until_complete(main())

    yield run_it
    loop.end()


def test_bytes_come_in_order_and_in_time(run: Run) -> None:
    async def scenario(pair: Pair) -> None:
        client = await pair.connect()
        sent = b""
        for number in range(200):
            piece = b"%d," % number
            sent += piece
            client.transport.write(piece)
            await asyncio.sleep(0.0001)
        await asyncio.sleep(1)
        [server] = pair.accepted
        assert server.data == sent
        server.transport.write(b"back")
        await asyncio.sleep(1)
        assert client.data == b"back"
        assert client.transport.get_extra_info("peername") == ("b", 9092)
        assert client.transport.get_extra_info("socket") is None

    run(scenario)


def test_a_port_that_nobody_has_refuses(run: Run) -> None:
    async def scenario(pair: Pair) -> None:
        with pytest.raises(ConnectionRefusedError):
            await pair.network.host("a").connect("b", 1, End)
        with pytest.raises(OSError, match="in use"):
            pair.network.host("b").bind("b", 9092)

    run(scenario)


def test_who_comes_before_the_server_accepts_waits(run: Run) -> None:
    async def scenario(pair: Pair) -> None:
        host = pair.network.host("c")
        bound = host.bind("", 0)
        attempt = asyncio.ensure_future(pair.network.host("a").connect("c", bound.port, End))
        await asyncio.sleep(5)
        assert not attempt.done()
        await host.serve(bound, End)
        await attempt

    run(scenario)


def test_closing_lets_the_last_bytes_through(run: Run) -> None:
    async def scenario(pair: Pair) -> None:
        client = await pair.connect()
        client.transport.write(b"last words")
        client.transport.close()
        await asyncio.sleep(1)
        [server] = pair.accepted
        assert server.data == b"last words"
        assert server.losses == [None]
        assert client.losses == [None]

    run(scenario)


def test_a_killed_process_resets_its_connections_and_refuses_new_ones(run: Run) -> None:
    async def scenario(pair: Pair) -> None:
        client = await pair.connect()
        pair.life.is_over = True
        pair.network.crash("b", silently=False)
        await asyncio.sleep(1)
        assert isinstance(client.losses[0], ConnectionResetError)
        with pytest.raises(ConnectionRefusedError):
            await pair.connect()
        [server] = pair.accepted
        assert server.losses == [], "the dead are not told"

    run(scenario)


def test_a_dead_machine_says_nothing_until_it_is_back(run: Run) -> None:
    async def scenario(pair: Pair) -> None:
        client = await pair.connect()
        pair.life.is_over = True
        pair.network.crash("b", silently=True)
        client.transport.write(b"hello?")
        await asyncio.sleep(5)
        assert client.losses == []
        pair.network.boot("b")
        await asyncio.sleep(2)
        assert isinstance(client.losses[0], ConnectionResetError)

    run(scenario)


def test_a_cut_link_holds_bytes_back_and_lets_them_through_in_order(run: Run) -> None:
    async def scenario(pair: Pair) -> None:
        client = await pair.connect()
        pair.network.cut([("a", "b")])
        client.transport.write(b"one ")
        await asyncio.sleep(3)
        client.transport.write(b"two")
        [server] = pair.accepted
        server.transport.write(b"the other way is open")
        await asyncio.sleep(3)
        assert server.data == b""
        assert client.data == b"the other way is open"
        pair.network.heal()
        await asyncio.sleep(2)
        assert server.data == b"one two"
        assert client.losses == server.losses == []

    run(scenario)


def test_a_sender_gives_up_and_the_receiver_learns_it_after_the_cut(run: Run) -> None:
    async def scenario(pair: Pair) -> None:
        client = await pair.connect()
        pair.network.cut([("a", "b")])
        client.transport.write(b"lost")
        await asyncio.sleep(60)
        assert isinstance(client.losses[0], TimeoutError)
        [server] = pair.accepted
        assert server.losses == []
        pair.network.heal()
        await asyncio.sleep(2)
        assert isinstance(server.losses[0], ConnectionResetError)
        assert server.data == b""

    run(scenario)


def test_connecting_over_a_cut_link_waits_and_then_fails(run: Run) -> None:
    async def scenario(pair: Pair) -> None:
        pair.network.cut([("b", "a")])
        attempt = asyncio.ensure_future(pair.connect())
        await asyncio.sleep(2)
        assert not attempt.done()
        pair.network.heal()
        await attempt
        pair.network.cut([("a", "b")])
        with pytest.raises(TimeoutError):
            await pair.connect()

    run(scenario)


def test_who_does_not_read_makes_the_writer_pause(run: Run) -> None:
    async def scenario(pair: Pair) -> None:
        client = await pair.connect()
        await asyncio.sleep(0.1)
        [server] = pair.accepted
        server.transport.pause_reading()
        piece = bytes(100_000)
        for _ in range(10):
            client.transport.write(piece)
        await asyncio.sleep(1)
        assert client.is_paused
        assert client.transport.get_write_buffer_size() > 0
        assert server.data == b""
        server.transport.resume_reading()
        await asyncio.sleep(1)
        assert not client.is_paused
        assert len(server.data) == 1_000_000

    run(scenario)


def test_a_reset_breaks_both_ends(run: Run) -> None:
    async def scenario(pair: Pair) -> None:
        client = await pair.connect()
        await asyncio.sleep(0.1)
        assert pair.network.reset_connections("a") == 2
        await asyncio.sleep(0.1)
        [server] = pair.accepted
        assert isinstance(client.losses[0], ConnectionResetError)
        assert isinstance(server.losses[0], ConnectionResetError)

    run(scenario)

"""What anybody may do to a control center, and what may be in the topics it shows: a refusal is one sentence, what it
costs is bounded, and everybody else is served meanwhile. A process of its own, over real connections.
"""

from __future__ import annotations

import asyncio
import json
import resource
import socket
import statistics
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from typing import Any

import httpx
import pytest
from confluent_kafka import Producer

from riacho.testing import KafkaCluster
from support.message_events import events_of
from support.service_process import ServiceProcess, running_service

pytestmark = pytest.mark.timeout(300)
LISTENERS = 1_000
TOO_MANY = 100
BYTES_A_LISTENER_MAX = 50 * 1024
WAIT_S = 60.0
SERVED_S_MAX = 1.0
_OPEN_FILES = 4_096
CLUSTER = "/api/v1/clusters/default"
PROPERTIES = {
    "riacho.console.events.clients.max": str(LISTENERS),
    "riacho.console.follows.each.max": str(LISTENERS),
    "riacho.console.refresh.ms": "1000",
    "request.body.timeout.ms": "1000",
    "idle.timeout.ms": "20000",
}
MEGABYTE = 1024 * 1024


@pytest.fixture(scope="module")
def cluster() -> Iterator[KafkaCluster]:
    with KafkaCluster({"message.max.bytes": 32 * MEGABYTE}) as made:
        made.create_topic("orders", partitions=3)
        yield made


@pytest.fixture(scope="module")
def console(cluster: KafkaCluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServiceProcess]:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(max(soft, _OPEN_FILES), hard), hard))
    with running_service(
        "control-center", cluster.bootstrap_servers, tmp_path_factory.mktemp("console"), PROPERTIES
    ) as made:
        _until(lambda: "orders" in httpx.get(f"{made.url}{CLUSTER}/topics").text)
        yield made
        assert "Traceback" not in made.output(), made.output()[-5_000:]


@pytest.fixture(autouse=True)
def _others_are_served(console: ServiceProcess) -> Iterator[None]:
    yield
    assert httpx.get(f"{console.url}{CLUSTER}/topics", timeout=WAIT_S).status_code == 200


def _until(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + WAIT_S
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def _one_sentence(body: bytes) -> str:
    message: str = json.loads(body)["message"]
    assert message.endswith("."), message
    assert "Traceback" not in message
    return message


# --- those who listen


class Listener:
    """A connection with a stream on it, or with why there is none."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, status: int) -> None:
        self._reader = reader
        self._writer = writer
        self.status = status

    @staticmethod
    async def open(port: int, path: str) -> Listener:
        # Small buffers: a thousand of these are in this process.
        reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=16 * 1024)
        writer.write(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAccept: text/event-stream\r\n\r\n".encode())
        async with asyncio.timeout(WAIT_S):
            head = await reader.readuntil(b"\r\n\r\n")
        return Listener(reader, writer, int(head.split()[1]))

    async def read(self) -> bytes:
        async with asyncio.timeout(WAIT_S):
            return await self._reader.read(16 * 1024)

    async def until(self, text: bytes) -> None:
        seen = b""
        while text not in seen:
            piece = await self.read()
            assert piece, "the stream has ended"
            seen = seen[-1_000:] + piece

    def close(self) -> None:
        self._writer.close()


@asynccontextmanager
async def listening(port: int, path: str, count: int) -> AsyncIterator[list[Listener]]:
    """All at once."""
    opened = await asyncio.gather(*(Listener.open(port, path) for _ in range(count)))
    try:
        yield opened
    finally:
        for each in opened:
            each.close()


async def _served(url: str) -> list[float]:
    """How long health and a list take."""
    took = []
    async with httpx.AsyncClient(base_url=url, timeout=WAIT_S) as client:
        for path in ("/health", f"{CLUSTER}/topics") * 5:
            began = time.perf_counter()
            assert (await client.get(path)).status_code == 200, path
            took.append(time.perf_counter() - began)
    return took


@pytest.mark.parametrize(
    ("path", "status", "refused"),
    [
        (f"{CLUSTER}/events", 429, "1000 pages follow the console already; stop one, or try again later."),
        (
            f"{CLUSTER}/topics/orders/messages?follow=true&limit=0",
            429,
            "1000 pages follow topics already; stop one, or try again later.",
        ),
    ],
)
def test_a_thousand_listeners(
    console: ServiceProcess, cluster: KafkaCluster, path: str, status: int, refused: str
) -> None:
    async def listen() -> None:
        # What the first of them brings with it is no cost of each.
        async with listening(console.port, path, 20) as first:
            await asyncio.gather(*(each.read() for each in first))
        before = console.resident_bytes()
        async with listening(console.port, path, LISTENERS + TOO_MANY) as opened:
            assert Counter(each.status for each in opened) == {200: LISTENERS, status: TOO_MANY}
            for each in opened:
                if each.status == status:
                    assert _one_sentence(await each.read()) == refused
            took = await _served(console.url)
            own = (console.resident_bytes() - before) / LISTENERS
            if "orders" in path:
                await asyncio.to_thread(cluster.produce, "orders", "for-all-of-them", partition=1)
                following = [each for each in opened if each.status == 200]
                await asyncio.gather(*(each.until(b"for-all-of-them") for each in following))
        print(f"\n{path}: {own / 1024:.1f} KB a listener; others wait {max(took) * 1000:.0f} ms at most")
        assert own < BYTES_A_LISTENER_MAX
        assert statistics.median(took) < SERVED_S_MAX

    asyncio.run(listen())
    _until(lambda: _count(console, "riacho_http_requests_in_flight") <= 1)
    # Those who have left have made room.
    assert httpx.get(f"{console.url}{CLUSTER}/topics/orders/messages?limit=1", timeout=WAIT_S).status_code == 200


def _count(console: ServiceProcess, name: str) -> float:
    lines = httpx.get(f"{console.url}/metrics", timeout=WAIT_S).text.splitlines()
    return sum(float(line.split()[-1]) for line in lines if line.startswith(name))


# --- bodies


def _answer_to(console: ServiceProcess, sent: bytes, *, then: bytes = b"") -> tuple[int, bytes]:
    """Of what is sent raw; `then` is sent again and again, until there is an answer."""
    with socket.create_connection(("127.0.0.1", console.port), timeout=WAIT_S) as connection:
        connection.sendall(sent)
        connection.settimeout(0.0 if then else WAIT_S)
        deadline = time.monotonic() + WAIT_S
        answer, unsent = b"", b""
        while b"}" not in answer:
            assert time.monotonic() < deadline
            try:
                piece = connection.recv(65_536)
                assert piece, answer
                answer += piece
            except BlockingIOError:
                unsent = unsent or then
                with suppress(BlockingIOError):
                    unsent = unsent[connection.send(unsent) :]
    head, _, body = answer.partition(b"\r\n\r\n")
    return int(head.split()[1]), body


def _post(path: str, *headers: str) -> bytes:
    lines = [f"POST {path} HTTP/1.1", "Host: localhost", "Content-Type: application/json", *headers, "", ""]
    return "\r\n".join(lines).encode()


def test_bodies_that_do_not_come(console: ServiceProcess) -> None:
    me = httpx.get(f"{console.url}/api/v1/me").json()
    token = f"X-Riacho-Csrf: {me['csrf']}"
    status, body = _answer_to(console, _post(f"{CLUSTER}/topics", token, "Content-Length: 100") + b'{"name"')
    assert (status, _one_sentence(body)) == (408, "The request body did not arrive in time.")
    status, body = _answer_to(console, _post("/api/v1/login", "Content-Length: 100") + b'{"name"')
    assert status == 408


def test_bodies_that_do_not_end(console: ServiceProcess) -> None:
    before = console.resident_bytes()
    chunk = b"10000\r\n" + b" " * 65_536 + b"\r\n"
    token = f"X-Riacho-Csrf: {httpx.get(f'{console.url}/api/v1/me').json()['csrf']}"
    chunked = _post(f"{CLUSTER}/topics/orders/messages", token, "Transfer-Encoding: chunked")
    status, body = _answer_to(console, chunked, then=chunk)
    assert (status, "larger than" in _one_sentence(body)) == (413, True)
    announced = _post(f"{CLUSTER}/topics/orders/messages", token, f"Content-Length: {1 << 40}")
    assert _answer_to(console, announced)[0] == 413
    assert console.resident_bytes() - before < 64 * MEGABYTE


@pytest.mark.parametrize(
    "target",
    [
        "/../../etc/passwd",
        "/..%2f..%2fetc%2fpasswd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/assets/../../console/config.py",
        "/assets/..%5c..%5cconfig.py",
        "/assets//etc/passwd",
        "/\0/etc/passwd",
        "//etc/passwd",
        "/assets/%00",
    ],
)
def test_no_path_leads_out_of_the_pages(console: ServiceProcess, target: str) -> None:
    with socket.create_connection(("127.0.0.1", console.port), timeout=WAIT_S) as connection:
        connection.sendall(f"GET {target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
        answer = b"".join(iter(lambda: connection.recv(65_536), b""))
    assert answer.split()[1] in (b"200", b"400", b"404")
    assert b"root:" not in answer
    assert b"import annotations" not in answer


@pytest.mark.parametrize(
    "headers",
    [
        ("Host: evil.example",),
        ("Host: evil.example:9021",),
        ("Host: 127.0.0.1.evil.example",),
        ("Host: localhost@evil.example",),
        ("Host: localhost", "Host: evil.example"),
        ("Host: localhost", "Origin: null"),
        ("Host: localhost", "Origin: http://localhost.evil.example"),
        ("Host: localhost", "Origin: https://evil.example"),
        ("Host: localhost", "Sec-Fetch-Site: cross-site"),
    ],
)
def test_other_names_and_other_sites(console: ServiceProcess, headers: tuple[str, ...]) -> None:
    """A name that was made to point here (DNS rebinding), and pages of other sites."""
    lines = [f"GET {CLUSTER}/topics HTTP/1.1", *headers, "", ""]
    status, body = _answer_to(console, "\r\n".join(lines).encode())
    assert (status, bool(_one_sentence(body))) == (403, True)


# --- messages


def _hostile() -> Iterator[dict[str, Any]]:
    yield {"value": b"x" * (10 * MEGABYTE)}
    yield {"value": b'{"a": "' + b"x" * (10 * MEGABYTE) + b'"}'}
    yield {"value": b"[" + b"{}," * 3_000_000 + b"1]"}
    yield {"value": b"[" * 5_000 + b"]" * 5_000}
    yield {"value": b"\xdd\x00\x40\x00\x00" + b"\x90" * (4 * MEGABYTE)}
    yield {"value": b"\xdd\xff\xff\xff\xff"}
    yield {"value": b"\0\0\0\0\x07" + b"\xff" * MEGABYTE}
    yield {"value": b"\xff\xfe\xfd" * 1_000, "key": b"\xc3\x28"}
    yield {"value": b"v", "key": b"k" * MEGABYTE}
    yield {"value": b"v", "headers": [(f"h{number}", b"x" * 20) for number in range(20_000)]}
    yield {"value": b"v", "headers": [("h" * MEGABYTE, b"x" * MEGABYTE)]}
    yield {"value": b"<img src=x onerror=alert(1)>", "key": b"\x00\x1b[2J\xe2\x80\xae"}


@pytest.fixture(scope="module")
def hostile(cluster: KafkaCluster) -> int:
    """How many messages the topic `hostile` has; the last two unpack to far more than they weigh."""
    cluster.create_topic("hostile", partitions=1)
    large = {**cluster.client_settings(), "message.max.bytes": 100 * MEGABYTE, "linger.ms": 0}
    messages = list(_hostile())
    plain = Producer(large)
    for each in messages:
        plain.produce("hostile", each["value"], each.get("key"), headers=each.get("headers") or [])
        assert plain.flush(WAIT_S) == 0
    for codec, megabytes in (("gzip", 20), ("zstd", 60)):
        packed = Producer({**large, "compression.type": codec})
        packed.produce("hostile", bytes(megabytes * MEGABYTE), b"bomb")
        assert packed.flush(WAIT_S) == 0
    return len(messages) + 2


def test_messages_that_mean_harm(console: ServiceProcess, hostile: int) -> None:
    before = console.resident_bytes()
    most, slowest = before, 0.0
    for query in ("", "&from=oldest&value=nothing", "&where=value.a.b%20%3D%3D%201"):
        with httpx.stream(
            "GET", f"{console.url}{CLUSTER}/topics/hostile/messages?limit=50{query}", timeout=WAIT_S
        ) as answer:
            assert answer.status_code == 200
            text = ""
            for piece in answer.iter_text():
                text += piece
                began = time.perf_counter()
                assert httpx.get(f"{console.url}/health", timeout=WAIT_S).status_code == 200
                slowest = max(slowest, time.perf_counter() - began)
                most = max(most, console.resident_bytes())
        seen = events_of(text)
        assert seen[-1] == ("done", {"reason": "end"})
        assert len(text) < 2 * MEGABYTE
        found = [data for name, data in seen if name == "message"]
        assert len(found) == (hostile if query == "" else 0)
        assert [data for name, data in seen if name == "problem"] == []
    for offset in range(hostile):
        answer = httpx.get(f"{console.url}{CLUSTER}/topics/hostile/messages/0/{offset}", timeout=WAIT_S)
        most = max(most, console.resident_bytes())
        assert answer.status_code == 200, offset
        message = answer.json()
        assert message["size_bytes"] > 0
        reason = message["value_decoded"]["reason"]
        assert reason is None or reason.endswith("."), reason
    grown = (most - before) / MEGABYTE
    print(f"\nmessages that mean harm: {grown:.0f} MB more at most; health within {slowest * 1000:.0f} ms")
    assert grown < 400
    assert slowest < WAIT_S / 10


def test_filters_that_mean_harm(console: ServiceProcess, cluster: KafkaCluster) -> None:
    """The time follows from what is read: with a megabyte of it, none of these takes long."""
    cluster.create_topic("texts", partitions=1)
    cluster.produce("texts", "x" * 900_000, '{"a": [' + "1," * 100_000 + "1]}", partition=0)
    bombs = [
        'value matches "' + "(" * 200 + "x" + ")*" * 200 + 'y"',
        'value matches "(x|xx|xxx)*(x|xx)*$y"',
        'value matches "' + ".*" * 500 + 'y"',
        " or ".join(['lower(value) contains "y"'] * 100),
        "not " * 30 + "value.a",
    ]
    for where in bombs:
        began = time.monotonic()
        query = {"limit": "5", "from": "oldest", "where": where}
        answer = httpx.get(f"{console.url}{CLUSTER}/topics/texts/messages", params=query, timeout=WAIT_S)
        assert answer.status_code in (200, 400), answer.text[:300]
        assert time.monotonic() - began < 30, where[:60]
    for where in ("(" * 3_000, "not " * 900 + "key", '"' * 3_999, "x" * 5_000, 'value matches "x{1000}{1000}"'):
        query = {"where": where}
        answer = httpx.get(f"{console.url}{CLUSTER}/topics/texts/messages", params=query, timeout=WAIT_S)
        assert (answer.status_code, bool(_one_sentence(answer.content))) == (400, True)

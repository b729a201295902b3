"""Calls of other services: answers, kept connections, and every way in which there is no answer."""

from __future__ import annotations

import asyncio
import http.client
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from riacho.client.http_client import HttpAnswer
from riacho.client.http_target import HttpError
from riacho.client.tls import TlsSettings, client_context
from riacho.web.answers import json_answer
from riacho.web.app import App
from riacho.web.call import Call
from riacho.web.endpoint import Endpoint
from riacho.web.errors import ApiError
from riacho.web.upstream import Upstream
from support.certificates import Authority
from support.web_service import TIMEOUT_S, running


async def echo(call: Call) -> Any:
    body = (await call.body()).decode()
    port = call.client.port if call.client else 0
    told = {"body": body, "query": call.url.query, "auth": call.headers.get("authorization"), "port": port}
    return json_answer(told, headers={"X-Seen": "yes"})


async def conflict(call: Call) -> Any:
    raise ApiError(409, 40901, "Twice.")


APP = App("demo", [Endpoint("GET", "/echo", echo, "Echo."), Endpoint("POST", "/echo", echo, "Echo.", body=dict),
                   Endpoint("GET", "/conflict", conflict, "Conflict.")])  # fmt: skip


def ask(upstream: Upstream, *calls: tuple[str, str], **options: Any) -> list[HttpAnswer]:
    async def all_of_them() -> list[HttpAnswer]:
        return [await upstream.request(method, url, **options) for method, url in calls]

    try:
        return asyncio.run(all_of_them())
    finally:
        upstream.close()


@contextmanager
def listening(*answers: bytes) -> Iterator[str]:
    """A peer that answers one connection after another with fixed bytes and closes each."""

    def serve() -> None:
        for answer in answers:
            connection, _ = listener.accept()
            with connection:
                connection.recv(65536)
                connection.sendall(answer)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        thread.join(TIMEOUT_S)


def test_answers_come_as_they_are():
    with running(APP) as server:
        base = server.urls[0]
        headers = {"Content-Type": "application/json"}
        [got] = ask(Upstream(), ("POST", f"{base}/echo?a=%2F"), headers=headers, body=b"{}")
        assert (got.status, got.headers["x-seen"]) == (200, "yes")
        assert b'"body":"{}","query":"a=%2F"' in got.body
        [got] = ask(Upstream(), ("GET", f"{base}/conflict"))
        assert (got.status, got.body) == (409, b'{"error_code":40901,"message":"Twice."}')


def test_connections_are_used_again():
    with running(APP) as server:
        url = f"{server.urls[0]}/echo"
        first, second, third = ask(Upstream(), ("GET", url), ("POST", url), ("GET", url))
        assert first.body.rpartition(b'"port"')[2] == third.body.rpartition(b'"port"')[2]
        assert second.status == 200


def test_a_connection_that_was_closed_meanwhile_is_not_used():
    answer = b"HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\n"
    with listening(answer + b"a", answer + b"b", answer + b"c") as base:
        first, second, third = ask(Upstream(), ("GET", base), ("GET", base), ("GET", base))
        assert (first.body, second.body, third.body) == (b"a", b"b", b"c")


@pytest.mark.parametrize(
    ("options", "user", "expected"),
    [
        ({}, "", "null"),
        ({"basic_auth": ("al", "pw")}, "", '"Basic YWw6cHc="'),
        ({}, "al:pw@", '"Basic YWw6cHc="'),
        ({}, "a%40b:p%2Fw@", '"Basic YUBiOnAvdw=="'),
    ],
)
def test_who_calls_is_told(options: Any, user: str, expected: str):
    with running(APP) as server:
        [got] = ask(Upstream(**options), ("GET", f"http://{user}127.0.0.1:{server.port}/echo"))
        assert f'"auth":{expected}' in got.body.decode()


def test_the_callers_own_login_goes_first():
    with running(APP) as server:
        upstream = Upstream(basic_auth=("al", "pw"))
        [got] = ask(upstream, ("GET", f"{server.urls[0]}/echo"), headers={"authorization": "Basic eA=="})
        assert '"auth":"Basic eA=="' in got.body.decode()


def complaint(url: str, method: str = "GET", upstream: Upstream | None = None, **options: Any) -> HttpError:
    with pytest.raises(HttpError) as caught:
        ask(upstream or Upstream(), (method, url), **options)
    return caught.value


def test_nobody_there_is_one_sentence():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    error = complaint(f"http://127.0.0.1:{port}/")
    assert error.message == f"http://127.0.0.1:{port} cannot be reached: Connection refused."
    assert not error.was_sent


def test_connecting_has_a_limit_of_its_own(monkeypatch: pytest.MonkeyPatch):
    limits: list[float] = []

    def connect(connection: http.client.HTTPConnection) -> None:
        limits.append(connection.timeout)
        raise TimeoutError("timed out")

    monkeypatch.setattr(http.client.HTTPConnection, "connect", connect)
    for connect_timeout_s in (2.0, 90.0):
        upstream = Upstream(connect_timeout_s=connect_timeout_s)
        with pytest.raises(HttpError) as refused:
            asyncio.run(upstream.request("POST", "http://127.0.0.1:1/", timeout_s=60.0))
        assert not refused.value.was_sent
        upstream.close()
    assert limits == [2.0, 60.0]


@pytest.mark.parametrize("url", ["127.0.0.1:8081", "ftp://a/", "http://", "http://a:b/"])
def test_what_is_no_url_is_one_sentence(url: str):
    assert "URL" in complaint(url).message


def test_a_password_in_a_wrong_url_is_not_told():
    assert "secret" not in complaint("ftp://al:secret@a/").message


@pytest.mark.parametrize("answer", [b"", b"nonsense\r\n\r\n", b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nshort"])
def test_a_broken_answer_is_one_sentence(answer: bytes):
    with listening(answer) as base:
        error = complaint(base, "POST")
        assert error.message.startswith(f"{base} broke off the connection: ")
        assert error.was_sent


def test_silence_is_one_sentence():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        error = complaint(url, timeout_s=0.05)
        assert error.message == f"{url} did not answer within 0.05 s."
        assert error.was_sent


@pytest.mark.parametrize("is_stopped", [True, False], ids=["the service stops", "nobody waits any more"])
def test_a_thread_does_not_wait_longer_than_who_asked(is_stopped: bool):
    async def give_up(url: str) -> None:
        asked = asyncio.ensure_future(upstream.request("GET", url, timeout_s=10 * TIMEOUT_S))
        silent.append(await asyncio.to_thread(_read_request, listener))
        if is_stopped:
            upstream.close()
        else:
            asked.cancel()
        await asyncio.gather(asked, return_exceptions=True)

    upstream = Upstream(threads_max=1)
    silent: list[socket.socket] = []
    with socket.create_server(("127.0.0.1", 0)) as listener:
        asyncio.run(give_up(f"http://127.0.0.1:{listener.getsockname()[1]}"))
        upstream.close()
        for thread in upstream._threads._threads:
            thread.join(TIMEOUT_S)
            assert not thread.is_alive()
    silent[0].close()


def _read_request(listener: socket.socket) -> socket.socket:
    """And nothing else: no answer comes, and no end."""
    connection, _ = listener.accept()
    assert connection.recv(65536)
    return connection


def test_a_cancellation_that_comes_with_the_answer_is_not_lost(monkeypatch: pytest.MonkeyPatch):
    async def cancelled() -> None:
        loop = asyncio.get_running_loop()
        asked: asyncio.Future[HttpAnswer] = loop.create_future()
        monkeypatch.setattr(loop, "run_in_executor", lambda *_: asked)
        upstream = Upstream()
        asking = loop.create_task(upstream.request("GET", "http://127.0.0.1:1"))
        await asyncio.sleep(0)
        asked.set_result(HttpAnswer(200, {}, b""))
        asking.cancel()
        await asyncio.wait({asking})
        upstream.close()
        assert asking.cancelled()

    asyncio.run(cancelled())


def test_an_answer_that_is_too_large_is_not_taken():
    with listening(b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n123456789") as base:
        assert complaint(base, upstream=Upstream(answer_bytes_max=8)).message == f"The answer of {base} is too large."


def test_tls_with_a_trusted_certificate_and_without(tmp_path: Path):
    authority = Authority(tmp_path)
    key = authority.issue("server").pem
    properties = {
        "listeners": "https://127.0.0.1:0",
        "ssl.keystore.location": str(key),
        "ssl.keystore.type": "PEM",
    }
    trusting = client_context(TlsSettings(truststore_location=str(authority.pem), truststore_type="PEM"))
    with running(APP, properties) as server:
        [got] = ask(Upstream(tls=trusting), ("GET", f"{server.urls[0]}/echo"))
        assert got.status == 200
        assert "cannot be reached: its certificate is not accepted (" in complaint(f"{server.urls[0]}/echo").message
        # Plain HTTP on the other side.
        with listening(b"HTTP/1.1 400 Bad Request\r\n\r\n") as base:
            assert "the TLS handshake failed (" in complaint(base.replace("http:", "https:")).message

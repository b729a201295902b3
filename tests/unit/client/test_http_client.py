"""What the blocking client does beyond calls through `web/upstream.py`: redirects, proxies, guards, documents."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from riacho.client.http_client import HttpClient
from riacho.client.http_target import HttpError, address_of, basic, without_user
from riacho.client.url_document import read_document
from support.http_api import HttpApi, Reply, Request, running_api
from support.ports import free_port

LOGIN = {"Authorization": basic("ann", "secret")}


@pytest.fixture
def client(request: pytest.FixtureRequest) -> Iterator[HttpClient]:
    made = HttpClient(**getattr(request, "param", {}))
    yield made
    made.close()


@pytest.fixture
def api() -> Iterator[HttpApi]:
    with running_api(lambda request: Reply(content=[request.path])) as running:
        yield running


@pytest.fixture(autouse=True)
def no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.lower().endswith("_proxy")]:
        monkeypatch.delenv(name)


@pytest.mark.parametrize("client", [{"redirects_max": 2}], indirect=True)
def test_a_redirect_is_followed_and_a_login_stays_with_whom_it_is_for(client: HttpClient, api: HttpApi) -> None:
    with running_api(lambda request: Reply(content=[])) as other:
        places = {"/a": "/b", "/b": f"{other.url}/c"}
        api.answer = lambda request: Reply(302, headers={"Location": places[request.path]})
        assert client.request("GET", f"{api.url}/a", headers=LOGIN).status == 200
        assert [request.headers.get("authorization") for request in api.requests] == [LOGIN["Authorization"]] * 2
        assert "authorization" not in other.requests[0].headers


@pytest.mark.parametrize("client", [{"redirects_max": 2}], indirect=True)
def test_what_changes_something_is_not_sent_elsewhere_and_a_circle_has_an_end(client: HttpClient, api: HttpApi) -> None:
    api.answer = lambda request: Reply(307, headers={"Location": "/again"})
    assert client.request("POST", f"{api.url}/a", body=b"{}").status == 307
    assert len(api.requests) == 1
    assert client.request("GET", f"{api.url}/a").status == 307
    assert len(api.requests) == 1 + 3


def test_redirects_are_answers_where_nobody_asked_for_more(client: HttpClient, api: HttpApi) -> None:
    api.answer = lambda request: Reply(302, headers={"Location": "/b"})
    assert client.request("GET", f"{api.url}/a").headers["location"] == "/b"


@pytest.mark.parametrize("client", [{"redirects_max": 2}], indirect=True)
def test_a_redirect_leads_to_no_file(client: HttpClient, api: HttpApi) -> None:
    api.answer = lambda request: Reply(302, headers={"Location": "file:///etc/passwd"})
    with pytest.raises(HttpError, match="is not an http or https URL"):
        client.request("GET", f"{api.url}/a")


@pytest.mark.parametrize("client", [{"takes_proxy": True}], indirect=True)
def test_a_proxy_of_the_environment_is_asked(client: HttpClient, api: HttpApi, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", api.url.replace("://", "://bob:pw@"))
    assert client.request("GET", "http://idp.invalid/token").body == b'["http://idp.invalid:80/token"]'
    [asked] = api.requests
    assert (asked.headers["host"], asked.headers["proxy-authorization"]) == ("idp.invalid:80", basic("bob", "pw"))
    client.close()
    monkeypatch.setenv("no_proxy", "idp.invalid")
    with pytest.raises(HttpError, match="its name is not known"):
        client.request("GET", "http://idp.invalid/token")


@pytest.mark.parametrize("client", [{"takes_proxy": True}], indirect=True)
def test_tls_goes_through_a_tunnel(client: HttpClient, monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def refuse() -> None:
            connection, _ = listener.accept()
            with connection:
                heard.append(connection.recv(65_536))
                connection.sendall(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")

        thread = threading.Thread(target=refuse, daemon=True)
        thread.start()
        monkeypatch.setenv("https_proxy", f"127.0.0.1:{listener.getsockname()[1]}")
        with pytest.raises(HttpError, match="cannot be reached: Tunnel connection failed: 403 Forbidden") as refused:
            client.request("POST", "https://idp.invalid/token", headers=LOGIN, body=b"secret")
        thread.join(60)
    assert not refused.value.was_sent
    assert heard[0].startswith(b"CONNECT idp.invalid:443 HTTP/1.")
    assert b"secret" not in heard[0]
    assert LOGIN["Authorization"].encode() not in heard[0]


def test_without_leave_no_proxy_is_asked(client: HttpClient, api: HttpApi, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{free_port()}")
    assert client.request("GET", f"{api.url}/a").is_good


def test_a_guard_sees_each_connection_before_and_after_it_is_made(api: HttpApi) -> None:
    seen: list[str | None] = []

    def guard(url: str, address: str | None) -> None:
        seen.append(address)
        if url.endswith("/refused"):
            raise PermissionError if address is None else AssertionError

    client = HttpClient(guard=guard)
    assert client.request("GET", f"{api.url}/a").is_good
    assert client.request("GET", f"{api.url}/b").is_good
    assert seen == [None, "127.0.0.1"]
    client.close()
    with pytest.raises(PermissionError):
        client.request("GET", f"{api.url}/refused")
    assert len(api.requests) == 2


def test_a_connection_is_made_ahead_of_a_call(client: HttpClient, api: HttpApi) -> None:
    client.reach(api.url)
    assert client.request("GET", f"{api.url}/a").is_good
    with pytest.raises(HttpError, match="Connection refused"):
        client.reach(f"http://127.0.0.1:{free_port()}")


def test_a_forked_process_leaves_connections_to_the_one_it_came_from(
    client: HttpClient, api: HttpApi, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[socket.socket] = []
    connect = socket.create_connection

    def counted(*given: Any, **named: Any) -> socket.socket:
        made.append(connect(*given, **named))
        return made[-1]

    monkeypatch.setattr(socket, "create_connection", counted)
    for _ in range(2):
        client.request("GET", f"{api.url}/a")
    assert len(made) == 1
    monkeypatch.setattr(os, "getpid", lambda: -1)
    client.request("GET", f"{api.url}/a")
    assert len(made) == 2


@pytest.mark.parametrize("url", ["http://[::1]:80/", "https://a"])
def test_addresses_are_told_as_they_were_given(url: str) -> None:
    assert str(address_of(url).target).startswith(url.rstrip("/"))


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("http://ana:s3cret@host:8088/a", "http://host:8088/a"),
        ("http://ana:s3/cr@et@host", "http://host"),
        ("http://host:8088", "http://host:8088"),
        ("ana:s3cret@host:8088", "host:8088"),
        ("ana:s3cret@host/?next=http://other", "host/?next=http://other"),
        ("host:8088", "host:8088"),
    ],
)
def test_an_address_is_shown_without_its_login(url: str, shown: str) -> None:
    assert without_user(url) == shown


def test_documents_come_from_files_and_web_servers(tmp_path: Path, api: HttpApi) -> None:
    path = tmp_path / "a token"
    path.write_text("t0ken")
    url = path.as_uri()
    assert "%20" in url
    assert read_document(url, 5.0, 100) == b"t0ken"
    assert read_document(url, 5.0, 2) == b"t0"
    places = {"/keys": Reply(301, headers={"Location": "/new"}), "/new": Reply(content=[1])}

    def answer(request: Request) -> Reply:
        return places.get(request.path, Reply(404))

    api.answer = answer
    assert read_document(f"{api.url}/keys", 5.0, 100) == b"[1]"
    with pytest.raises(HttpError, match=r"/gone answered 404 Not Found\.$"):
        read_document(f"{api.url}/gone", 5.0, 100)
    with pytest.raises(OSError, match="not a file of this machine"):
        read_document("file://elsewhere/etc/hosts", 5.0, 100)
    with pytest.raises(HttpError, match="is not an http or https URL"):
        read_document("ftp://elsewhere/etc/hosts", 5.0, 100)

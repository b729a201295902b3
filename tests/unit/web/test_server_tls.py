"""https listeners: keys as PEM and in a PKCS12 store, certificates of callers, plain bytes on a TLS port."""

from __future__ import annotations

import http.client
import ssl
from pathlib import Path
from typing import Any

import pytest

from riacho.base.config import ConfigError
from riacho.web.answers import json_answer
from riacho.web.app import App
from riacho.web.call import Call
from riacho.web.endpoint import Endpoint
from support.certificates import PASSWORD, Authority
from support.web_service import TIMEOUT_S, connected, running


async def scheme(call: Call) -> Any:
    return json_answer({"scheme": call.url.scheme})


def make() -> App:
    return App("demo", [Endpoint("GET", "/", scheme, "Root.")])


def ask(port: int, context: ssl.SSLContext) -> bytes:
    connection = http.client.HTTPSConnection("127.0.0.1", port, timeout=TIMEOUT_S, context=context)
    try:
        connection.request("GET", "/")
        return connection.getresponse().read()
    finally:
        connection.close()


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority"))


def listener(kind: str, authority: Authority) -> dict[str, str]:
    key = authority.issue("server")
    place = {"ssl.keystore.type": kind, "listeners": "https://127.0.0.1:0,http://127.0.0.1:0"}
    if kind == "PEM":
        return {**place, "ssl.keystore.location": str(key.pem)}
    return {**place, "ssl.keystore.location": str(key.key_store()), "ssl.keystore.password": PASSWORD}


@pytest.mark.parametrize("kind", ["PEM", "PKCS12"])
def test_tls_and_plain_listeners_of_one_service(kind: str, authority: Authority):
    with running(make(), listener(kind, authority)) as server:
        context = ssl.create_default_context(cadata=authority.text)
        assert ask(server.port, context) == b'{"scheme":"https"}'
        plain = http.client.HTTPConnection("127.0.0.1", int(server.urls[1].rpartition(":")[2]), timeout=TIMEOUT_S)
        plain.request("GET", "/")
        assert plain.getresponse().read() == b'{"scheme":"http"}'
        plain.close()
        # The service is well after somebody speaks HTTP to the TLS port.
        with connected(server.port) as sock:
            sock.sendall(b"GET / HTTP/1.1\r\n\r\n")
            assert not sock.recv(100).startswith(b"HTTP")
        assert ask(server.port, context) == b'{"scheme":"https"}'


@pytest.mark.parametrize("setting", [{"ssl.client.auth": "true"}, {"ssl.client.authentication": "REQUIRED"}])
def test_callers_may_have_to_show_a_certificate(setting: dict[str, str], authority: Authority):
    trusted = {"ssl.truststore.location": str(authority.pem), "ssl.truststore.type": "PEM"}
    with running(make(), listener("PEM", authority) | trusted | setting) as server:
        context = ssl.create_default_context(cadata=authority.text)
        with pytest.raises((ssl.SSLError, ConnectionError, http.client.RemoteDisconnected)):
            ask(server.port, context)
        context.load_cert_chain(authority.issue("caller").pem)
        assert ask(server.port, context) == b'{"scheme":"https"}'


@pytest.mark.parametrize(
    ("setting", "complaint"),
    [
        ({"ssl.keystore.location": ""}, "TLS needs a key"),
        ({"ssl.keystore.location": "/nowhere"}, "the key store /nowhere cannot be read: No such file"),
        ({"ssl.enabled.protocols": "SSLv2"}, "unknown protocol SSLv2"),
    ],
)
def test_a_key_that_cannot_be_used_is_one_sentence(setting: dict[str, str], complaint: str, authority: Authority):
    with pytest.raises(ConfigError, match=complaint), running(make(), listener("PEM", authority) | setting):
        pytest.fail("it has started")


def test_a_wrong_password_is_one_sentence(authority: Authority, tmp_path: Path):
    wrong = listener("PKCS12", authority) | {"ssl.keystore.password": "guess"}
    with pytest.raises(ConfigError, match="damaged, or its password is wrong") as caught, running(make(), wrong):
        pytest.fail("it has started")
    assert "guess" not in str(caught.value)

"""A connection's login, step by step, by hand-turned clock and loop."""

from __future__ import annotations

from typing import Any

import pytest

from riacho.base.errors import ErrorCode
from riacho.base.scram import ScramMechanism, scram_credential
from riacho.broker.config import BrokerConfig
from riacho.broker.handlers.table import BY_KEY
from riacho.broker.produce.produce_fast_path import ProduceFastPaths
from riacho.broker.quorum.metadata_cache import MetadataCache
from riacho.broker.serving.connection import Connection
from riacho.metadata.image.delegation_tokens import DelegationToken, token_hmac, token_password
from riacho.metadata.image.image import MetadataImage
from riacho.security.scram import ScramClient
from riacho.wire.messages.heartbeat_request import HeartbeatRequest
from riacho.wire.messages.heartbeat_response import HeartbeatResponse
from riacho.wire.messages.sasl_authenticate_request import SaslAuthenticateRequest
from riacho.wire.messages.sasl_handshake_request import SaslHandshakeRequest
from riacho.wire.schema import Message
from support.broker_fakes import FakeBroker, FakeTransport, api, connect, request_frame, responses

SHA256 = ScramMechanism.SCRAM_SHA_256
MODULE = "org.apache.kafka.common.security.plain.PlainLoginModule"
SETTINGS = {
    "listeners": "PLAINTEXT://h:1,SASL_PLAINTEXT://h:2",
    "sasl.enabled.mechanisms": "PLAIN,SCRAM-SHA-256",
    "listener.name.sasl_plaintext.plain.sasl.jaas.config": f'{MODULE} required user_alice="secret" user_eve="x";',
    "delegation.token.secret.key": "token-secret",
}


class Session:
    def __init__(self, **settings: str) -> None:
        config = BrokerConfig(SETTINGS | {name.replace("__", "."): text for name, text in settings.items()})
        self.broker = FakeBroker(config)
        credentials = {("bob", SHA256): scram_credential(SHA256, "pw", b"salt", 4096)}
        token = DelegationToken("t1", "User:bob", "User:bob", (), 0, 1 << 60, self.broker.clock.now_ms() + 5_000)
        image = MetadataImage(scram_credentials=credentials, delegation_tokens={"t1": token})
        self.broker.security.follow(MetadataCache(config, image))
        self.connection: Connection
        self.transport: FakeTransport
        self.connection, self.transport = connect(self.broker.listener("SASL_PLAINTEXT"))

    def ask(self, request: Message, version: int) -> Any:
        """The answer, None when there is none yet."""
        self.transport.writes.clear()
        self.connection.data_received(request_frame(request, version))
        return self.answer(request, version)

    def answer(self, request: Message, version: int) -> Any:
        assert request.API_KEY is not None
        found = responses(self.transport, request.API_KEY, version)
        return found[0][1] if found else None

    def shake(self, mechanism: str = "PLAIN") -> Any:
        return self.ask(SaslHandshakeRequest(mechanism=mechanism), 1)

    def authenticate(self, token: bytes) -> Any:
        return self.ask(SaslAuthenticateRequest(auth_bytes=token), 2)

    def log_in(self, token: bytes = b"\0alice\0secret") -> Any:
        assert self.shake().error_code == 0
        return self.authenticate(token)

    def beat(self) -> Any:
        return self.ask(HeartbeatRequest(), 4)

    def pass_time(self, elapsed_ms: int) -> None:
        self.broker.clock.at_ms += elapsed_ms


@pytest.fixture(autouse=True)
def _heartbeats(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(BY_KEY, 12, api(12, lambda ctx, request: HeartbeatResponse()))


def test_a_login_opens_the_door() -> None:
    session = Session()
    assert session.connection.context.principal == "User:ANONYMOUS"
    answer = session.log_in()
    assert (answer.error_code, answer.session_lifetime_ms) == (0, 0)
    assert session.connection.context.principal == "User:alice"
    assert session.beat().error_code == 0
    assert session.broker.metrics.authentications.succeeded == 1


def test_a_failure_is_answered_after_the_delay_and_the_line_is_dead() -> None:
    session = Session(connection__failed__authentication__delay__ms="250")
    request = SaslAuthenticateRequest(auth_bytes=b"\0alice\0wrong")
    session.shake()
    assert session.ask(request, 2) is None
    [timer] = session.broker.loop.timers
    assert timer.delay_s == 0.25
    # Whatever comes meanwhile is not looked at.
    session.connection.data_received(request_frame(SaslAuthenticateRequest(auth_bytes=b"\0alice\0secret"), 2))
    timer.fire()
    assert session.answer(request, 2).error_code == ErrorCode.SASL_AUTHENTICATION_FAILED
    assert len(session.transport.writes) == 1
    assert session.transport.is_closing()
    assert session.connection.context.principal == "User:ANONYMOUS"
    assert session.broker.metrics.authentications.failed == 1
    [line] = session.broker.error_lines
    assert "listener=SASL_PLAINTEXT mechanism=PLAIN user=alice reason=Authentication failed" in line
    assert "wrong" not in line


def test_a_client_that_does_not_wait_for_its_refusal() -> None:
    session = Session()
    session.log_in(b"\0alice\0wrong")
    session.connection.connection_lost(None)
    assert session.broker.loop.timers[0].is_cancelled


def test_frames_are_small_before_the_login_and_may_be_large_after() -> None:
    session = Session(sasl__server__max__receive__size="100")
    session.connection.data_received((101).to_bytes(4, "big"))
    session.broker.loop.timers[0].fire()
    assert session.transport.is_closing()
    assert session.broker.metrics.authentications.failed == 1
    session = Session(sasl__server__max__receive__size="100")
    session.log_in()
    assert session.ask(HeartbeatRequest(group_id="g" * 200), 4).error_code == 0


def test_bare_tokens_after_the_old_handshake() -> None:
    session = Session()
    assert session.ask(SaslHandshakeRequest(mechanism="PLAIN"), 0).error_code == 0
    session.transport.writes.clear()
    token = b"\0alice\0secret"
    session.connection.data_received(len(token).to_bytes(4, "big") + token)
    assert b"".join(session.transport.writes) == bytes(4)
    assert session.connection.context.principal == "User:alice"


def test_a_session_ends_and_is_renewed() -> None:
    session = Session(connections__max__reauth__ms="3000")
    assert session.log_in().session_lifetime_ms == 3000
    session.pass_time(2_999)
    assert session.beat().error_code == 0
    session.connection._fast_paths = ProduceFastPaths(session.broker.fast_path_epoch)
    assert session.log_in().session_lifetime_ms == 3000
    assert session.connection._fast_paths is None, "what was allowed before is asked again"
    assert session.broker.fast_path_epoch.value == 0, "of this connection alone"
    session.pass_time(2_999)
    assert session.beat().error_code == 0
    session.pass_time(1)
    assert session.beat() is None
    assert session.transport.is_closing()
    assert vars(session.broker.metrics.authentications) == {"succeeded": 1, "failed": 0, "renewed": 1, "expired": 1}


def test_a_renewal_cannot_change_who_it_is() -> None:
    session = Session(connections__max__reauth__ms="3000")
    session.log_in()
    request = SaslAuthenticateRequest(auth_bytes=b"\0eve\0x")
    session.shake()
    session.ask(request, 2)
    session.broker.loop.timers[0].fire()
    answer = session.answer(request, 2)
    assert answer.error_code == ErrorCode.SASL_AUTHENTICATION_FAILED
    assert answer.error_message.startswith("Cannot change principals during re-authentication from User:alice")
    assert session.connection.context.principal == "User:alice"
    assert session.transport.is_closing()


def test_a_renewal_keeps_its_mechanism_and_is_rare() -> None:
    session = Session(connections__max__reauth__ms="9000")
    session.log_in()
    session.log_in()
    assert session.shake().error_code == ErrorCode.ILLEGAL_SASL_STATE
    session.pass_time(1_000)
    assert session.shake("SCRAM-SHA-256") is None
    session.broker.loop.timers[0].fire()
    assert session.transport.is_closing()


def test_without_an_end_there_is_no_second_login() -> None:
    session = Session()
    session.log_in()
    assert session.shake().error_code == ErrorCode.ILLEGAL_SASL_STATE
    assert session.authenticate(b"").error_code == ErrorCode.ILLEGAL_SASL_STATE


def scram(session: Session, client: ScramClient) -> Any:
    session.shake("SCRAM-SHA-256")
    final = client.evaluate(session.authenticate(client.first()).auth_bytes)
    assert final is not None
    return session.authenticate(final)


def test_scram_by_the_metadata() -> None:
    session = Session()
    assert scram(session, ScramClient(SHA256, "bob", "pw", "nonce")).error_code == 0
    assert session.connection.context.principal == "User:bob"
    assert not session.connection.context.is_token_authenticated


def test_a_delegation_token_bounds_the_session() -> None:
    session = Session()
    password = token_password(token_hmac("t1", "token-secret"))
    answer = scram(session, ScramClient(SHA256, "t1", password, "nonce", is_token=True))
    assert answer.session_lifetime_ms == 5_000
    assert session.connection.context.principal == "User:bob"
    assert session.connection.context.is_token_authenticated
    session.pass_time(5_000)
    assert session.beat() is None
    assert session.transport.is_closing()

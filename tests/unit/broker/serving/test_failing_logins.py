"""Logins that meet a mechanism which is not there, or a mistake of ours."""

from __future__ import annotations

from riacho.broker.config import BrokerConfig
from riacho.broker.quorum.metadata_cache import MetadataCache
from riacho.metadata.image.image import MetadataImage
from riacho.security.plain import PlainServer
from riacho.wire.messages.sasl_authenticate_request import SaslAuthenticateRequest
from riacho.wire.messages.sasl_handshake_request import SaslHandshakeRequest
from support.broker_fakes import FakeBroker, connect, request_frame


class BreakingServer(PlainServer):
    """Has a mistake."""

    def evaluate(self, response: bytes, now_ms: int) -> bytes:
        raise ZeroDivisionError


def test_a_mechanism_that_is_offered_and_not_there_ends_in_a_refusal() -> None:
    """By a setting that was changed since the start, at which it would have been refused."""
    settings = {"listeners": "PLAINTEXT://h:1,SASL_PLAINTEXT://h:2", "sasl.enabled.mechanisms": "SCRAM-SHA-256"}
    broker = FakeBroker(BrokerConfig(settings))
    listener = broker.listener("SASL_PLAINTEXT")
    changed = BrokerConfig({**settings, "sasl.enabled.mechanisms": "GSSAPI"})
    broker.security.follow(MetadataCache(changed, MetadataImage()))
    connection, transport = connect(listener)
    connection.data_received(request_frame(SaslHandshakeRequest(mechanism="GSSAPI"), 1))
    broker.loop.timers[-1].fire()
    assert transport.is_closing()
    assert broker.metrics.authentications.failed == 1


def test_a_login_that_breaks_our_own_code_is_a_login_that_failed() -> None:
    module = "org.apache.kafka.common.security.plain.PlainLoginModule"
    config = BrokerConfig(
        {
            "listeners": "PLAINTEXT://h:1,SASL_PLAINTEXT://h:2",
            "sasl.enabled.mechanisms": "PLAIN",
            "listener.name.sasl_plaintext.plain.sasl.jaas.config": f'{module} required user_alice="secret";',
        }
    )
    broker = FakeBroker(config)
    connection, transport = connect(broker.listener("SASL_PLAINTEXT"))
    connection.data_received(request_frame(SaslHandshakeRequest(mechanism="PLAIN"), 1))
    assert connection.gate is not None
    connection.gate._server = BreakingServer({})
    connection.data_received(request_frame(SaslAuthenticateRequest(auth_bytes=b"\0alice\0secret"), 2))
    broker.loop.timers[-1].fire()
    assert transport.is_closing()
    assert connection.context.principal == "User:ANONYMOUS"
    assert broker.metrics.authentications.failed == 1
    assert not any("secret" in line for line in broker.error_lines)

"""Those who do not belong: refused with Kafka's error, after a while, and logged without a secret."""

from __future__ import annotations

import base64
import socket
import ssl
import struct
import time
from collections.abc import Iterator
from typing import Any

import pytest

from conformance.raw import ClosedByBroker, RawConnection
from conformance.running_broker import kinds
from conformance.secure_broker import PASSWORDS, SecureBroker, run
from conformance.waiting import eventually
from riacho.base.errors import ErrorCode
from riacho.base.scram import SCRAM_BY_NAME
from riacho.security.scram import ScramClient
from support.certificates import Authority

DELAY_MS = 300
REAUTH_MS = 2_000


@pytest.fixture(scope="module", params=[kind for kind in kinds() if kind != "running"])
def secure(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SecureBroker]:
    more = {
        "connection.failed.authentication.delay.ms": str(DELAY_MS),
        "listener.name.sasl_plaintext.plain.connections.max.reauth.ms": str(REAUTH_MS),
    }
    with run(request.param, tmp_path_factory.mktemp("secure"), more) as running:
        yield running


@pytest.fixture
def raw(secure: SecureBroker) -> Iterator[RawConnection]:
    with RawConnection(secure.address("SASL_PLAINTEXT")) as connection:
        yield connection


def shake(connection: RawConnection, mechanism: str, version: int = 1) -> Any:
    answer = connection.ask("SaslHandshake", version, mechanism=mechanism)
    assert answer.error_code == 0
    return answer


def authenticate(connection: RawConnection, token: bytes, version: int = 2) -> Any:
    return connection.ask("SaslAuthenticate", version, auth_bytes=token)


def test_no_secret_is_in_the_log(secure: SecureBroker, raw: RawConnection) -> None:
    shake(raw, "PLAIN")
    authenticate(raw, b"\0alice\0never-in-a-log")
    output = secure.output()
    assert "uthentication" in output
    for secret in ("never-in-a-log", "alice-secret", PASSWORDS["SCRAM-SHA-256"][1], "token-secret"):
        assert secret not in output
        assert base64.b64encode(secret.encode()).decode() not in output
    if secure.kind == "riacho":
        line = next(line for line in reversed(output.splitlines()) if "authentication failed" in line)
        assert "host=127.0.0.1 listener=SASL_PLAINTEXT mechanism=PLAIN user=alice reason=" in line


def test_a_login_and_what_it_opens(raw: RawConnection) -> None:
    assert raw.ask("ApiVersions", 3, client_software_name="raw", client_software_version="1").error_code == 0
    assert sorted(shake(raw, "PLAIN").mechanisms) == ["OAUTHBEARER", "PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"]
    answer = authenticate(raw, b"\0alice\0alice-secret")
    assert (answer.error_code, answer.auth_bytes, answer.error_message) == (0, b"", "")
    assert answer.session_lifetime_ms == REAUTH_MS
    assert raw.ask("Metadata", 12, topics=[]).brokers


@pytest.mark.parametrize("version", [0, 1, 2])
@pytest.mark.parametrize(
    ("mechanism", "token", "message"),
    [
        ("PLAIN", b"\0alice\0wrong", "Authentication failed: Invalid username or password"),
        ("PLAIN", b"\0nobody\0wrong", "Authentication failed: Invalid username or password"),
        ("PLAIN", b"\0alice\0", "Authentication failed: password not specified"),
        (
            "PLAIN",
            b"bob\0alice\0alice-secret",
            "Authentication failed: Client requested an authorization id that is different from username",
        ),
        ("PLAIN", b"nonsense", "Invalid SASL/PLAIN response: expected 3 tokens, got 1"),
        (
            "SCRAM-SHA-256",
            b"p=tls-unique,,n=bob,r=abc",
            "Authentication failed during authentication due to invalid credentials with SASL mechanism SCRAM-SHA-256",
        ),
        (
            "SCRAM-SHA-512",
            b"n,a=alice,n=bob,r=abc",
            "Authentication failed: Client requested an authorization id that is different from username",
        ),
    ],
)
def test_what_is_wrong_is_told_late_and_ends_the_connection(
    raw: RawConnection, mechanism: str, token: bytes, message: str, version: int
) -> None:
    shake(raw, mechanism)
    started = time.monotonic()
    answer = authenticate(raw, token, version)
    assert (answer.error_code, answer.error_message) == (ErrorCode.SASL_AUTHENTICATION_FAILED, message)
    assert time.monotonic() - started >= DELAY_MS / 1000 * 0.9
    assert raw.is_closed()


def scram_refused(raw: RawConnection, user: str, password: str) -> Any:
    client = ScramClient(SCRAM_BY_NAME["SCRAM-SHA-256"], user, password, "rawnonce")
    shake(raw, "SCRAM-SHA-256")
    answer = authenticate(raw, client.first())
    if not answer.error_code:
        final = client.evaluate(answer.auth_bytes)
        assert final is not None
        answer = authenticate(raw, final)
    assert raw.is_closed()
    return answer


@pytest.mark.parametrize(("user", "password"), [("bob", "wrong"), ("nobody", "wrong")])
def test_scram_tells_the_same_of_a_wrong_password_and_a_wrong_user(
    raw: RawConnection, user: str, password: str
) -> None:
    answer = scram_refused(raw, user, password)
    told = "Authentication failed during authentication due to invalid credentials with SASL mechanism SCRAM-SHA-256"
    assert (answer.error_code, answer.error_message) == (ErrorCode.SASL_AUTHENTICATION_FAILED, told)


def test_an_overheard_scram_login_is_worth_nothing(secure: SecureBroker) -> None:
    """Every byte that a client sent, sent again."""
    client = ScramClient(SCRAM_BY_NAME["SCRAM-SHA-256"], *PASSWORDS["SCRAM-SHA-256"], "rawnonce")
    with RawConnection(secure.address("SASL_PLAINTEXT")) as overheard:
        shake(overheard, "SCRAM-SHA-256")
        final = client.evaluate(authenticate(overheard, client.first()).auth_bytes)
        assert final is not None
        done = authenticate(overheard, final)
        assert done.error_code == 0
        assert client.evaluate(done.auth_bytes) is None
    with RawConnection(secure.address("SASL_PLAINTEXT")) as replayed:
        shake(replayed, "SCRAM-SHA-256")
        assert authenticate(replayed, client.first()).error_code == 0
        answer = authenticate(replayed, final)
        assert answer.error_code == ErrorCode.SASL_AUTHENTICATION_FAILED
        assert replayed.is_closed()


def test_a_mechanism_that_is_not_offered(raw: RawConnection) -> None:
    started = time.monotonic()
    answer = raw.ask("SaslHandshake", 1, mechanism="GSSAPI")
    assert answer.error_code == ErrorCode.UNSUPPORTED_SASL_MECHANISM
    assert "PLAIN" in answer.mechanisms
    assert time.monotonic() - started >= DELAY_MS / 1000 * 0.9
    assert raw.is_closed()


def test_nothing_is_served_before_the_login(secure: SecureBroker) -> None:
    for prelude in (0, 1):
        with RawConnection(secure.address("SASL_PLAINTEXT")) as connection:
            if prelude:
                connection.ask("ApiVersions", 0)
            with pytest.raises(ClosedByBroker):
                connection.ask("Metadata", 12, topics=[])
    with RawConnection(secure.address("SASL_PLAINTEXT")) as connection:
        shake(connection, "PLAIN")
        answer = connection.ask("Metadata", 12, topics=[{"name": "orders"}])
        assert [topic.error_code for topic in answer.topics] == [ErrorCode.ILLEGAL_SASL_STATE]
        assert answer.brokers == []
        assert connection.is_closed()


def test_versions_are_told_once(raw: RawConnection) -> None:
    assert raw.ask("ApiVersions", 0).error_code == 0
    with pytest.raises(ClosedByBroker):
        raw.ask("ApiVersions", 0)


def test_large_frames_are_not_read_before_the_login(raw: RawConnection) -> None:
    raw.socket.sendall(struct.pack(">i", 524_289) + bytes(100))
    assert raw.is_closed()


def test_a_large_token_within_the_limit_is_read(raw: RawConnection) -> None:
    shake(raw, "PLAIN")
    assert authenticate(raw, b"\0alice\0" + b"x" * 500_000).error_code == ErrorCode.SASL_AUTHENTICATION_FAILED


def test_the_login_of_old_clients_has_bare_frames(secure: SecureBroker) -> None:
    with RawConnection(secure.address("SASL_PLAINTEXT")) as connection:
        shake(connection, "PLAIN", version=0)
        connection.send_frame(b"\0alice\0alice-secret")
        assert connection.receive_frame() == b""
        assert connection.ask("Metadata", 12, topics=[]).brokers
    with RawConnection(secure.address("SASL_PLAINTEXT")) as connection:
        shake(connection, "PLAIN", version=0)
        connection.send_frame(b"\0alice\0wrong")
        assert connection.is_closed()


def log_in(connection: RawConnection) -> None:
    shake(connection, "PLAIN")
    assert authenticate(connection, b"\0alice\0alice-secret").error_code == 0


def test_sasl_out_of_turn(secure: SecureBroker) -> None:
    with RawConnection(secure.address("PLAINTEXT")) as connection:
        assert connection.ask("SaslHandshake", 1, mechanism="PLAIN").error_code == ErrorCode.ILLEGAL_SASL_STATE
        answer = connection.ask("SaslAuthenticate", 2, auth_bytes=b"")
        assert answer.error_code == ErrorCode.ILLEGAL_SASL_STATE


def test_a_session_is_renewed_by_the_same_principal_only(raw: RawConnection) -> None:
    log_in(raw)
    log_in(raw)
    assert raw.ask("Metadata", 12, topics=[]).brokers
    # Not more often than once a second.
    assert raw.ask("SaslHandshake", 1, mechanism="PLAIN").error_code == ErrorCode.ILLEGAL_SASL_STATE


def test_a_session_that_is_over_is_closed(raw: RawConnection) -> None:
    log_in(raw)
    time.sleep(REAUTH_MS / 1000 + 0.2)
    with pytest.raises(ClosedByBroker):
        raw.ask("Metadata", 12, topics=[])


def test_a_failed_renewal_ends_the_connection(raw: RawConnection) -> None:
    log_in(raw)
    shake(raw, "PLAIN")
    answer = authenticate(raw, b"\0alice\0wrong")
    told = "Authentication failed: Invalid username or password"
    assert (answer.error_code, answer.error_message) == (ErrorCode.SASL_AUTHENTICATION_FAILED, told)
    assert raw.is_closed()


@pytest.mark.parametrize(
    "claims",
    [{"lifetime_s": -3600}, {"aud": "other"}, {"aud": None}, {"iss": "https://other"}, {"sub": None}, {"iat": None}],
    ids=lambda claims: next(iter(claims)) + "=" + str(next(iter(claims.values()))),
)
def test_signed_tokens_that_do_not_hold(secure: SecureBroker, claims: dict[str, Any]) -> None:
    token_refused(secure, "SASL_SSL", secure.provider.token("carol", **claims))


def test_unsigned_and_foreign_tokens_where_signatures_count(secure: SecureBroker) -> None:
    token_refused(secure, "SASL_SSL", secure.token("SASL_PLAINTEXT"))
    secure.provider.add_key("unpublished", is_published=False)
    token_refused(secure, "SASL_SSL", secure.provider.token("carol", key_id="unpublished"))
    header, body, signature = secure.provider.token("carol").split(".")
    forged = body[:-4] + ("AAAA" if body[-4:] != "AAAA" else "BBBB")
    token_refused(secure, "SASL_SSL", f"{header}.{forged}.{signature}")


def test_a_key_that_the_provider_made_meanwhile(secure: SecureBroker) -> None:
    """The first token that names it makes the broker look again."""
    secure.provider.add_key("second")
    message = f"n,,\x01auth=Bearer {secure.provider.token('carol', key_id='second')}\x01\x01".encode()
    context = ssl.create_default_context(cafile=str(secure.authority.pem))

    def is_accepted() -> bool:
        with RawConnection(secure.address("SASL_SSL")) as connection:
            connection.socket = context.wrap_socket(connection.socket, server_hostname="localhost")
            shake(connection, "OAUTHBEARER")
            return not authenticate(connection, message).auth_bytes

    eventually(is_accepted)


def test_unsecured_tokens_that_do_not_hold(secure: SecureBroker) -> None:
    assert token_refused(secure, "SASL_PLAINTEXT", secure.token("SASL_PLAINTEXT", lifetime_s=-60)) == "invalid_token"
    assert token_refused(secure, "SASL_PLAINTEXT", secure.token("SASL_PLAINTEXT", scope="x")) == "insufficient_scope"


def token_refused(secure: SecureBroker, protocol: str, token: str) -> str:
    """The status that the server told."""
    with RawConnection(secure.address(protocol)) as connection:
        if protocol == "SASL_SSL":
            context = ssl.create_default_context(cafile=str(secure.authority.pem))
            connection.socket = context.wrap_socket(connection.socket, server_hostname="localhost")
        shake(connection, "OAUTHBEARER")
        answer = authenticate(connection, f"n,,\x01auth=Bearer {token}\x01\x01".encode())
        assert answer.error_code == 0
        status = answer.auth_bytes.decode()
        assert status.startswith('{"status":"')
        answer = authenticate(connection, b"\x01")
        assert answer.error_code == ErrorCode.SASL_AUTHENTICATION_FAILED
        assert answer.error_message == status
        assert connection.is_closed()
    return status.split('"')[3]


@pytest.mark.parametrize("versions", ["TLSv1_2", "TLSv1_3"])
def test_certificates_of_another_authority(
    secure: SecureBroker, tmp_path_factory: pytest.TempPathFactory, versions: str
) -> None:
    stranger = Authority(tmp_path_factory.mktemp("other")).issue("svc-client")
    for certificate in (stranger, None):
        context = ssl.create_default_context(cafile=str(secure.authority.pem))
        context.minimum_version = context.maximum_version = ssl.TLSVersion[versions]
        if certificate is not None:
            context.load_cert_chain(certificate.certificate_file, certificate.key_file)
        # From TLS 1.3 on a client learns of its refusal only when it reads.
        with socket.create_connection(secure.address("SSL"), 10) as plain, pytest.raises(ssl.SSLError) as caught:
            context.wrap_socket(plain, server_hostname="localhost").recv(1)
        assert "alert" in str(caught.value).lower()


def test_plain_text_on_a_tls_listener(secure: SecureBroker) -> None:
    with RawConnection(secure.address("SASL_SSL")) as connection, pytest.raises((ClosedByBroker, AssertionError)):
        connection.ask("ApiVersions", 0)

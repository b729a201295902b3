"""SCRAM against the RFC's own conversation, and against those who bend it."""

from __future__ import annotations

import base64

import pytest

from riacho.base.scram import ITERATIONS_MAX, ScramMechanism, scram_credential
from riacho.security.sasl import SaslFailure
from riacho.security.scram import KnownCredential, ScramClient, ScramLookup, ScramServer
from riacho.security.scram_messages import (
    escape_name,
    parse_client_final,
    parse_client_first,
    parse_server_first,
    unescape_name,
)

SHA256, SHA512 = ScramMechanism.SCRAM_SHA_256, ScramMechanism.SCRAM_SHA_512
# RFC 7677, section 3: user "user", password "pencil".
CLIENT_NONCE = "rOprNGfwEbeRWgbNEkqO"
SERVER_NONCE = "%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0"
SALT = base64.b64decode("W22ZaJ0SNY7soEsUEjb6gQ==")
CLIENT_FIRST = b"n,,n=user,r=rOprNGfwEbeRWgbNEkqO"
SERVER_FIRST = b"r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096"
CLIENT_FINAL = (
    b"c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ="
)
SERVER_FINAL = b"v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4="


def lookup(mechanism: ScramMechanism = SHA256, iterations: int = 4096, expiry_ms: int | None = None) -> ScramLookup:
    def find(name: str) -> KnownCredential | None:
        if name != "user":
            return None
        return KnownCredential(scram_credential(mechanism, "pencil", SALT, iterations), "user", expiry_ms)

    def token(name: str) -> KnownCredential | None:
        if name != "token-1":
            return None
        return KnownCredential(scram_credential(mechanism, "hmac", SALT, 4096), "owner", expiry_ms)

    return ScramLookup(find, token, b"secret of the server")


def server(mechanism: ScramMechanism = SHA256, **options: int) -> ScramServer:
    return ScramServer(mechanism, lookup(mechanism, **options), SERVER_NONCE)


def test_the_server_of_the_rfc() -> None:
    conversation = server()
    assert conversation.evaluate(CLIENT_FIRST, 0) == SERVER_FIRST
    assert not conversation.is_complete
    assert conversation.evaluate(CLIENT_FINAL, 0) == SERVER_FINAL
    assert conversation.is_complete
    assert conversation.authorization_id == "user"
    assert conversation.credential_expiry_ms is None


def test_the_client_of_the_rfc() -> None:
    client = ScramClient(SHA256, "user", "pencil", CLIENT_NONCE)
    assert client.first() == CLIENT_FIRST
    assert client.evaluate(SERVER_FIRST) == CLIENT_FINAL
    assert client.evaluate(SERVER_FINAL) is None
    assert client.is_complete


def test_the_messages_of_the_older_rfc_are_read() -> None:
    """RFC 5802 has its example in SHA-1, which is not served; the messages look the same."""
    first = parse_client_first(b"n,,n=user,r=fyko+d2lbbFgONRv9qkxdawL")
    assert (first.gs2_header, first.name, first.nonce) == ("n,,", "user", "fyko+d2lbbFgONRv9qkxdawL")
    challenge = parse_server_first(b"r=fyko+d2lbbFgONRv9qkxdawL3rfcNHYJY1ZVvWVs7j,s=QSXCR+Q6sek8bf92,i=4096")
    assert challenge.iterations == 4096
    assert len(challenge.salt) == 12
    final = parse_client_final(b"c=biws,r=fyko+d2lbbFgONRv9qkxdawL3rfcNHYJY1ZVvWVs7j,p=v0X8v3Bz2T0CJGbJQyF0X+HI4Ts=")
    assert final.binding == b"n,,"
    assert final.without_proof == "c=biws,r=fyko+d2lbbFgONRv9qkxdawL3rfcNHYJY1ZVvWVs7j"


@pytest.mark.parametrize("mechanism", [SHA256, SHA512])
@pytest.mark.parametrize("iterations", [4096, 8192])
def test_both_sides_agree(mechanism: ScramMechanism, iterations: int) -> None:
    conversation = server(mechanism, iterations=iterations)
    client = ScramClient(mechanism, "user", "pencil", "own")
    final = client.evaluate(conversation.evaluate(client.first(), 0))
    assert final is not None
    assert client.evaluate(conversation.evaluate(final, 0)) is None
    assert client.is_complete
    assert conversation.is_complete


def refused(conversation: ScramServer, *messages: bytes, now_ms: int = 0) -> SaslFailure:
    *before, last = messages
    for message in before:
        conversation.evaluate(message, now_ms)
    with pytest.raises(SaslFailure) as caught:
        conversation.evaluate(last, now_ms)
    assert not conversation.is_complete
    return caught.value


def test_a_wrong_password_and_a_user_that_is_not_there_look_the_same() -> None:
    failures = []
    challenges = []
    for user in ("user", "nobody"):
        conversation = server()
        client = ScramClient(SHA256, user, "wrong", CLIENT_NONCE)
        challenge = conversation.evaluate(client.first(), 0)
        challenges.append(parse_server_first(challenge))
        final = client.evaluate(challenge)
        assert final is not None
        failure = refused(conversation, final)
        failures.append((failure.reason, failure.error_message))
    assert failures[0] == failures[1]
    assert failures[0][1] is None
    assert challenges[0].iterations == challenges[1].iterations
    assert challenges[0].nonce == challenges[1].nonce


def test_a_user_that_is_not_there_has_the_same_salt_each_time() -> None:
    def salt(name: bytes) -> bytes:
        return parse_server_first(server().evaluate(b"n,,n=" + name + b",r=abc", 0)).salt

    assert salt(b"nobody") == salt(b"nobody")
    assert salt(b"nobody") != salt(b"somebody")


def test_a_replayed_proof_does_not_fit_another_conversation() -> None:
    conversation = ScramServer(SHA256, lookup(), "another-nonce")
    failure = refused(conversation, CLIENT_FIRST, CLIENT_FINAL)
    assert failure.reason == "Invalid client nonce in the final client message."
    own_nonce = CLIENT_FINAL.replace(SERVER_NONCE.encode(), b"another-nonce")
    refused(ScramServer(SHA256, lookup(), "another-nonce"), CLIENT_FIRST, own_nonce)


def test_each_message_counts_once_and_in_its_turn() -> None:
    refused(server(), CLIENT_FINAL)
    refused(server(), CLIENT_FIRST, CLIENT_FIRST)
    conversation = server()
    conversation.evaluate(CLIENT_FIRST, 0)
    conversation.evaluate(CLIENT_FINAL, 0)
    with pytest.raises(SaslFailure, match="after the last"):
        conversation.evaluate(CLIENT_FINAL, 0)


def test_after_a_failure_there_is_no_second_try() -> None:
    conversation = server()
    wrong = CLIENT_FINAL.replace(b"p=dHzb", b"p=dHzc")
    refused(conversation, CLIENT_FIRST, wrong)
    refused(conversation, CLIENT_FINAL)


@pytest.mark.parametrize("proof", [b"p=", b"p=AAAA", b"p=" + base64.b64encode(bytes(64))])
def test_a_proof_of_another_length_is_refused(proof: bytes) -> None:
    refused(server(), CLIENT_FIRST, CLIENT_FINAL.rpartition(b"p=")[0] + proof)


def test_channel_binding() -> None:
    refused(server(), b"p=tls-unique,,n=user,r=abc")
    # `y`: could bind, believes that the server cannot. What the last message says must be what the first said.
    conversation = server()
    conversation.evaluate(CLIENT_FIRST.replace(b"n,,", b"y,,", 1), 0)
    failure = refused(conversation, CLIENT_FINAL)
    assert "channel binding" in failure.reason


def test_an_authorization_id_must_be_the_user() -> None:
    failure = refused(server(), b"n,a=other,n=user,r=abc")
    assert failure.error_message is not None
    assert "different from username" in failure.error_message
    assert server().evaluate(b"n,a=user,n=user,r=abc", 0).startswith(b"r=abc")


def test_mandatory_extensions_and_broken_messages_are_refused() -> None:
    for message in (
        b"",
        b"n",
        b"n,,m=x,n=user,r=abc",
        b"n,,n=us,er,r=abc",
        b"n,,n=u=ser,r=abc",
        b"n,,n=user,r=",
        b"\xff",
    ):
        refused(server(), message)


def test_too_few_iterations_on_record_let_nobody_in() -> None:
    conversation = server(iterations=1000)
    client = ScramClient(SHA256, "user", "pencil", CLIENT_NONCE)
    final = client.evaluate(conversation.evaluate(client.first(), 0))
    assert final is not None
    refused(conversation, final)


@pytest.mark.parametrize("iterations", [4095, ITERATIONS_MAX + 1, 999_999_999])
def test_a_client_is_not_put_to_endless_or_cheap_work(iterations: int) -> None:
    client = ScramClient(SHA256, "user", "pencil", CLIENT_NONCE)
    with pytest.raises(SaslFailure, match="iterations"):
        client.evaluate(SERVER_FIRST.replace(b"i=4096", b"i=%d" % iterations))


def test_a_client_believes_no_server_that_does_not_know_its_keys() -> None:
    client = ScramClient(SHA256, "user", "pencil", CLIENT_NONCE)
    client.evaluate(SERVER_FIRST)
    with pytest.raises(SaslFailure, match="Invalid server signature"):
        client.evaluate(b"v=" + base64.b64encode(bytes(32)))
    client = ScramClient(SHA256, "user", "pencil", CLIENT_NONCE)
    with pytest.raises(SaslFailure, match="Invalid server nonce"):
        client.evaluate(SERVER_FIRST.replace(b"r=rOpr", b"r=xOpr"))
    client = ScramClient(SHA256, "user", "pencil", CLIENT_NONCE)
    client.evaluate(SERVER_FIRST)
    with pytest.raises(SaslFailure, match="other-error"):
        client.evaluate(b"e=other-error")


def log_in_by_token(conversation: ScramServer, now_ms: int) -> None:
    client = ScramClient(SHA256, "token-1", "hmac", CLIENT_NONCE, is_token=True)
    final = client.evaluate(conversation.evaluate(client.first(), now_ms))
    assert final is not None
    conversation.evaluate(final, now_ms)


def test_a_delegation_token_stands_for_its_owner_until_it_ends() -> None:
    conversation = server(expiry_ms=1000)
    log_in_by_token(conversation, 999)
    assert conversation.authorization_id == "owner"
    assert conversation.is_token_authenticated
    assert conversation.credential_expiry_ms == 1000
    with pytest.raises(SaslFailure):
        log_in_by_token(server(expiry_ms=1000), 1000)


def test_a_tokens_id_is_no_users_name() -> None:
    client = ScramClient(SHA256, "token-1", "hmac", CLIENT_NONCE)
    conversation = server()
    final = client.evaluate(conversation.evaluate(client.first(), 0))
    assert final is not None
    refused(conversation, final)


@pytest.mark.parametrize("name", ["user", "a,b", "a=b", "=2C", "=3D=2C", "ünï"])
def test_names_are_escaped(name: str) -> None:
    assert unescape_name(escape_name(name)) == name
    assert "," not in escape_name(name)


def test_keys_do_not_show() -> None:
    credential = scram_credential(SHA256, "pencil", SALT, 4096)
    assert repr(credential) == "ScramCredential(iterations=4096)"

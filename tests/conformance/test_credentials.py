"""SCRAM users, delegation tokens and renewed keys, asked for over the wire: what a broker keeps and what it shows."""

from __future__ import annotations

import base64
import ssl
import time
from collections.abc import Iterator
from typing import Any

import pytest
from confluent_kafka.admin import (
    AdminClient,
    AlterConfigOpType,
    ConfigEntry,
    ConfigResource,
    ResourceType,
)

from conformance.raw import RawConnection
from conformance.running_broker import kinds
from conformance.secure_broker import PASSWORDS, SecureBroker, run
from conformance.waiting import eventually
from riacho.base.errors import ErrorCode
from riacho.base.scram import SCRAM_BY_NAME
from riacho.security.scram import ScramClient

SHA256, SHA512 = 1, 2


@pytest.fixture(scope="module", params=[kind for kind in kinds() if kind != "running"])
def secure(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SecureBroker]:
    with run(request.param, tmp_path_factory.mktemp("secure")) as running:
        yield running


@pytest.fixture
def plain(secure: SecureBroker) -> Iterator[RawConnection]:
    with RawConnection(secure.address("PLAINTEXT")) as connection:
        yield connection


def upsertion(user: str, mechanism: int = SHA256, iterations: int = 4096) -> dict[str, Any]:
    return {
        "name": user, "mechanism": mechanism, "iterations": iterations, "salt": b"salt", "salted_password": b"x" * 32,
    }  # fmt: skip


def altered(plain: RawConnection, deletions: list[Any], upsertions: list[Any]) -> dict[str, tuple[int, str | None]]:
    answer = plain.ask("AlterUserScramCredentials", 0, deletions=deletions, upsertions=upsertions)
    return {result.user: (result.error_code, result.error_message) for result in answer.results}


def described(plain: RawConnection, *users: str) -> dict[str, tuple[int, str | None, list[tuple[int, int]]]]:
    answer = plain.ask("DescribeUserScramCredentials", 0, users=[{"name": user} for user in users])
    assert answer.error_code == 0
    return {
        result.user: (
            result.error_code,
            result.error_message,
            sorted((info.mechanism, info.iterations) for info in result.credential_infos),
        )
        for result in answer.results
    }


def test_scram_users(plain: RawConnection, name: str) -> None:
    assert altered(plain, [], [upsertion(name, SHA256, 4096)]) == {name: (0, None)}
    assert altered(plain, [], [upsertion(name, SHA512, 8192)]) == {name: (0, None)}

    def is_known() -> bool:
        return described(plain, name) == {name: (0, "", [(SHA256, 4096), (SHA512, 8192)])}

    eventually(is_known)
    assert altered(plain, [{"name": name, "mechanism": SHA256}], []) == {name: (0, None)}
    eventually(lambda: described(plain, name)[name][2] == [(SHA512, 8192)])
    assert name in described(plain)


def test_scram_users_that_are_refused(plain: RawConnection, name: str) -> None:
    twice = (ErrorCode.DUPLICATE_RESOURCE, "A user credential cannot be altered twice in the same request")
    assert altered(plain, [], [upsertion(name), upsertion(name)]) == {name: twice}
    absent = {"name": name, "mechanism": SHA256}
    found = altered(
        plain,
        [absent],
        [upsertion("few", iterations=4095), upsertion("many", iterations=16385), upsertion("odd", 7), upsertion("")],
    )
    assert found == {
        name: (ErrorCode.RESOURCE_NOT_FOUND, "Attempt to delete a user credential that does not exist"),
        "few": (ErrorCode.UNACCEPTABLE_CREDENTIAL, "Too few iterations"),
        "many": (ErrorCode.UNACCEPTABLE_CREDENTIAL, "Too many iterations"),
        "odd": (ErrorCode.UNSUPPORTED_SASL_MECHANISM, "Unknown SCRAM mechanism"),
        "": (ErrorCode.UNACCEPTABLE_CREDENTIAL, "Username must not be empty"),
    }
    code, message, infos = described(plain, name)[name]
    assert (code, infos) == (ErrorCode.RESOURCE_NOT_FOUND, [])
    assert message == f"Attempt to describe a user credential that does not exist: {name}"


def test_a_user_asked_for_twice(plain: RawConnection) -> None:
    code, message, _ = described(plain, "bob", "bob")["bob"]
    assert code == ErrorCode.DUPLICATE_RESOURCE
    assert message == "Cannot describe SCRAM credentials for the same user twice in a single request: bob"


def test_both_mechanisms_of_a_user_in_one_request(plain: RawConnection, name: str) -> None:
    found = altered(plain, [], [upsertion(name, SHA256), upsertion(name, SHA512)])
    assert found[name][0] == ErrorCode.DUPLICATE_RESOURCE


def logged_in(secure: SecureBroker, user: str, password: str, *, is_token: bool = False) -> RawConnection:
    connection = RawConnection(secure.address("SASL_PLAINTEXT"))
    client = ScramClient(SCRAM_BY_NAME["SCRAM-SHA-256"], user, password, "rawnonce", is_token=is_token)
    assert connection.ask("SaslHandshake", 1, mechanism="SCRAM-SHA-256").error_code == 0
    first = connection.ask("SaslAuthenticate", 2, auth_bytes=client.first())
    assert first.error_code == 0, first.error_message
    final = client.evaluate(first.auth_bytes)
    answer = connection.ask("SaslAuthenticate", 2, auth_bytes=final)
    if answer.error_code:
        connection.socket.close()
        raise PermissionError(answer.error_message)
    return connection


@pytest.fixture
def bob(secure: SecureBroker) -> Iterator[RawConnection]:
    with logged_in(secure, *PASSWORDS["SCRAM-SHA-256"]) as connection:
        yield connection


def create(connection: RawConnection, lifetime_ms: int = -1, **fields: Any) -> Any:
    given = {"owner_principal_type": None, "owner_principal_name": None, "renewers": []} | fields
    return connection.ask("CreateDelegationToken", 3, max_lifetime_ms=lifetime_ms, **given)


def tokens(connection: RawConnection) -> dict[str, Any]:
    answer = connection.ask("DescribeDelegationToken", 3, owners=None)
    assert answer.error_code == 0
    return {token.token_id: token for token in answer.tokens}


def test_a_tokens_life(secure: SecureBroker, bob: RawConnection) -> None:
    made = create(bob, 60_000, renewers=[{"principal_type": "User", "principal_name": "alice"}])
    assert (made.error_code, made.principal_type, made.principal_name) == (0, "User", "bob")
    assert made.max_timestamp_ms - made.issue_timestamp_ms == 60_000
    assert made.expiry_timestamp_ms == made.max_timestamp_ms
    eventually(lambda: made.token_id in tokens(bob))
    known = tokens(bob)[made.token_id]
    assert (known.hmac, [renewer.principal_name for renewer in known.renewers]) == (made.hmac, ["alice"])
    password = base64.b64encode(made.hmac).decode()
    with logged_in(secure, made.token_id, password, is_token=True) as by_token:
        assert by_token.ask("Metadata", 12, topics=[]).brokers
        assert create(by_token).error_code == ErrorCode.DELEGATION_TOKEN_REQUEST_NOT_ALLOWED
        assert tokens_code(by_token) == ErrorCode.DELEGATION_TOKEN_REQUEST_NOT_ALLOWED
    renewed = bob.ask("RenewDelegationToken", 2, hmac=made.hmac, renew_period_ms=30_000)
    assert renewed.error_code == 0
    assert renewed.expiry_timestamp_ms < made.max_timestamp_ms
    ended = bob.ask("ExpireDelegationToken", 2, hmac=made.hmac, expiry_time_period_ms=-1)
    assert ended.error_code == 0
    eventually(lambda: made.token_id not in tokens(bob))
    with pytest.raises((PermissionError, AssertionError)):
        logged_in(secure, made.token_id, password, is_token=True)


def tokens_code(connection: RawConnection) -> int:
    return int(connection.ask("DescribeDelegationToken", 3, owners=None).error_code)


def test_tokens_that_are_refused(secure: SecureBroker, plain: RawConnection, bob: RawConnection) -> None:
    not_allowed = ErrorCode.DELEGATION_TOKEN_REQUEST_NOT_ALLOWED
    assert create(plain).error_code == not_allowed
    assert tokens_code(plain) == not_allowed
    assert plain.ask("RenewDelegationToken", 2, hmac=b"x", renew_period_ms=1).error_code == not_allowed
    assert plain.ask("ExpireDelegationToken", 2, hmac=b"x", expiry_time_period_ms=1).error_code == not_allowed
    not_found = ErrorCode.DELEGATION_TOKEN_NOT_FOUND
    assert bob.ask("RenewDelegationToken", 2, hmac=b"x", renew_period_ms=1).error_code == not_found
    assert bob.ask("ExpireDelegationToken", 2, hmac=b"x", expiry_time_period_ms=1).error_code == not_found
    groups = [{"principal_type": "Group", "principal_name": "alice"}]
    assert create(bob, renewers=groups).error_code == ErrorCode.INVALID_PRINCIPAL_TYPE


def shown_certificate(secure: SecureBroker) -> bytes:
    return ssl.PEM_cert_to_DER_cert(ssl.get_server_certificate(secure.address("SASL_SSL"), timeout=10))


def test_keys_change_by_request_and_secrets_stay_hidden(secure: SecureBroker) -> None:
    admin = AdminClient({"bootstrap.servers": secure.bootstrap("PLAINTEXT")})
    before = shown_certificate(secure)
    renewed = secure.authority.issue("broker", file_name="renewed")
    settings = {
        "listener.name.sasl_ssl.ssl.keystore.type": "PEM",
        "listener.name.sasl_ssl.ssl.keystore.location": str(renewed.pem),
    }
    entries = [
        ConfigEntry(name, value, incremental_operation=AlterConfigOpType.SET) for name, value in settings.items()
    ]
    resource = ConfigResource(ResourceType.BROKER, "1", incremental_configs=entries)
    for done in admin.incremental_alter_configs([resource]).values():
        done.result(30)
    new = ssl.PEM_cert_to_DER_cert(renewed.certificate_text)
    assert new != before
    eventually(lambda: shown_certificate(secure) == new)
    [found] = admin.describe_configs([ConfigResource(ResourceType.BROKER, "1")]).values()
    shown = " ".join(f"{entry.name}={entry.value}" for entry in found.result(30).values())
    assert "listener.name.sasl_plaintext.plain.sasl.jaas.config=" in shown
    for secret in ("alice-secret", "token-secret", "PRIVATE KEY", "LoginModule"):
        assert secret not in shown


def test_scram_passwords_change_at_once(secure: SecureBroker, plain: RawConnection, name: str) -> None:
    from riacho.base.scram import salted_password

    for password in ("first", "second"):
        salted = salted_password(SCRAM_BY_NAME["SCRAM-SHA-256"], password.encode(), b"salt", 4096)
        change = {"name": name, "mechanism": SHA256, "iterations": 4096, "salt": b"salt", "salted_password": salted}
        assert altered(plain, [], [change]) == {name: (0, None)}
        deadline = time.monotonic() + 10
        while True:
            try:
                logged_in(secure, name, password).socket.close()
                break
            except (PermissionError, AssertionError):
                assert time.monotonic() < deadline
    with pytest.raises(PermissionError):
        logged_in(secure, name, "first")

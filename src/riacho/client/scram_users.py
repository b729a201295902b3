"""Users who log in by SCRAM, asked for and changed (KIP-554). Their passwords never leave this machine."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from riacho.base.errors import ErrorCode, KafkaError
from riacho.base.scram import ITERATIONS_MAX
from riacho.client.cluster import Cluster, check

MECHANISMS = {"SCRAM-SHA-256": (1, "sha256"), "SCRAM-SHA-512": (2, "sha512")}
ITERATIONS_DEFAULT = ITERATIONS_MIN = 4096
_NAMES = {number: name for name, (number, _) in MECHANISMS.items()}
_SALT_SIZE_BYTES = 24


class ScramUser(NamedTuple):
    name: str
    # (mechanism, iterations)
    credentials: tuple[tuple[str, int], ...]


class Password(NamedTuple):
    text: str
    iterations: int = ITERATIONS_DEFAULT

    def __repr__(self) -> str:
        return f"Password(iterations={self.iterations})"


def describe_scram_users(cluster: Cluster, names: Sequence[str] | None = None) -> list[ScramUser]:
    """Those named, as far as they are there, or all; none from a broker that does not know of such users."""
    from riacho.wire.messages.describe_user_scram_credentials_request import (
        DescribeUserScramCredentialsRequest,
        UserName,
    )
    from riacho.wire.messages.describe_user_scram_credentials_response import DescribeUserScramCredentialsResponse

    users = None if names is None else [UserName(name=name) for name in names]
    request = DescribeUserScramCredentialsRequest(users=users)
    try:
        response = cluster.ask(request, DescribeUserScramCredentialsResponse, cluster.controller())
    except KafkaError as error:
        if error.code is ErrorCode.UNSUPPORTED_VERSION:
            return []
        raise
    check(response.error_code, response.error_message)
    found = []
    for result in sorted(response.results, key=lambda each: each.user):
        if result.error_code == ErrorCode.RESOURCE_NOT_FOUND:
            continue
        check(result.error_code, result.error_message)
        credentials = ((_NAMES.get(each.mechanism, "UNKNOWN"), each.iterations) for each in result.credential_infos)
        found.append(ScramUser(result.user, tuple(credentials)))
    return found


def alter_scram_user(cluster: Cluster, user: str, set_: Mapping[str, Password], deleted: Iterable[str]) -> None:
    """`set_` and `deleted` by mechanism."""
    from riacho.wire.messages.alter_user_scram_credentials_request import (
        AlterUserScramCredentialsRequest,
        ScramCredentialDeletion,
        ScramCredentialUpsertion,
    )
    from riacho.wire.messages.alter_user_scram_credentials_response import AlterUserScramCredentialsResponse

    if any(password.iterations > ITERATIONS_MAX for password in set_.values()):
        # As a broker says it; here they would be counted out before it is asked.
        raise KafkaError(ErrorCode.UNACCEPTABLE_CREDENTIAL, f"Too many iterations: there may be {ITERATIONS_MAX}")
    request = AlterUserScramCredentialsRequest(
        deletions=[ScramCredentialDeletion(name=user, mechanism=MECHANISMS[name][0]) for name in deleted]
    )
    for name, password in set_.items():
        number, hash_name = MECHANISMS[name]
        salt = os.urandom(_SALT_SIZE_BYTES)
        request.upsertions.append(
            ScramCredentialUpsertion(
                name=user,
                mechanism=number,
                iterations=password.iterations,
                salt=salt,
                salted_password=salted_password(hash_name, password.text, salt, password.iterations),
            )
        )

    def work() -> None:
        response = cluster.ask(request, AlterUserScramCredentialsResponse, cluster.controller())
        for result in response.results:
            check(result.error_code, result.error_message)

    cluster.retry(work)


def salted_password(hash_name: str, password: str, salt: bytes, iterations: int) -> bytes:
    """RFC 5802's Hi()."""
    from hashlib import pbkdf2_hmac

    return pbkdf2_hmac(hash_name, password.encode(), salt, iterations)

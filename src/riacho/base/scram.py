"""SCRAM's keys (RFC 5802, RFC 7677): what a cluster keeps of a password, and how it is made.

The password itself is never kept. `stored_key` proves that a client knows it, `server_key` proves to the client that
the server knew it too; neither lets anybody log in elsewhere. Values of these never show in a repr.
"""

from __future__ import annotations

import hashlib
import hmac
from enum import IntEnum

import msgspec

# Kafka's bounds for both mechanisms.
ITERATIONS_MIN = 4096
ITERATIONS_MAX = 16384


class ScramMechanism(IntEnum):
    SCRAM_SHA_256 = 1
    SCRAM_SHA_512 = 2

    @property
    def sasl_name(self) -> str:
        return self.name.replace("_", "-")

    @property
    def hash_name(self) -> str:
        return "sha256" if self is ScramMechanism.SCRAM_SHA_256 else "sha512"

    def hash(self, data: bytes) -> bytes:
        return hashlib.new(self.hash_name, data).digest()

    def hmac(self, key: bytes, data: bytes) -> bytes:
        return hmac.digest(key, data, self.hash_name)


SCRAM_BY_NAME = {mechanism.sasl_name: mechanism for mechanism in ScramMechanism}


class ScramCredential(msgspec.Struct, frozen=True):
    salt: bytes
    stored_key: bytes
    server_key: bytes
    iterations: int

    def __repr__(self) -> str:
        return f"ScramCredential(iterations={self.iterations})"


def salted_password(mechanism: ScramMechanism, password: bytes, salt: bytes, iterations: int) -> bytes:
    return hashlib.pbkdf2_hmac(mechanism.hash_name, password, salt, iterations)


def credential_from_salted(mechanism: ScramMechanism, salted: bytes, salt: bytes, iterations: int) -> ScramCredential:
    client_key = mechanism.hmac(salted, b"Client Key")
    return ScramCredential(
        salt=salt,
        stored_key=mechanism.hash(client_key),
        server_key=mechanism.hmac(salted, b"Server Key"),
        iterations=iterations,
    )


def scram_credential(mechanism: ScramMechanism, password: str, salt: bytes, iterations: int) -> ScramCredential:
    salted = salted_password(mechanism, password.encode(), salt, iterations)
    return credential_from_salted(mechanism, salted, salt, iterations)

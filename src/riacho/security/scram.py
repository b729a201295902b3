"""SCRAM-SHA-256 and -512, both sides (RFC 5802, RFC 7677), without input or output.

Theory of operation. The client names a user and a nonce; the server answers with a longer nonce, the user's salt and
iterations; the client proves that it knows the password; the server proves that it knows the user's keys. Both proofs
cover all that was said, so a message of another conversation does not fit into this one: the nonces differ, and with
them the proofs. A server's conversation takes each message once, in its turn.

A user that does not exist gets a salt that is made of its name, the same each time, and fails with the proof, as one
with a wrong password does. A channel cannot be bound: whoever insists on it is refused, and what the client says in its
last message about binding must be what it said in its first.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable
from enum import Enum
from typing import NamedTuple

from riacho.base.scram import ITERATIONS_MAX, ITERATIONS_MIN, ScramCredential, ScramMechanism, salted_password
from riacho.security.sasl import SaslFailure
from riacho.security.scram_messages import (
    ClientFirst,
    encoded,
    escape_name,
    parse_client_final,
    parse_client_first,
    parse_server_final,
    parse_server_first,
)

_TOKEN_AUTH = "tokenauth"


class KnownCredential(NamedTuple):
    """What the server knows of a user, or of a delegation token and its owner."""

    credential: ScramCredential
    owner: str
    expiry_ms: int | None = None


class ScramLookup(NamedTuple):
    user: Callable[[str], KnownCredential | None]
    token: Callable[[str], KnownCredential | None]
    # Makes the salts of users that do not exist. Must outlive a connection, or their salts would differ each time.
    secret: bytes


class _Turn(Enum):
    CLIENT_FIRST = 1
    CLIENT_FINAL = 2
    OVER = 3


class ScramServer:
    def __init__(self, mechanism: ScramMechanism, lookup: ScramLookup, nonce: str) -> None:
        self.is_complete = False
        self.authorization_id = ""
        self.credential_expiry_ms: int | None = None
        self.is_token_authenticated = False
        self._mechanism = mechanism
        self._lookup = lookup
        self._nonce = nonce
        self._turn = _Turn.CLIENT_FIRST
        self._user = ""
        self._gs2_header = b""
        self._known: KnownCredential | None = None
        self._auth_message_start = ""

    def evaluate(self, response: bytes, now_ms: int) -> bytes:
        turn, self._turn = self._turn, _Turn.OVER
        if turn is _Turn.CLIENT_FIRST:
            answer = self._challenge(parse_client_first(response), now_ms)
            self._turn = _Turn.CLIENT_FINAL
            return answer
        if turn is _Turn.CLIENT_FINAL:
            return self._verify(response)
        raise SaslFailure("a SCRAM message after the last", user=self._user)

    def _challenge(self, first: ClientFirst, now_ms: int) -> bytes:
        self._user = first.name
        if first.binds_channel:
            raise SaslFailure("channel binding is not served", user=first.name)
        if first.authorization_id and first.authorization_id != first.name:
            message = "Authentication failed: Client requested an authorization id that is different from username"
            raise SaslFailure(message, error_message=message, user=first.name)
        self.is_token_authenticated = first.extensions.get(_TOKEN_AUTH, "").lower() == "true"
        find = self._lookup.token if self.is_token_authenticated else self._lookup.user
        known = find(first.name)
        if known is not None and (
            not known.credential.iterations >= ITERATIONS_MIN
            or (known.expiry_ms is not None and known.expiry_ms <= now_ms)
        ):
            known = None
        self._known = known
        self._gs2_header = first.gs2_header.encode()
        self._nonce = first.nonce + self._nonce
        salt, iterations = self._salt_of(known, first.name)
        answer = f"r={self._nonce},s={encoded(salt)},i={iterations}"
        self._auth_message_start = f"{first.bare},{answer}"
        return answer.encode()

    def _salt_of(self, known: KnownCredential | None, name: str) -> tuple[bytes, int]:
        if known is not None:
            return known.credential.salt, known.credential.iterations
        return self._mechanism.hmac(self._lookup.secret, name.encode())[:20], ITERATIONS_MIN

    def _verify(self, response: bytes) -> bytes:
        final = parse_client_final(response)
        if not hmac.compare_digest(final.nonce.encode(), self._nonce.encode()):
            raise SaslFailure("Invalid client nonce in the final client message.", user=self._user)
        if not hmac.compare_digest(final.binding, self._gs2_header):
            raise SaslFailure("the final client message has another channel binding", user=self._user)
        known, mechanism = self._known, self._mechanism
        auth_message = f"{self._auth_message_start},{final.without_proof}".encode()
        # Without a credential a made-up key is tried, so that the answer takes as long.
        stored_key = known.credential.stored_key if known else mechanism.hash(self._lookup.secret)
        signature = mechanism.hmac(stored_key, auth_message)
        client_key = _exclusive_or(final.proof, signature)
        matches = hmac.compare_digest(mechanism.hash(client_key), stored_key)
        if known is None or not matches or len(final.proof) != len(signature):
            raise SaslFailure("Invalid client credentials", user=self._user)
        self.authorization_id = known.owner
        self.credential_expiry_ms = known.expiry_ms
        self.is_complete = True
        return f"v={encoded(mechanism.hmac(known.credential.server_key, auth_message))}".encode()


class ScramClient:
    def __init__(
        self, mechanism: ScramMechanism, user: str, password: str, nonce: str, *, is_token: bool = False
    ) -> None:
        self.is_complete = False
        self._mechanism = mechanism
        self._password = password
        self._nonce = nonce
        extension = f",{_TOKEN_AUTH}=true" if is_token else ""
        self._bare = f"n={escape_name(user)},r={nonce}{extension}"
        self._server_signature: bytes | None = None

    def first(self) -> bytes:
        return f"n,,{self._bare}".encode()

    def evaluate(self, challenge: bytes) -> bytes | None:
        if self._server_signature is None:
            return self._prove(challenge)
        if not hmac.compare_digest(parse_server_final(challenge), self._server_signature):
            raise SaslFailure("Invalid server signature in server final message")
        self.is_complete = True
        return None

    def _prove(self, challenge: bytes) -> bytes:
        first = parse_server_first(challenge)
        if not first.nonce.startswith(self._nonce) or len(first.nonce) == len(self._nonce):
            raise SaslFailure("Invalid server nonce: does not start with client nonce")
        if first.iterations < ITERATIONS_MIN:
            problem = f"Requested iterations {first.iterations} is less than the minimum {ITERATIONS_MIN}"
            raise SaslFailure(f"{problem} for {self._mechanism.sasl_name}.")
        if first.iterations > ITERATIONS_MAX:
            # Or a false server could keep us at work for hours.
            problem = f"Requested iterations {first.iterations} is more than the maximum {ITERATIONS_MAX}"
            raise SaslFailure(f"{problem} for {self._mechanism.sasl_name}.")
        mechanism = self._mechanism
        salted = salted_password(mechanism, self._password.encode(), first.salt, first.iterations)
        client_key = mechanism.hmac(salted, b"Client Key")
        without_proof = f"c={encoded(b'n,,')},r={first.nonce}"
        auth_message = f"{self._bare},{challenge.decode()},{without_proof}".encode()
        self._server_signature = mechanism.hmac(mechanism.hmac(salted, b"Server Key"), auth_message)
        signature = mechanism.hmac(mechanism.hash(client_key), auth_message)
        return f"{without_proof},p={encoded(_exclusive_or(client_key, signature))}".encode()


def _exclusive_or(left: bytes, right: bytes) -> bytes:
    return bytes(a ^ b for a, b in zip(left, right, strict=False))

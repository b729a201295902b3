"""SASL without input or output: what every mechanism has in common, on the side of the server and of the client.

A conversation is bytes in, bytes out, until `is_complete`. What goes wrong on the server is a `SaslFailure`. Its
`error_message` is what the client may hear: a mechanism gives one only where it reveals nothing; without it the client
hears the same sentence whatever was wrong, so that nobody learns which users there are. Its `reason` is for the
server's log, and holds no secret either.
"""

from __future__ import annotations

from typing import Protocol


class SaslFailure(Exception):
    def __init__(self, reason: str, *, error_message: str | None = None, user: str | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.error_message = error_message
        self.user = user


class SaslServer(Protocol):
    @property
    def is_complete(self) -> bool: ...

    @property
    def authorization_id(self) -> str:
        """Who it is; only when complete."""
        ...

    @property
    def credential_expiry_ms(self) -> int | None:
        """When the credential that was shown ends; None for one without an end."""
        ...

    @property
    def is_token_authenticated(self) -> bool:
        """By a delegation token (KIP-48), which may do everything but ask for tokens."""
        ...

    def evaluate(self, response: bytes, now_ms: int) -> bytes:
        """The next challenge to the client's response; SaslFailure."""
        ...


class SaslClient(Protocol):
    @property
    def is_complete(self) -> bool: ...

    def first(self) -> bytes: ...

    def evaluate(self, challenge: bytes) -> bytes | None:
        """The answer to the server's challenge, None when there is nothing more to say; SaslFailure."""
        ...

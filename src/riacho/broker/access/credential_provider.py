"""Credentials for SCRAM, of users and delegation tokens (KIP-48): those in the metadata, none before there are any."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from riacho.base.scram import ScramCredential, ScramMechanism, scram_credential
from riacho.metadata.image.delegation_tokens import token_hmac, token_password, token_salt
from riacho.security.scram import KnownCredential

if TYPE_CHECKING:
    from riacho.broker.access.metadata_view import MetadataView

_TOKEN_ITERATIONS = 4096


class CredentialProvider:
    def __init__(self, token_secret_key: str | None) -> None:
        """`token_secret_key`: `delegation.token.secret.key`; without one no token is accepted."""
        self._token_secret_key = token_secret_key
        self._metadata: MetadataView | None = None

    def follow(self, metadata: MetadataView) -> None:
        """From now on the credentials are what these metadata have."""
        self._metadata = metadata

    def user(self, mechanism: ScramMechanism, name: str) -> KnownCredential | None:
        if self._metadata is None:
            return None
        found = self._metadata.image.scram_credentials.get((name, mechanism))
        return None if found is None else KnownCredential(found, name)

    def token(self, mechanism: ScramMechanism, token_id: str) -> KnownCredential | None:
        if self._metadata is None or self._token_secret_key is None:
            return None
        token = self._metadata.image.delegation_tokens.get(token_id)
        if token is None:
            return None
        credential = _token_credential(mechanism, token_id, self._token_secret_key)
        return KnownCredential(credential, token.owner.partition(":")[2], token.expiry_ms)


@lru_cache(maxsize=1024)
def _token_credential(mechanism: ScramMechanism, token_id: str, secret_key: str) -> ScramCredential:
    """Kept, since making one takes thousands of hashes and a client logs in often."""
    password = token_password(token_hmac(token_id, secret_key))
    return scram_credential(mechanism, password, token_salt(token_id, mechanism.sasl_name), _TOKEN_ITERATIONS)

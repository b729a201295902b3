"""Delegation tokens (KIP-48): short-lived credentials that stand for a user, kept in the metadata.

A token's secret is not kept: it is the HMAC of its id under `delegation.token.secret.key`, which every node has. A
token lasts until `expiration_timestamp`, which its owner or a renewer may move, never past `max_timestamp`. The active
controller forgets those whose time is over.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
from collections.abc import Iterator

import msgspec

from riacho.metadata.image.records import MetadataRecord
from riacho.wire.messages.delegation_token_record import DelegationTokenRecord
from riacho.wire.messages.remove_delegation_token_record import RemoveDelegationTokenRecord

# Kafka's secrets are HMACs of this hash.
_HASH = "sha512"


class DelegationToken(msgspec.Struct, frozen=True):
    """Principals are texts such as `User:alice`."""

    token_id: str
    owner: str
    requester: str
    renewers: tuple[str, ...]
    issue_ms: int
    max_ms: int
    expiry_ms: int

    def may_renew(self, principal: str) -> bool:
        return principal in (self.owner, self.requester) or principal in self.renewers

    def is_expired(self, now_ms: int) -> bool:
        return self.expiry_ms < now_ms or self.max_ms < now_ms

    def to_record(self) -> DelegationTokenRecord:
        return DelegationTokenRecord(
            owner=self.owner,
            requester=self.requester,
            renewers=list(self.renewers),
            issue_timestamp=self.issue_ms,
            max_timestamp=self.max_ms,
            expiration_timestamp=self.expiry_ms,
            token_id=self.token_id,
        )


DelegationTokens = dict[str, DelegationToken]


def token_from(record: DelegationTokenRecord) -> DelegationToken:
    return DelegationToken(
        token_id=record.token_id,
        owner=record.owner,
        requester=record.requester,
        renewers=tuple(record.renewers),
        issue_ms=record.issue_timestamp,
        max_ms=record.max_timestamp,
        expiry_ms=record.expiration_timestamp,
    )


def apply_token(changed: DelegationTokens, record: DelegationTokenRecord | RemoveDelegationTokenRecord) -> None:
    """Into `changed`, which is no image's yet."""
    if isinstance(record, RemoveDelegationTokenRecord):
        changed.pop(record.token_id, None)
    else:
        changed[record.token_id] = token_from(record)


def token_records(tokens: DelegationTokens) -> Iterator[MetadataRecord]:
    for token in tokens.values():
        yield token.to_record()


def token_hmac(token_id: str, secret_key: str) -> bytes:
    return hmac.digest(secret_key.encode(), token_id.encode(), _HASH)


def token_password(token_hmac: bytes) -> str:
    """What a client that logs in by the token gives as its password."""
    return base64.b64encode(token_hmac).decode()


def token_salt(token_id: str, mechanism_name: str) -> bytes:
    """Every node must come to the same salt, for a client may meet any of them."""
    return hashlib.sha256(f"{mechanism_name}:{token_id}".encode()).digest()[:20]

"""SCRAM credentials of users (KIP-554): kept in the metadata, so every node can check a login."""

from __future__ import annotations

from collections.abc import Iterator

from riacho.base.scram import ScramCredential
from riacho.wire.messages.remove_user_scram_credential_record import RemoveUserScramCredentialRecord
from riacho.wire.messages.user_scram_credential_record import UserScramCredentialRecord

# By user and mechanism.
ScramCredentials = dict[tuple[str, int], ScramCredential]


def apply_scram(changed: ScramCredentials, record: UserScramCredentialRecord | RemoveUserScramCredentialRecord) -> None:
    """Into `changed`, which is no image's yet."""
    if isinstance(record, RemoveUserScramCredentialRecord):
        changed.pop((record.name, record.mechanism), None)
    else:
        changed[record.name, record.mechanism] = ScramCredential(
            bytes(record.salt), bytes(record.stored_key), bytes(record.server_key), record.iterations
        )


def scram_records(credentials: ScramCredentials) -> Iterator[UserScramCredentialRecord]:
    for (name, mechanism), found in credentials.items():
        yield scram_record(name, mechanism, found)


def scram_record(name: str, mechanism: int, credential: ScramCredential) -> UserScramCredentialRecord:
    return UserScramCredentialRecord(
        name=name,
        mechanism=mechanism,
        salt=credential.salt,
        stored_key=credential.stored_key,
        server_key=credential.server_key,
        iterations=credential.iterations,
    )

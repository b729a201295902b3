"""SCRAM credentials of users (KIP-554): kept in the metadata, so every node can check a login.

A change names users to forget or to set; each user gets an answer of its own, and one with any problem is left as it
was. The client sends the salted password, and what is kept of it are the two keys.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from riacho.base.decision import Decision
from riacho.base.errors import ErrorCode, KafkaError
from riacho.base.scram import (
    ITERATIONS_MAX,
    ITERATIONS_MIN,
    ScramCredential,
    ScramMechanism,
    credential_from_salted,
)
from riacho.metadata.image.records import MetadataRecord
from riacho.wire.messages.alter_user_scram_credentials_request import (
    AlterUserScramCredentialsRequest,
    ScramCredentialDeletion,
    ScramCredentialUpsertion,
)
from riacho.wire.messages.alter_user_scram_credentials_response import (
    AlterUserScramCredentialsResponse,
    AlterUserScramCredentialsResult,
)
from riacho.wire.messages.remove_user_scram_credential_record import RemoveUserScramCredentialRecord
from riacho.wire.messages.user_scram_credential_record import UserScramCredentialRecord

if TYPE_CHECKING:
    from riacho.metadata.image.image import MetadataImage

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


def decide_alter_scram_credentials(
    image: MetadataImage, request: AlterUserScramCredentialsRequest
) -> Decision[MetadataRecord, AlterUserScramCredentialsResponse]:
    problems: dict[str, KafkaError] = {}
    seen: set[str] = set()
    users: dict[str, None] = {}
    changes: list[ScramCredentialDeletion | ScramCredentialUpsertion] = [*request.deletions, *request.upsertions]
    for change in changes:
        users[change.name] = None
        problem = _twice(seen, change.name) or _problem(image, change)
        if problem is not None:
            problems.setdefault(change.name, problem)
    records: list[MetadataRecord] = [
        RemoveUserScramCredentialRecord(name=deletion.name, mechanism=deletion.mechanism)
        for deletion in request.deletions
        if deletion.name not in problems
    ]
    records += [_record_of(upsertion) for upsertion in request.upsertions if upsertion.name not in problems]
    results = [
        AlterUserScramCredentialsResult(
            user=user,
            error_code=problems[user].code if user in problems else 0,
            error_message=problems[user].detail if user in problems else None,
        )
        for user in users
    ]
    return Decision(reply=AlterUserScramCredentialsResponse(results=results), records=records)


def _twice(seen: set[str], user: str) -> KafkaError | None:
    """Even by two mechanisms: one change of a user in a request."""
    if user in seen:
        return KafkaError(ErrorCode.DUPLICATE_RESOURCE, "A user credential cannot be altered twice in the same request")
    seen.add(user)
    return None


def _problem(image: MetadataImage, change: ScramCredentialDeletion | ScramCredentialUpsertion) -> KafkaError | None:
    if not change.name:
        return KafkaError(ErrorCode.UNACCEPTABLE_CREDENTIAL, "Username must not be empty")
    if change.mechanism not in ScramMechanism._value2member_map_:
        return KafkaError(ErrorCode.UNSUPPORTED_SASL_MECHANISM, "Unknown SCRAM mechanism")
    if isinstance(change, ScramCredentialDeletion):
        if (change.name, change.mechanism) not in image.scram_credentials:
            problem = "Attempt to delete a user credential that does not exist"
            return KafkaError(ErrorCode.RESOURCE_NOT_FOUND, problem)
        return None
    if change.iterations < ITERATIONS_MIN:
        return KafkaError(ErrorCode.UNACCEPTABLE_CREDENTIAL, "Too few iterations")
    if change.iterations > ITERATIONS_MAX:
        return KafkaError(ErrorCode.UNACCEPTABLE_CREDENTIAL, "Too many iterations")
    return None


def _record_of(upsertion: ScramCredentialUpsertion) -> UserScramCredentialRecord:
    mechanism = ScramMechanism(upsertion.mechanism)
    credential = credential_from_salted(
        mechanism, bytes(upsertion.salted_password), bytes(upsertion.salt), upsertion.iterations
    )
    return scram_record(upsertion.name, mechanism, credential)

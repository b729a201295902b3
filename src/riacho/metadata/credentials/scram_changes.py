"""AlterUserScramCredentials (KIP-554) decided: users to forget or to set.

Each user gets an answer of its own, and one with any problem is left as it was. The client sends the salted password,
and what is kept of it are the two keys.
"""

from __future__ import annotations

from riacho.base.decision import Decision
from riacho.base.errors import ErrorCode, KafkaError
from riacho.base.scram import (
    ITERATIONS_MAX,
    ITERATIONS_MIN,
    ScramMechanism,
    credential_from_salted,
)
from riacho.metadata.image.image import MetadataImage
from riacho.metadata.image.records import MetadataRecord
from riacho.metadata.image.scram_credentials import scram_record
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

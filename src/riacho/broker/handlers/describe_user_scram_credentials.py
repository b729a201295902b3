"""DescribeUserScramCredentials, v0 (KIP-554): which users can log in by SCRAM, and in how many iterations; no keys."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from riacho.base.errors import ErrorCode, KafkaError
from riacho.security.operations import CLUSTER_NAME, AclOperation, AclResourceType
from riacho.wire.messages.describe_user_scram_credentials_response import (
    CredentialInfo,
    DescribeUserScramCredentialsResponse,
    DescribeUserScramCredentialsResult,
)

if TYPE_CHECKING:
    from riacho.base.scram import ScramCredential
    from riacho.broker.requests.request_context import RequestContext
    from riacho.wire.messages.describe_user_scram_credentials_request import DescribeUserScramCredentialsRequest


def handle(ctx: RequestContext, request: DescribeUserScramCredentialsRequest) -> DescribeUserScramCredentialsResponse:
    if not ctx.allows(AclOperation.DESCRIBE, AclResourceType.CLUSTER, CLUSTER_NAME):
        raise KafkaError(ErrorCode.CLUSTER_AUTHORIZATION_FAILED)
    known: dict[str, list[CredentialInfo]] = {}
    for (user, mechanism), credential in sorted(ctx.metadata.image.scram_credentials.items(), key=_by_name):
        known.setdefault(user, []).append(CredentialInfo(mechanism=mechanism, iterations=credential.iterations))
    asked = [user.name for user in request.users or ()] or list(known)
    results = [_result(user, known.get(user), times > 1) for user, times in Counter(asked).items()]
    return DescribeUserScramCredentialsResponse(results=results)


def _by_name(item: tuple[tuple[str, int], ScramCredential]) -> tuple[str, int]:
    return item[0]


def _result(user: str, infos: list[CredentialInfo] | None, is_twice: bool) -> DescribeUserScramCredentialsResult:
    if is_twice:
        code, problem = ErrorCode.DUPLICATE_RESOURCE, "Cannot describe SCRAM credentials for the same user twice in a"
        problem = f"{problem} single request: {user}"
    elif infos is None:
        code = ErrorCode.RESOURCE_NOT_FOUND
        problem = f"Attempt to describe a user credential that does not exist: {user}"
    else:
        return DescribeUserScramCredentialsResult(user=user, credential_infos=infos)
    return DescribeUserScramCredentialsResult(user=user, error_code=code, error_message=problem)

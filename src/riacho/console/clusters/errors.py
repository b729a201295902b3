"""Errors of Kafka as the console tells them: a status, a code, and the broker's own sentence where it has one."""

from __future__ import annotations

from typing import Final

from riacho.base.errors import ErrorCode, KafkaError
from riacho.web.errors import ApiError

_E = ErrorCode
_STATUS: Final[dict[ErrorCode, int]] = {
    **dict.fromkeys(
        (
            _E.INVALID_REPLICATION_FACTOR,
            _E.INVALID_PARTITIONS,
            _E.INVALID_REPLICA_ASSIGNMENT,
            _E.INVALID_CONFIG,
            _E.INVALID_REQUEST,
            _E.INVALID_TOPIC_EXCEPTION,
            _E.INVALID_GROUP_ID,
            _E.OFFSET_OUT_OF_RANGE,
            _E.POLICY_VIOLATION,
            _E.INVALID_PRINCIPAL_TYPE,
            _E.UNACCEPTABLE_CREDENTIAL,
        ),
        400,
    ),
    **dict.fromkeys(
        (
            _E.TOPIC_AUTHORIZATION_FAILED,
            _E.GROUP_AUTHORIZATION_FAILED,
            _E.CLUSTER_AUTHORIZATION_FAILED,
            _E.TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
        ),
        403,
    ),
    **dict.fromkeys(
        (
            _E.UNKNOWN_TOPIC_OR_PARTITION,
            _E.UNKNOWN_TOPIC_ID,
            _E.GROUP_ID_NOT_FOUND,
            _E.RESOURCE_NOT_FOUND,
            _E.TRANSACTIONAL_ID_NOT_FOUND,
        ),
        404,
    ),
    **dict.fromkeys(
        (
            _E.TOPIC_ALREADY_EXISTS,
            _E.NON_EMPTY_GROUP,
            _E.UNKNOWN_MEMBER_ID,
            _E.GROUP_SUBSCRIBED_TO_TOPIC,
            _E.REASSIGNMENT_IN_PROGRESS,
            _E.NO_REASSIGNMENT_IN_PROGRESS,
            _E.TOPIC_DELETION_DISABLED,
            _E.DUPLICATE_RESOURCE,
            _E.INVALID_TXN_STATE,
        ),
        409,
    ),
    _E.THROTTLING_QUOTA_EXCEEDED: 429,
    **dict.fromkeys((_E.UNSUPPORTED_VERSION, _E.SECURITY_DISABLED), 501),
}
# What is answered for lists, which are of the picture, and for what is asked of brokers: code -> when.
PICTURE_ERRORS: Final = {
    40401: "There is no such cluster.",
    50304: "The cluster has not been seen yet.",
}
KAFKA_ERRORS: Final = {
    **PICTURE_ERRORS,
    40002: "Kafka does not take it: its own sentence says why, and `kafka_error` has its name for it.",
    40302: "Kafka does not allow it.",
    40402: "Kafka does not know it.",
    40902: "It does not go with what is there: a name that is taken, a group with members, a move under way.",
    42902: "A quota of Kafka's is exceeded.",
    50102: "The brokers' release does not have it.",
    50202: "The brokers failed in it.",
    50301: "Too many questions to the cluster are under way.",
    50302: "The cluster cannot do it now.",
    50402: "The cluster did not answer in time.",
}
# What the cluster cannot do now: it is away, or it refuses us.
_UNAVAILABLE = 503


def api_error(error: KafkaError) -> ApiError:
    status = _STATUS.get(error.code, _UNAVAILABLE if error.code.retriable else 502)
    return ApiError(status, status * 100 + 2, sentence(error), fields={"kafka_error": error.code.name})


def sentence(error: KafkaError) -> str:
    text = error.detail or f"The broker answered {error.code.name}"
    return text if text.endswith((".", "?", "!")) else f"{text}."

"""Errors of Kafka as the REST proxy tells them: for a whole call (`api_error`), or for one record of an answer.

The codes are those of the original: 400xx is what cannot be done as asked, 404xx what is not there, 50002 an error of
Kafka, 50003 one that may be gone when the call is made again.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from confluent_kafka import KafkaError, KafkaException

from riacho.web.errors import ApiError

KAFKA_ERROR: Final = 50002
KAFKA_RETRIABLE_ERROR: Final = 50003

_BAD_REQUEST = (
    KafkaError.INVALID_REPLICATION_FACTOR,
    KafkaError.INVALID_PARTITIONS,
    KafkaError.INVALID_REPLICA_ASSIGNMENT,
    KafkaError.INVALID_CONFIG,
    KafkaError.INVALID_REQUEST,
    KafkaError.INVALID_TIMESTAMP,
    KafkaError.INVALID_RECORD,
    KafkaError.TOPIC_EXCEPTION,
    KafkaError.TOPIC_ALREADY_EXISTS,
    KafkaError.TOPIC_DELETION_DISABLED,
    KafkaError.SECURITY_DISABLED,
    KafkaError.POLICY_VIOLATION,
    KafkaError.UNSUPPORTED_VERSION,
    KafkaError._UNSUPPORTED_FEATURE,
    KafkaError._INVALID_ARG,
)
_AUTHORIZATION = (
    KafkaError.TOPIC_AUTHORIZATION_FAILED,
    KafkaError.GROUP_AUTHORIZATION_FAILED,
    KafkaError.CLUSTER_AUTHORIZATION_FAILED,
    KafkaError.TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
)
_NOT_THERE = (
    KafkaError.UNKNOWN_TOPIC_OR_PART,
    KafkaError.UNKNOWN_TOPIC_ID,
    KafkaError._UNKNOWN_TOPIC,
    KafkaError._NOENT,  # librdkafka looked for the leaders of partitions, and there are none of them
)
_UNREACHABLE = (
    KafkaError.BROKER_NOT_AVAILABLE,
    KafkaError._ALL_BROKERS_DOWN,
    KafkaError._TRANSPORT,
    KafkaError._RESOLVE,
    KafkaError._TIMED_OUT,
)

# Kafka's error -> (HTTP status, error code). What is not here is 500, with 50003 where it may pass, else 50002.
_CODES: Final[dict[int, tuple[int, int]]] = {
    **dict.fromkeys(_BAD_REQUEST, (400, 40002)),
    **dict.fromkeys((KafkaError.SASL_AUTHENTICATION_FAILED, KafkaError._AUTHENTICATION), (401, 40101)),
    **dict.fromkeys(_AUTHORIZATION, (403, 40301)),
    **dict.fromkeys(_NOT_THERE, (404, 40403)),
    KafkaError._UNKNOWN_PARTITION: (404, 40402),
    KafkaError.LEADER_NOT_AVAILABLE: (404, 40404),
    KafkaError.GROUP_ID_NOT_FOUND: (404, 40405),
    **dict.fromkeys((KafkaError.MSG_SIZE_TOO_LARGE, KafkaError.RECORD_LIST_TOO_LARGE), (413, 413)),
    KafkaError.THROTTLING_QUOTA_EXCEEDED: (429, 42901),
    **dict.fromkeys(_UNREACHABLE, (503, 50302)),
}

# librdkafka's own errors that pass: it calls few of them retriable, as it has retried them itself by then.
_PASSING = frozenset(
    {
        KafkaError._MSG_TIMED_OUT,
        KafkaError._TIMED_OUT,
        KafkaError._TIMED_OUT_QUEUE,
        KafkaError._TRANSPORT,
        KafkaError._ALL_BROKERS_DOWN,
        KafkaError._QUEUE_FULL,
        KafkaError._WAIT_COORD,
        KafkaError._IN_PROGRESS,
        KafkaError.REQUEST_TIMED_OUT,
        KafkaError.NOT_ENOUGH_REPLICAS,
        KafkaError.NOT_ENOUGH_REPLICAS_AFTER_APPEND,
        KafkaError.LEADER_NOT_AVAILABLE,
        KafkaError.NOT_LEADER_FOR_PARTITION,
    }
)


def error_of(error: KafkaError | KafkaException) -> KafkaError:
    """The KafkaError inside what confluent-kafka raised."""
    if isinstance(error, KafkaError):
        return error
    inner = error.args[0] if error.args else None
    return inner if isinstance(inner, KafkaError) else KafkaError(KafkaError._FAIL, str(error))


def is_passing(error: KafkaError) -> bool:
    """Whether the same call may succeed later."""
    return error.retriable() or error.code() in _PASSING


def api_error(error: KafkaError | KafkaException) -> ApiError:
    """The answer to a call that failed in Kafka."""
    inner = error_of(error)
    known = _CODES.get(inner.code())
    if known is None:
        known = (500, KAFKA_RETRIABLE_ERROR if is_passing(inner) else KAFKA_ERROR)
    return ApiError(*known, sentence(inner))


def record_error(error: KafkaError) -> tuple[int, str]:
    """error_code and message of one record in the answer to a v2 produce call."""
    status, code = _CODES.get(error.code(), (500, 0))
    if status not in (401, 403):
        code = KAFKA_RETRIABLE_ERROR if is_passing(error) else KAFKA_ERROR
    return code, sentence(error)


def is_unknown_topic(outcomes: Iterable[object]) -> bool:
    """Whether one of the records failed because its topic is not there any more."""
    return any(isinstance(outcome, KafkaError) and outcome.code() in _NOT_THERE for outcome in outcomes)


def sentence(error: KafkaError) -> str:
    """librdkafka's words, without who said them; Kafka's own for the failure that everybody knows by them."""
    if error.code() in _NOT_THERE or error.code() == KafkaError._UNKNOWN_PARTITION:
        return "This server does not host this topic-partition."
    text = error.str() or error.name()
    for speaker in ("Unable to produce message: ", "Broker: ", "Local: "):
        text = text.removeprefix(speaker)
    return text

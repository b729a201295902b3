"""Errors that end a producer, as where an idempotent one is given no id: it takes nothing more, whatever becomes of the
error's cause, so whoever goes on makes another."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from confluent_kafka import KafkaError, KafkaException, Producer


def is_fatal(error: KafkaException) -> bool:
    from confluent_kafka import KafkaError

    reason: KafkaError = error.args[0]
    return reason.fatal() or reason.code() == KafkaError._FATAL


def flush(producer: Producer, timeout_s: float | None = None) -> int:
    """How many records are on their way still. KafkaException for a fatal error, which the library throws into whatever
    callback it calls next: what comes out of that may be anything, with the error somewhere behind."""
    from confluent_kafka import KafkaException

    try:
        return producer.flush() if timeout_s is None else producer.flush(timeout_s)
    except Exception as error:
        reason = _reason_of(error)
        if reason is None:
            raise
        raise KafkaException(reason) from None


def _reason_of(error: BaseException) -> KafkaError | None:
    from confluent_kafka import KafkaError, KafkaException

    each: BaseException | None = error
    while each is not None:
        found = each.args[0] if isinstance(each, KafkaException) and each.args else each
        if isinstance(found, KafkaError):
            return found
        each = each.__cause__ or each.__context__
    return None

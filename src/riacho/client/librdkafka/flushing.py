"""Waiting for the records that a producer has taken.

A fatal error, as where an idempotent producer is given no id, is thrown into whatever callback `flush` calls next: what
comes out of it then may be the error itself, or a SystemError with it somewhere behind.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from confluent_kafka import KafkaError, Producer


def flush(producer: Producer, timeout_s: float | None = None) -> int:
    """How many are on their way still. KafkaException for a fatal error."""
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

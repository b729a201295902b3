"""Patterns that clients send: RE2, whose matching time grows with the length of the text and nothing else.

An engine that backtracks would let any client stop the broker. RE2 has no back references and no look-around; Kafka has
the same rules for subscriptions.
"""

from __future__ import annotations

from typing import Any

import re2

from riacho.base.errors import ErrorCode, KafkaError


def compile_pattern(pattern: str, memory_bytes_max: int, what: str) -> Any:
    """RE2's pattern. KafkaError INVALID_REGULAR_EXPRESSION for one that is none, or would take more memory than that:
    RE2 counts before it compiles, so a huge one costs nothing."""
    options = re2.Options()
    options.max_mem = memory_bytes_max
    options.log_errors = False
    try:
        return re2.compile(pattern, options)
    except re2.error as error:
        reason = error.args[0]
        detail = reason.decode(errors="replace") if isinstance(reason, bytes) else str(reason)
        raise KafkaError(
            ErrorCode.INVALID_REGULAR_EXPRESSION, f"{what} `{pattern}` is not a valid regular expression: {detail}."
        ) from error

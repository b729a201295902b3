"""Between JSON values and their UTF-8 bytes, checked against the schema: what does not fit is not sent nor read."""

from __future__ import annotations

import json
from typing import Any

import msgspec

from riacho.base.shortening import shortened
from riacho.schemas.json_schema.check import pointer
from riacho.schemas.json_schema.compiled import compiled
from riacho.schemas.json_schema.documents import Documents
from riacho.schemas.json_schema.library import first_error, validator_of
from riacho.schemas.json_schema.steps import TooManyStepsError
from riacho.schemas.parsed import Codec, DataError, Json


class JsonCodec(Codec):
    """Made once a schema; the library's validator only when it is needed."""

    def __init__(self, documents: Documents) -> None:
        self._documents = documents
        self._fits = compiled(documents)
        self._validator: Any = None

    def encode(self, value: Json) -> bytes:
        self._check(value)
        try:
            payload = msgspec.json.encode(value)
            if b"null" in payload:
                # A number that JSON has not becomes null there, which is something else: here it is refused.
                json.dumps(value, allow_nan=False)
        except (TypeError, ValueError, OverflowError, RecursionError, msgspec.MsgspecError) as error:
            raise DataError(f"The value has no JSON form: {shortened(str(error))}") from None
        return payload

    def decode(self, payload: bytes | memoryview) -> Json:
        try:
            value: Json = msgspec.json.decode(payload)
        except (ValueError, RecursionError, msgspec.MsgspecError) as error:
            raise DataError(f"The payload is not JSON: {shortened(str(error))}") from None
        self._check(value)
        return value

    def _check(self, value: Json) -> None:
        try:
            if self._fits is not None and self._fits(value):
                return
            if self._validator is None:
                self._validator = validator_of(self._documents)
            error = first_error(self._validator, value)
        except (OverflowError, RecursionError, TooManyStepsError, ZeroDivisionError) as failure:
            raise DataError(f"The value cannot be checked against the schema: {shortened(str(failure))}") from None
        if error is not None:
            raise DataError(
                f"The value does not fit the schema at {pointer(error.absolute_path)}: {shortened(error.message)}"
            )

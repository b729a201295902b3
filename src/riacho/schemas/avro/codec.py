"""Values between their JSON form and Avro's binary one.

The JSON form is Avro's own: a union's value is `{"string": "x"}` or null, bytes and fixed are strings of one character
U+0000 to U+00FF a byte, NaN and the infinities are the strings "NaN", "Infinity" and "-Infinity". Every field must be
there, defaults being for readers. A field may be called by an alias; one the schema does not know is refused. Which
union values may come without their wrapper, `union_choice.py` says.
"""

from __future__ import annotations

from riacho.schemas.avro.decoding import Cursor, DecoderCompiler
from riacho.schemas.avro.encoding import EncoderCompiler
from riacho.schemas.avro.misfit import Misfit
from riacho.schemas.avro.types import AvroType
from riacho.schemas.parsed import Codec, DataError, Json


class AvroCodec(Codec):
    def __init__(self, root: AvroType) -> None:
        self._encode = EncoderCompiler().compile(root)
        self._decode = DecoderCompiler().compile(root)

    def encode(self, value: Json) -> bytes:
        try:
            return self._encode(value)
        except Misfit as wrong:
            raise wrong.error() from None
        except RecursionError:
            raise DataError("the value is nested too deeply") from None

    def decode(self, payload: bytes | memoryview) -> Json:
        """Bytes after the value are passed over, as Java does."""
        try:
            return self._decode(Cursor(bytes(payload)))
        except Misfit as wrong:
            raise wrong.error() from None
        except RecursionError:
            raise DataError("the payload is nested too deeply") from None

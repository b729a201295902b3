"""Incompatibilities in the words of the registry's answer, which clients take apart by patterns."""

from __future__ import annotations

from riacho.schemas.avro.compatibility import AmbiguousField, Incompatibility, TooManyPairs, incompatibilities
from riacho.schemas.avro.types import AvroType
from riacho.schemas.parsed import SchemaError

_DESCRIPTIONS = {
    "FIXED_SIZE_MISMATCH": (
        "The size of FIXED type field at path '{path}' in the {reader} schema does not match with the {writer} schema"
    ),
    "TYPE_MISMATCH": (
        "The type (path '{path}') of a field in the {reader} schema does not match with the {writer} schema"
    ),
    "NAME_MISMATCH": "The name of the schema has changed (path '{path}')",
    "MISSING_ENUM_SYMBOLS": (
        "The {reader} schema is missing enum symbols '{info}' at path '{path}' in the {writer} schema"
    ),
    "MISSING_UNION_BRANCH": (
        "The {reader} schema is missing a type inside a union field at path '{path}' in the {writer} schema"
    ),
    "READER_FIELD_MISSING_DEFAULT_VALUE": (
        "The field '{info}' at path '{path}' in the {reader} schema has no default value "
        "and is missing in the {writer} schema"
    ),
}


def difference_texts(reader: AvroType, writer: AvroType, reader_word: str, writer_word: str) -> list[str]:
    try:
        found = incompatibilities(reader, writer)
    except (AmbiguousField, SchemaError) as error:
        # SchemaError: the type that the sentence would quote is too deep to be written out from there.
        return [f"Unexpected exception during compatibility check: {error}"]
    except TooManyPairs:
        return ["Unexpected exception during compatibility check: the schemas are too large to be compared"]
    except RecursionError:
        return ["Unexpected exception during compatibility check: the types are nested too deeply"]
    return [_difference_text(each, reader_word, writer_word) for each in found]


def _difference_text(each: Incompatibility, reader_word: str, writer_word: str) -> str:
    words = {"reader": reader_word, "writer": writer_word}
    description = _DESCRIPTIONS[each.kind].format(path=each.path, info=each.info, **words)
    return f"{{errorType:'{each.kind}', description:'{description}', additionalInfo:'{each.info}'}}"

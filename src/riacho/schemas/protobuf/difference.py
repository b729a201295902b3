"""What can differ between two versions of a schema, which of it keeps data readable, and how the registry words it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto


class Kind(Enum):
    PACKAGE_CHANGED = auto()
    MESSAGE_ADDED = auto()
    MESSAGE_REMOVED = auto()
    MESSAGE_MOVED = auto()
    ENUM_ADDED = auto()
    ENUM_REMOVED = auto()
    ENUM_CONST_ADDED = auto()
    ENUM_CONST_CHANGED = auto()
    ENUM_CONST_REMOVED = auto()
    FIELD_ADDED = auto()
    FIELD_REMOVED = auto()
    FIELD_NAME_CHANGED = auto()
    FIELD_KIND_CHANGED = auto()
    FIELD_SCALAR_KIND_CHANGED = auto()
    FIELD_NAMED_TYPE_CHANGED = auto()
    FIELD_NUMERIC_LABEL_CHANGED = auto()
    FIELD_STRING_OR_BYTES_LABEL_CHANGED = auto()
    REQUIRED_FIELD_ADDED = auto()
    REQUIRED_FIELD_REMOVED = auto()
    ONEOF_ADDED = auto()
    ONEOF_REMOVED = auto()
    ONEOF_FIELD_ADDED = auto()
    ONEOF_FIELD_REMOVED = auto()
    ONEOF_FIELD_MOVED_TO_TOP_LEVEL = auto()
    MULTIPLE_FIELDS_MOVED_TO_ONEOF = auto()
    FIELD_MOVED_TO_EXISTING_ONEOF = auto()


# Of all that keeps data from being read. The sentences are those that clients know from the registry, double space and
# colon included; r reads what w wrote.
_DESCRIPTIONS = {
    Kind.PACKAGE_CHANGED: "The package at '{p}' in the {r} schema does not match the package in the {w} schema",
    Kind.MESSAGE_REMOVED: "The {r} schema is missing a MESSAGE type at path '{p}' in the {w} schema",
    Kind.FIELD_KIND_CHANGED: "The type of a field at path '{p}' in the {r} schema does not match the {w} schema",
    Kind.FIELD_SCALAR_KIND_CHANGED: (
        "The kind of a SCALAR field at path '{p}' in the {r} schema does not match its kind in the {w} schema"
    ),
    Kind.FIELD_NAMED_TYPE_CHANGED: (
        "The type of a MESSAGE field at path '{p}' in the {r} schema does not match its type in the {w} schema"
    ),
    Kind.FIELD_NUMERIC_LABEL_CHANGED: (
        "The label for a NUMERIC field at path '{p}' in the {r} schema does not match its label in the {w} schema"
    ),
    Kind.REQUIRED_FIELD_ADDED: "A required field  at path '{p}' in the {r} schema is missing in the {w} schema",
    Kind.REQUIRED_FIELD_REMOVED: "The {r} schema is missing a required field at path: '{p}' in the {w} schema",
    Kind.ONEOF_FIELD_REMOVED: "The {r} schema is missing a oneof field at path '{p}' in the {w} schema",
    Kind.MULTIPLE_FIELDS_MOVED_TO_ONEOF: (
        "Multiple fields in the oneof at path '{p}' in the {r} schema are outside a oneof in the {w} schema"
    ),
    Kind.FIELD_MOVED_TO_EXISTING_ONEOF: (
        "A field in the oneof at path '{p}' in the {r} schema is outside an existing oneof in the {w} schema"
    ),
}


@dataclass(frozen=True, slots=True)
class Difference:
    kind: Kind
    path: str  # "#/Message/Nested/3": names, and at the end the number of a field or constant

    @property
    def is_compatible(self) -> bool:
        return self.kind not in _DESCRIPTIONS

    def text(self, reader: str, writer: str) -> str:
        """`reader` and `writer`: which of the two schemas is called "new", and which "old"."""
        description = _DESCRIPTIONS.get(self.kind, "").format(p=self.path, r=reader, w=writer)
        return f'{{errorType:"{self.kind.name}", description:"{description}"}}'

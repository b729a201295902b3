"""What is wrong with a schema, or with a change of one, for the tables that are made of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

FINDINGS_MAX = 200  # of one check: a schema of many thousand columns may break in each


class Mode(Enum):
    """Whose tables. Iceberg's of format version 2: nobody tells the registry of another."""

    FLINK = "FLINK"
    ICEBERG_V2 = "ICEBERG_V2"


class Rule(Enum):
    """The value is what the finding tells."""

    # About one schema.
    EMPTY_STRUCT = "a struct without any field cannot be a type of Iceberg"
    FIELD_NAME_CASE_COLLISION = "two names differ by upper and lower case only, which Iceberg does not tell apart"
    CYCLIC_TYPE = "the type contains itself, and no table has such a type"
    UNRESOLVED_TYPE_REF = "the type is named but nowhere defined"
    PRECISION_OUT_OF_RANGE = "the precision of a decimal is not one of 1 to 38"
    SCALE_OUT_OF_RANGE = "the scale of a decimal is below 0 or above its precision"
    LENGTH_OUT_OF_RANGE = "the length is too small for its type"
    UNREPRESENTABLE_TYPE = "the type cannot be held by a table"
    # About a change.
    REQUIRED_FIELD_ADDED = "the reader needs a field that the writer does not have, and nothing stands in for it"
    FIELD_DELETED = "the reader lacks a field that the writer has"
    ENUM_DELETED = "the reader lacks symbols that the writer has"
    NULLABLE_TO_NON_NULLABLE = "the writer may write null where the reader takes none"
    NON_NULLABLE_DEFAULT_REMOVED = "the reader has no default any more for a field that the writer may leave out"
    MAP_KEY_TYPE_MISMATCH = "the keys of a map have another type"
    TYPE_MISMATCH = "the types are of different kinds"
    UNSUPPORTED_TYPE_CHANGE = "the reader's type does not hold all values of the writer's, or not as the same values"


@dataclass(frozen=True, slots=True)
class Finding:
    """`path`: names with dots between, `[]` an element, `{}` a map's value, `{key}` its key."""

    mode: Mode
    rule: Rule
    path: str
    detail: str = ""


def finding_texts(findings: Iterable[Finding]) -> list[str]:
    """One text a rule and a place, however many modes found it, in the form of the registry's other differences."""
    merged: dict[tuple[Rule, str], list[Finding]] = {}
    for finding in findings:
        merged.setdefault((finding.rule, finding.path), []).append(finding)
    return [_text(same) for same in list(merged.values())[:FINDINGS_MAX]]


def _text(same: list[Finding]) -> str:
    first = same[0]
    modes = ", ".join(f'"{mode}"' for mode in dict.fromkeys(finding.mode.value for finding in same))
    description = f"{first.rule.value}: {first.detail}" if first.detail else first.rule.value
    return (
        f'{{errorType:"{first.rule.name}", category:[{modes}], '
        f'description:"{description}", additionalInfo:"{first.path}"}}'
    )


def joined(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name

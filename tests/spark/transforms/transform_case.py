"""One case of a transform: its config, the type of the key or value, and rows. `case_answers.py` has Spark run them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

TIMESTAMP = "2024-02-29T13:14:15.678Z"


@dataclass(frozen=True)
class Case:
    name: str
    type: str
    config: Mapping[str, str]
    schema: Any
    rows: Sequence[Mapping[str, Any]]
    schemaless: bool = False
    part: str = "value"
    of_source: bool = False
    predicate: Mapping[str, Any] | None = None
    only_fails: bool = field(default=False)
    """Both must fail; what they say of it differs, and our own words are better."""

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def case(name: str, type: str, config: Mapping[str, str], schema: Any, *values: Any, **options: Any) -> Case:
    """Rows are values, or `row(...)` where more than the value matters."""
    rows = [each if isinstance(each, Row) else row(each) for each in values]
    part = "key" if type.endswith("$Key") else "value"
    return Case(f"{type}: {name}", type, config, schema, rows, part=part, **options)


class Row(dict[str, Any]):
    """A row with all that a record has."""


def row(
    value: Any,
    topic: str = "orders",
    partition: int | None = 3,
    timestamp: str | None = TIMESTAMP,
    headers: Sequence[tuple[str, str]] = (),
) -> Row:
    return Row(value=value, topic=topic, partition=partition, timestamp=timestamp, headers=[list(h) for h in headers])


def struct(*fields: tuple[str, Any], **schema: Any) -> dict[str, Any]:
    return {"struct": [list(each) for each in fields], **schema}

"""A test case as a value: statements, what goes into topics, and what has to come out, or be refused.

Keys and values are in the form that ksqlDB's own cases have: JSON for formats that have fields, text for DELIMITED, a
scalar for KAFKA (`formats/record_json.py`). Numbers with a point are texts, so that nothing of them is lost.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


class CaseError(Exception):
    """A file or a case that is not in the form; one sentence."""


@dataclass(frozen=True, slots=True)
class CaseWindow:
    start: int
    end: int | None
    type: str


@dataclass(frozen=True, slots=True)
class CaseRecord:
    """What a case does not say about a record that comes out is not compared: time, window, headers."""

    topic: str
    key: Any
    value: Any
    timestamp: int | None = None
    window: CaseWindow | None = None
    headers: tuple[tuple[str, bytes | None], ...] | None = None


@dataclass(frozen=True, slots=True)
class CaseTopic:
    """Schemas are texts as the registry takes them; formats are None where the case does not say."""

    name: str
    partitions: int = 1
    key_format: str | None = None
    value_format: str | None = None
    key_schema: str | None = None
    value_schema: str | None = None
    key_schema_id: int | None = None
    value_schema_id: int | None = None


@dataclass(frozen=True, slots=True)
class ExpectedError:
    """`message` is None where any refusal will do."""

    message: str | None = None


@dataclass(frozen=True, slots=True)
class Case:
    """`problem` says why it cannot be run at all: it was not in the form."""

    name: str
    statements: tuple[str, ...]
    file: str = ""
    properties: Mapping[str, str] = field(default_factory=dict)
    topics: tuple[CaseTopic, ...] = ()
    inputs: tuple[CaseRecord, ...] = ()
    outputs: tuple[CaseRecord, ...] = ()
    expected: ExpectedError | None = None
    problem: str | None = None

"""CASE: the branches have one type, without conversions; NULL fits any."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.expressions.compiled import Compiled
from riacho.pipelines.sql.expressions.failure import guarded
from riacho.pipelines.sql.types import BOOLEAN, SqlType


@dataclass(frozen=True, slots=True)
class Branch:
    """`source` is WHEN ... THEN ... as it was written."""

    condition: Compiled
    result: Compiled
    source: str


def case(branches: Sequence[Branch], default: Compiled | None) -> Compiled:
    kind = _type(branches, default)
    branches = [replace(branch, condition=guarded(branch.condition)) for branch in branches]
    whens = " ".join(f"WHEN {branch.condition.text} THEN {branch.result.text}" for branch in branches)
    otherwise = f" ELSE {default.text}" if default is not None else ""
    certain = default is not None and not default.nullable and not any(branch.result.nullable for branch in branches)
    failure = _failure(branches, default)
    text = f"(CASE {whens}{otherwise} END)"
    return Compiled(text, kind, nullable=not certain, failure=failure, shows_failure=not failure)


def _failure(branches: Sequence[Branch], default: Compiled | None) -> str:
    """Conditions are computed in order until one holds, and its result only then."""
    parts: list[str] = []
    for branch in branches:
        if branch.condition.nullable:
            parts.append(f"WHEN {branch.condition.text} IS NULL THEN true")
        parts.append(f"WHEN {branch.condition.text} THEN {branch.result.failure or 'false'}")
    otherwise = default.failure if default is not None else ""
    if not otherwise and not any(part for part in parts if not part.endswith(" THEN false")):
        return ""
    return f"(CASE {' '.join(parts)} ELSE {otherwise or 'false'} END)"


def _type(branches: Sequence[Branch], default: Compiled | None) -> SqlType:
    known: SqlType | None = None
    for branch in branches:
        if branch.condition.type != BOOLEAN:
            shown = "null" if branch.condition.type is None else branch.condition.type
            raise KsqlError(f"WHEN operand type should be boolean.\nType for '{branch.condition.source}' is {shown}")
        kind = branch.result.type
        if known is not None and kind is not None and kind != known:
            raise KsqlError(
                "Invalid Case expression. Type for all 'THEN' clauses should be the same.\n"
                f"THEN expression '{branch.source}' has type: {kind}.\nPrevious THEN expression(s) type: {known}."
            )
        known = known if known is not None else kind
    fallback = default.type if default is not None else None
    if known is not None and fallback is not None and known != fallback:
        raise KsqlError(
            "Invalid Case expression. Type for the default clause should be the same as for 'THEN' clauses.\n"
            f"THEN type: {known}.\nDEFAULT type: {fallback}."
        )
    kind = known if known is not None else fallback
    if kind is None:
        raise KsqlError("Invalid Case expression. All case branches have a NULL type")
    return kind

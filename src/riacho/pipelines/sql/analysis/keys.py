"""The key of a result: which columns of a select list it is made of, and what they are called there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from riacho.pipelines.sql.analysis.analysed import Rekeying
from riacho.pipelines.sql.analysis.select_list import Selected
from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.expressions.wording import wording
from riacho.pipelines.sql.syntax.expressions import Column, Expression
from riacho.pipelines.sql.types import SqlType, quoted

_WORDS = {
    Rekeying.NONE: "key column",
    Rekeying.PARTITION_BY: "partitioning expression",
    Rekeying.GROUP_BY: "grouping expression",
}


def key_names(
    keys: Sequence[Expression], selected: Sequence[Selected], rekeying: Rekeying, sink: str | None
) -> list[str | None]:
    """For each key its name in the select list; None where it is not there, which only a query without a sink may."""
    names: list[str | None] = []
    missing: list[Expression] = []
    for key in keys:
        found = [each.name for each in selected if each.expression == key]
        if not found:
            missing.append(key)
        if len(found) > 1 and sink is not None:
            _refuse_copies(key, found)
        names.append(found[0] if found else None)
    if missing and sink is not None:
        _refuse_missing(keys, rekeying, sink)
    return names


def _refuse_copies(key: Expression, names: Sequence[str]) -> None:
    aliases = joined(names)
    column = quoted(key.name) if isinstance(key, Column) else wording(key)
    raise KsqlError(
        f"The projection contains a key column ({column}) more than once, aliased as: {aliases}.\n"
        "Each key column must only be in the projection once. If you intended to copy the key into the value, then "
        "consider using the AS_VALUE function to indicate which key reference should be copied."
    )


def _refuse_missing(keys: Sequence[Expression], rekeying: Rekeying, sink: str) -> None:
    several = len(keys) > 1
    texts = [wording(key) for key in keys]
    raise KsqlError(
        f"Key{'s' if several else ''} missing from projection (ie, SELECT). See https://cnfl.io/2LV7ouS.\n"
        f"The query used to build {quoted(sink)} must include the {_WORDS[rekeying]}{'s' if several else ''} "
        f"{joined(texts)} in its projection (eg, SELECT {', '.join(texts)}...)."
    )


def joined(texts: Sequence[str]) -> str:
    if len(texts) < 2:
        return "".join(texts)
    return ", ".join(texts[:-1]) + " and " + texts[-1]


class _Typed(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def type(self) -> SqlType: ...


def refuse_repeated_names(columns: Sequence[_Typed]) -> None:
    seen: set[str] = set()
    for each in columns:
        if each.name in seen:
            raise KsqlError(f"Duplicate value columns found in schema: {quoted(each.name)} {each.type}")
        seen.add(each.name)

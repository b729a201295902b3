"""A task's settings: a value that travels as JSON, and that state may keep."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class AggregateSpec:
    """`arguments` are the names of its columns in the task's rows, `types` their SQL types as text, `result_type` its
    own. `settings` are literal arguments that are not columns (TOPK's k, LATEST_BY_OFFSET's n and ignore-nulls flag),
    as JSON values. The result is the field `name` of the task's result rows."""

    name: str
    function: str
    arguments: tuple[str, ...]
    types: tuple[str, ...]
    result_type: str
    settings: tuple[object, ...] = ()


@dataclass(frozen=True, slots=True)
class WindowSpec:
    """`kind` is TUMBLING, HOPPING or SESSION; `size_ms` is a session's gap."""

    kind: str
    size_ms: int
    advance_ms: int
    grace_ms: int
    retention_ms: int


@dataclass(frozen=True, slots=True)
class TaskSpec:
    """`kind` is materialise, aggregate, window or session. `carried` are columns of the row that a result keeps as they
    were in the group's last row (columns of the GROUP BY that the select list names besides aggregates)."""

    kind: str
    aggregates: tuple[AggregateSpec, ...] = ()
    carried: tuple[str, ...] = ()
    window: WindowSpec | None = None
    emit_final: bool = False
    emit_every_change: bool = False
    """False: of several changes of a key in one micro-batch only the last is emitted (with the first one's old)."""
    is_over_table: bool = False
    """Rows may carry `undo`."""

"""SELECT as text: a clause a line, and a line for each column where there are several."""

from __future__ import annotations

from collections.abc import Iterator

from riacho.pipelines.sql.printing.expressions import expression_text
from riacho.pipelines.sql.printing.names import identifier_text
from riacho.pipelines.sql.syntax.expressions import Expression
from riacho.pipelines.sql.syntax.statements import (
    Duration,
    Emit,
    Join,
    Query,
    Relation,
    SelectPart,
    SelectStar,
    Window,
    WindowKind,
    Within,
)


def query_text(query: Query) -> str:
    return "\n".join(_lines(query))


def duration_text(duration: Duration) -> str:
    return f"{duration.amount} {duration.unit}"


def _lines(query: Query) -> Iterator[str]:
    parts = [_select_part(part) for part in query.select]
    yield f"SELECT {parts[0]}" if len(parts) == 1 else "SELECT\n  " + ",\n  ".join(parts)
    yield f"FROM {_relation(query.source)}"
    for join in query.joins:
        yield _join(join)
    if query.window is not None:
        yield f"WINDOW {window_text(query.window)}"
    if query.where is not None:
        yield f"WHERE {expression_text(query.where)}"
    if query.group_by:
        yield f"GROUP BY {_listed(query.group_by)}"
    if query.partition_by:
        yield f"PARTITION BY {_listed(query.partition_by)}"
    if query.having is not None:
        yield f"HAVING {expression_text(query.having)}"
    if query.order_by:
        orderings = (f"{expression_text(each.expression)}{' DESC' * each.is_descending}" for each in query.order_by)
        yield f"ORDER BY {', '.join(orderings)}"
    if query.emit is not Emit.NONE:
        yield f"EMIT {query.emit.value}"
    if query.limit is not None:
        yield f"LIMIT {query.limit}"


def window_text(window: Window) -> str:
    size = duration_text(window.size)
    parts = [size if window.kind is WindowKind.SESSION else f"SIZE {size}"]
    if window.advance is not None:
        parts.append(f"ADVANCE BY {duration_text(window.advance)}")
    if window.retention is not None:
        parts.append(f"RETENTION {duration_text(window.retention)}")
    if window.grace is not None:
        parts.append(f"GRACE PERIOD {duration_text(window.grace)}")
    return f"{window.kind.value} ({', '.join(parts)})"


def _listed(expressions: tuple[Expression, ...]) -> str:
    return ", ".join(map(expression_text, expressions))


def _select_part(part: SelectPart) -> str:
    if isinstance(part, SelectStar):
        return "*" if part.source is None else f"{identifier_text(part.source)}.*"
    text = expression_text(part.expression)
    return text if part.alias is None else f"{text} AS {identifier_text(part.alias)}"


def _relation(relation: Relation) -> str:
    name = identifier_text(relation.name)
    return name if relation.alias is None else f"{name} {identifier_text(relation.alias)}"


def _join(join: Join) -> str:
    within = "" if join.within is None else f" {_within(join.within)}"
    return f"{join.kind.value} JOIN {_relation(join.right)}{within} ON {expression_text(join.on)}"


def _within(within: Within) -> str:
    if within.before == within.after:
        text = f"WITHIN {duration_text(within.before)}"
    else:
        text = f"WITHIN ({duration_text(within.before)}, {duration_text(within.after)})"
    return text if within.grace is None else f"{text} GRACE PERIOD {duration_text(within.grace)}"

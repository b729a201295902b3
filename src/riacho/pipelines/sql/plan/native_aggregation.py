"""Spark's own aggregation instead of a task: where the results are provably the same, and by which aggregates.

A task adds rows one by one, in their order, and tells what a group was before. Spark adds them in any order, keeps a
state of its own, and tells what a group is after a micro-batch. These are the same where

- groups are for ever: without a window there is no stream time, and nothing is late;
- rows are only added: over a stream nothing is taken back;
- nobody asks what was before: HAVING does, for its tombstones;
- of several changes of a key in a micro-batch the last one is enough: a cache is allowed;
- every aggregate is exact in whatever order and parts rows come, and has Spark's equal. Counts do. Integers are added
  modulo 2^32 or 2^64, in Java as in Spark without ANSI. Least and greatest are well defined where Spark compares values
  as Java does: integers, times (which are integers here) and decimals. Not texts, which Java compares by UTF-16 units
  and Spark by bytes; nor BYTES, signed in Java; nor doubles, of which Spark takes -0.0 for 0.0; and a sum of doubles
  depends on its order. A sum of decimals that does not fit stops a statement, and is null in Spark.

Groups are the same in both: the text of the group's key tells one from another, so no rule about keys is needed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from riacho.pipelines.sql.type_text import type_from_text
from riacho.pipelines.sql.types import DECIMAL_DIGITS_MAX, Decimal
from riacho.pipelines.tasks.spec import AggregateSpec, TaskSpec

_WHOLE = {"INTEGER": "INT", "BIGINT": "BIGINT"}
_COMPARED_AS_IN_JAVA = frozenset({*_WHOLE, "TIME", "DATE", "TIMESTAMP"})


def why_a_task(spec: TaskSpec, *, has_having: bool = False) -> str | None:
    """What forbids Spark's own aggregation, in a few words; None where it gives what the task would."""
    if spec.kind != "aggregate":
        return "groups have windows" if spec.kind in ("window", "session") else "it is no aggregation"
    if spec.is_over_table:
        return "rows of a table are taken back"
    if spec.emit_every_change:
        return "every change is emitted, as there is no cache"
    if has_having:
        return "HAVING asks what was before"
    if spec.carried:
        return "columns of the last row are kept"
    refused = next((each for each in spec.aggregates if not _is_same_in_spark(each)), None)
    if refused is None:
        return None
    kind = f" of {refused.types[0]}" if refused.types and refused.function in ("AVG", "MAX", "MIN", "SUM") else ""
    return f"{refused.function}{kind} is not the same in Spark"


def _is_same_in_spark(aggregate: AggregateSpec) -> bool:
    if aggregate.settings:
        return False
    match aggregate.function, aggregate.types:
        case "COUNT", () | (_,):
            return True
        case "SUM", (kind,):
            return kind in _WHOLE and aggregate.result_type == kind
        case "AVG", (kind,):
            return kind in _WHOLE and aggregate.result_type == "DOUBLE"
        case "MIN" | "MAX", (kind,):
            return aggregate.result_type == kind and (kind in _COMPARED_AS_IN_JAVA or _is_spark_decimal(kind))
        case _:
            return False


def _is_spark_decimal(type_text: str) -> bool:
    if not type_text.startswith("DECIMAL"):
        return False
    kind = type_from_text(type_text)
    return isinstance(kind, Decimal) and kind.precision <= DECIMAL_DIGITS_MAX


def native_columns(aggregates: Sequence[AggregateSpec], columns: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """What Spark keeps for a group, as names and its aggregates; `columns` are arguments' names in the frame. The texts
    are what a checkpoint's state was made with: those of a plan that is kept do not change."""
    found = []
    for at, each in enumerate(aggregates):
        value = columns[each.arguments[0]] if each.arguments else "1"
        match each.function:
            case "COUNT":
                found.append((f"n{at}", f"count({value})"))
            case "AVG":
                found += [(f"s{at}", f"sum({value})"), (f"n{at}", f"count({value})")]
            case "SUM":
                found.append((f"s{at}", f"sum({value})"))
            case function:
                found.append((f"x{at}", f"{function.lower()}({value})"))
    return (*found, ("ts", "max(ts)"))


def native_result(aggregate: AggregateSpec, at: int) -> str:
    """The result of the aggregate at this place, over `native_columns`."""
    match aggregate.function:
        case "COUNT":
            return f"n{at}"
        case "SUM":
            return _sum(aggregate, at)
        case "AVG":
            return f"IF(n{at} = 0, 0D, CAST({_sum(aggregate, at)} AS DOUBLE) / CAST(n{at} AS DOUBLE))"
        case _:
            return f"x{at}"


def _sum(aggregate: AggregateSpec, at: int) -> str:
    """Spark adds integers as BIGINT; the lower half of that is the sum modulo 2^32. Nothing but nulls come to 0."""
    return f"CAST(coalesce(s{at}, 0L) AS {_WHOLE[aggregate.types[0]]})"

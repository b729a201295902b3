"""Persistent queries as the catalogue knows them: who reads what and writes where, and whether they run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from riacho.pipelines.sql.plan.steps import StatementPlan


class QueryType(Enum):
    """By what statement a query came; its value begins the query's id."""

    CREATE_STREAM_AS = "CSAS"
    CREATE_TABLE_AS = "CTAS"
    INSERT = "INSERTQUERY"
    SOURCE_TABLE = "CST"


class QueryState(Enum):
    RUNNING = "RUNNING"
    PAUSED = "PAUSED"


@dataclass(frozen=True, slots=True)
class PersistentQuery:
    """`reads` are the names of its sources, `sink` the name of what it writes. `state` is what was asked for: whether a
    query has failed is the runner's to say."""

    query_id: str
    type: QueryType
    text: str
    sink: str
    reads: tuple[str, ...]
    plan: StatementPlan
    state: QueryState = QueryState.RUNNING
    properties: Mapping[str, str] = field(default_factory=dict)


def query_id(kind: QueryType, sink: str, number: int) -> str:
    """As ksqlDB makes them: `number` is the offset of the statement's command."""
    if kind is QueryType.INSERT:
        return f"{kind.value}_{number}"
    return f"{kind.value}_{sink}_{number}"

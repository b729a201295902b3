"""What a KSQL server of Riacho tells of a query beside what every such server does. None of it is
sure to be there.
"""

from __future__ import annotations

from typing import NamedTuple

from riacho.console.services.ksql import Query
from riacho.console.services.links import link_address


class QueryFigures(NamedTuple):
    state_rows: int | None
    state_bytes: int | None
    spark_ui: str | None


def figures_of(query: Query) -> QueryFigures:
    told = query.statistics
    return QueryFigures(
        _count(told.get("stateRows")), _count(told.get("stateBytes")), link_address(told.get("sparkUi"))
    )


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None

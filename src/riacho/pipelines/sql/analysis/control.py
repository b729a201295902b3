"""TERMINATE, PAUSE and RESUME of persistent queries."""

from __future__ import annotations

from riacho.pipelines.sql.analysis.outcomes import CatalogueOutcome
from riacho.pipelines.sql.catalogue.catalogue import Catalogue
from riacho.pipelines.sql.catalogue.changes import QueryStateSet, QueryTerminated
from riacho.pipelines.sql.catalogue.queries import QueryState, QueryType
from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.syntax.statements import Pause, Resume, Terminate


def analyse_terminate(statement: Terminate, catalogue: Catalogue) -> CatalogueOutcome:
    found = _queries(statement.query_id, catalogue, "terminate")
    for each in found:
        if catalogue.queries[each].type is QueryType.SOURCE_TABLE:
            raise KsqlError(f"Cannot terminate query '{each}' as it is linked to a source table.")
    return CatalogueOutcome(found, changes=tuple(QueryTerminated(each) for each in found), message="Query terminated.")


def analyse_pause(statement: Pause | Resume, catalogue: Catalogue) -> CatalogueOutcome:
    is_pause = isinstance(statement, Pause)
    found = _queries(statement.query_id, catalogue, "pause" if is_pause else "resume")
    state = QueryState.PAUSED if is_pause else QueryState.RUNNING
    return CatalogueOutcome(
        found,
        changes=tuple(QueryStateSet(each, state) for each in found),
        message=f"Query {'paused' if is_pause else 'resumed'}.",
    )


def _queries(query_id: str | None, catalogue: Catalogue, verb: str) -> tuple[str, ...]:
    """ALL of them where there is no id. Ids are found whatever case they are written in."""
    if query_id is None:
        return tuple(catalogue.queries)
    for known in catalogue.queries:
        if known.upper() == query_id.upper():
            return (known,)
    raise KsqlError(f"Unknown queryId: {query_id}")

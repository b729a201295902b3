"""What a query's clauses do to the key of its source, and which of them go together."""

from __future__ import annotations

from riacho.pipelines.sql.analysis.analysed import Rekeying
from riacho.pipelines.sql.analysis.names import Names
from riacho.pipelines.sql.catalogue.sources import DataSource
from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.expressions.wording import wording
from riacho.pipelines.sql.syntax.expressions import Column
from riacho.pipelines.sql.syntax.statements import Emit, Kind, Query


def rekeying_of(query: Query, names: Names) -> Rekeying:
    if query.order_by:
        raise KsqlError("ORDER BY is only supported by pull queries.")
    if query.window is not None and not query.group_by:
        raise KsqlError("WINDOW clause requires a GROUP BY clause.")
    if query.emit is Emit.FINAL and query.window is None:
        raise KsqlError("EMIT FINAL is only supported for windowed aggregations.")
    if query.group_by and query.partition_by:
        raise KsqlError("Only one of PARTITION BY and GROUP BY can be used in a query.")
    if query.group_by:
        _refuse_grouping(query, names.sources[0].source)
        return Rekeying.GROUP_BY
    return _partitioning(query, names) if query.partition_by else Rekeying.NONE


def _refuse_grouping(query: Query, source: DataSource) -> None:
    if source.kind is Kind.TABLE and query.window is not None:
        raise KsqlError("Windowing not supported for table aggregations.")
    if source.value_format.name == "KAFKA":
        raise KsqlError(
            f"Source(s) {source.name} are using the 'KAFKA' value format. This format does not yet support GROUP BY."
        )


def _partitioning(query: Query, names: Names) -> Rekeying:
    """By the key that is there already nothing changes; by another one a table cannot be, nor a windowed stream."""
    source = names.sources[0].source
    given = [names.resolve(each, "PARTITION BY") for each in query.partition_by]
    if given == [Column(column.name) for column in source.schema.key]:
        return Rekeying.NONE
    if source.kind is Kind.TABLE:
        keys = ", ".join(column.name for column in source.schema.key)
        raise KsqlError(
            "Cannot repartition a TABLE source. If this is a join, make sure that the criteria uses the TABLE's key "
            f"column {keys} instead of {', '.join(map(wording, given))}"
        )
    if source.window is not None:
        raise KsqlError(
            "Implicit repartitioning of windowed sources is not supported. "
            "See https://github.com/confluentinc/ksql/issues/4385."
        )
    return Rekeying.PARTITION_BY

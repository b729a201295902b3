"""ALTER STREAM | TABLE ... ADD COLUMN."""

from __future__ import annotations

from dataclasses import replace

from riacho.pipelines.sql.analysis.create_source import check_formats
from riacho.pipelines.sql.analysis.outcomes import SourceOutcome
from riacho.pipelines.sql.analysis.source_columns import defined_columns
from riacho.pipelines.sql.catalogue.catalogue import Catalogue
from riacho.pipelines.sql.catalogue.changes import SourceDefined
from riacho.pipelines.sql.catalogue.sources import LogicalSchema
from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.syntax.statements import AlterSource
from riacho.pipelines.sql.types import quoted


def analyse_alter(statement: AlterSource, catalogue: Catalogue) -> SourceOutcome:
    source = catalogue.find(statement.name)
    kind = statement.kind.value
    if source is None:
        raise KsqlError(f"Source {statement.name} does not exist.")
    if source.kind is not statement.kind:
        raise KsqlError(f"Incompatible data source type is {source.kind.value}, but statement was ALTER {kind}")
    if source.is_created_as:
        raise KsqlError("ALTER command is not supported for CREATE ... AS statements.")
    if source.is_source:
        raise KsqlError(
            f"Cannot alter {kind.lower()} '{source.name}': ALTER operations are not supported on source streams or "
            "tables."
        )
    added = defined_columns(statement.columns, statement.kind, catalogue.types)
    for column in added:
        if source.schema.find(column.name) is not None:
            raise KsqlError(
                f"Cannot add column {quoted(column.name)} to schema. A column with the same name already exists."
            )
    altered = replace(source, schema=LogicalSchema((*source.schema.columns, *added)))
    check_formats(
        altered.key_format, altered.value_format, altered.schema, wrap_asked=altered.value_format.wrap is not None
    )
    return SourceOutcome(
        altered, changes=(SourceDefined(altered),), message=f"{kind.capitalize()} {source.name} altered successfully."
    )

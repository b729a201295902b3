"""DROP STREAM | TABLE: who stands in the way, and what goes with it."""

from __future__ import annotations

from riacho.pipelines.sql.catalogue.catalogue import Catalogue
from riacho.pipelines.sql.catalogue.sources import DataSource
from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.syntax.statements import DropSource


def source_to_drop(statement: DropSource, catalogue: Catalogue) -> DataSource | None:
    """None where there is none and the statement does not mind."""
    source = catalogue.find(statement.name)
    if source is None:
        if statement.if_exists:
            return None
        raise KsqlError(f"{statement.kind.value.capitalize()} {statement.name} does not exist.")
    if source.kind is not statement.kind:
        raise KsqlError(
            f"Incompatible data source type is {source.kind.value}, but statement was DROP {statement.kind.value}"
        )
    _refuse_dependents(source.name, catalogue)
    if statement.delete_topic and source.is_source:
        raise KsqlError(f"Cannot delete topic for read-only source: {source.name}")
    return source


def _refuse_dependents(name: str, catalogue: Catalogue) -> None:
    """A source's own AS SELECT query ends with it; all other readers and writers have to be ended first."""
    derived = catalogue.derived_from(name)
    if derived:
        raise KsqlError(
            f"Cannot drop {name}.\nThe following streams and/or tables read from this source: [{', '.join(derived)}].\n"
            f"You need to drop them before dropping {name}."
        )
    own = catalogue.creating_query(name)
    readers = catalogue.readers(name)
    writers = tuple(each for each in catalogue.writers(name) if own is None or each != own.query_id)
    if readers or writers:
        raise KsqlError(
            f"Cannot drop {name}.\nThe following queries read from this source: [{', '.join(sorted(readers))}].\n"
            f"The following queries write into this source: [{', '.join(sorted(writers))}].\n"
            f"You need to terminate them before dropping {name}."
        )

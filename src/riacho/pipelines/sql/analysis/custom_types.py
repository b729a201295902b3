"""CREATE TYPE and DROP TYPE."""

from __future__ import annotations

from riacho.pipelines.sql.analysis.outcomes import CatalogueOutcome, NothingOutcome
from riacho.pipelines.sql.analysis.type_names import resolve_type
from riacho.pipelines.sql.catalogue.catalogue import Catalogue
from riacho.pipelines.sql.catalogue.changes import TypeDefined, TypeRemoved
from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.syntax.statements import CreateType, DropType


def analyse_create_type(statement: CreateType, catalogue: Catalogue) -> CatalogueOutcome | NothingOutcome:
    name = statement.name
    kind = resolve_type(statement.type, catalogue.types)
    known = catalogue.types.get(name)
    if known is not None:
        if statement.if_not_exists:
            return NothingOutcome(message=f"{name} is already registered with type {known}")
        raise KsqlError(f"Cannot register custom type '{name}' since it is already registered with type: {known}")
    return CatalogueOutcome(
        changes=(TypeDefined(name, kind),), message=f"Registered custom type with name '{name}' and SQL type {kind}"
    )


def analyse_drop_type(statement: DropType, catalogue: Catalogue) -> CatalogueOutcome | NothingOutcome:
    name = statement.name
    if name not in catalogue.types:
        if statement.if_exists:
            return NothingOutcome(message=f"Type '{name}' does not exist")
        raise KsqlError(f"Type {name} does not exist.")
    return CatalogueOutcome(changes=(TypeRemoved(name),), message=f"Dropped type '{name}'")

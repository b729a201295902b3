"""The one door to analysis: a parsed statement, the catalogue and settings in; an outcome that can be carried out.

    outcome = analyse(parsed, catalogue, settings, number=command_offset)
    catalogue = catalogue.apply_all(outcome.changes)

KsqlError where a statement cannot be taken, with its text in `statement`.
"""

from __future__ import annotations

from riacho.pipelines.sql.analysis import (
    alter_source,
    control,
    create_as_select,
    create_source,
    custom_types,
    insert_into,
    insert_values,
    pull,
    push,
)
from riacho.pipelines.sql.analysis.outcomes import DropOutcome, OtherOutcome, Outcome
from riacho.pipelines.sql.analysis.settings import Settings
from riacho.pipelines.sql.catalogue.catalogue import Catalogue
from riacho.pipelines.sql.catalogue.changes import Change, QueryTerminated, SourceRemoved
from riacho.pipelines.sql.catalogue.dropping import source_to_drop
from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.syntax import statements as syntax
from riacho.pipelines.sql.syntax.statements import Parsed


def analyse(parsed: Parsed, catalogue: Catalogue, settings: Settings | None = None, number: int = 0) -> Outcome:
    """`number` is the offset that the statement's command has or will have; query ids end with it."""
    try:
        return _analyse(parsed, catalogue, settings or Settings(), number)
    except KsqlError as error:
        if error.statement is None:
            error.statement = parsed.text
        raise
    except RecursionError:
        raise KsqlError("The statement is nested too deeply.", parsed.text) from None


def _analyse(parsed: Parsed, catalogue: Catalogue, settings: Settings, number: int) -> Outcome:
    statement, text = parsed.statement, parsed.text
    match statement:
        case syntax.CreateSource():
            return create_source.analyse_create_source(statement, text, catalogue, settings)
        case syntax.CreateAsSelect():
            return create_as_select.analyse_create_as_select(statement, text, catalogue, settings, number)
        case syntax.InsertInto():
            return insert_into.analyse_insert_into(statement, text, catalogue, settings, number)
        case syntax.InsertValues():
            return insert_values.analyse_insert_values(statement, catalogue, settings)
        case syntax.DeleteFrom():
            return insert_values.analyse_delete(statement, catalogue, settings)
        case syntax.DropSource():
            return _drop(statement, catalogue)
        case syntax.AlterSource():
            return alter_source.analyse_alter(statement, catalogue)
        case syntax.CreateType():
            return custom_types.analyse_create_type(statement, catalogue)
        case syntax.DropType():
            return custom_types.analyse_drop_type(statement, catalogue)
        case syntax.Terminate():
            return control.analyse_terminate(statement, catalogue)
        case syntax.Pause() | syntax.Resume():
            return control.analyse_pause(statement, catalogue)
        case syntax.Query():
            if statement.emit is syntax.Emit.NONE:
                return pull.analyse_pull(statement, catalogue, settings)
            return push.analyse_push(statement, text, catalogue, settings, number)
        case _:
            return OtherOutcome(statement)


def _drop(statement: syntax.DropSource, catalogue: Catalogue) -> DropOutcome:
    source = source_to_drop(statement, catalogue)
    if source is None:
        return DropOutcome(None, message=f"{statement.kind.value.capitalize()} {statement.name} does not exist.")
    own = catalogue.creating_query(source.name)
    terminated = (own.query_id,) if own is not None else ()
    changes: list[Change] = [QueryTerminated(each) for each in terminated]
    changes.append(SourceRemoved(source.name))
    return DropOutcome(
        source,
        statement.delete_topic,
        terminated,
        changes=tuple(changes),
        message=f"Source `{source.name}` (topic: {source.topic}) was dropped.",
    )

"""A request's statements, one after the other: what each comes to, and its answer.

A statement that fails ends the request; those before it are done, and the error tells their answers. SELECT and PRINT
are not for here: they have endpoints of their own, which stream.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from riacho.pipelines.sql.analysis.outcomes import (
    CatalogueOutcome,
    DropOutcome,
    NothingOutcome,
    OtherOutcome,
    Outcome,
    PullOutcome,
    PushOutcome,
    QueryOutcome,
    RowOutcome,
    SourceOutcome,
)
from riacho.pipelines.sql.analysis.statements import analyse
from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.formats.codecs import open_codec
from riacho.pipelines.sql.formats.registry_access import RegistryAccess
from riacho.pipelines.sql.parsing.parser import parse_one
from riacho.pipelines.sql.parsing.scanner import statements
from riacho.pipelines.sql.parsing.variables import substituted
from riacho.pipelines.sql.plan.codecs import key_codec, value_codec
from riacho.pipelines.sql.server.command_state import CommandState
from riacho.pipelines.sql.server.definitions import Definitions
from riacho.pipelines.sql.server.entities import Entity, entity
from riacho.pipelines.sql.server.errors import QUERY_ENDPOINT, statement_error
from riacho.pipelines.sql.server.inserting import Inserter
from riacho.pipelines.sql.server.session import Session
from riacho.pipelines.sql.server.stream_inserts import StreamInserts
from riacho.pipelines.sql.server.surroundings import Surroundings
from riacho.pipelines.sql.syntax import statements as syntax
from riacho.pipelines.sql.syntax.statements import Parsed

STATEMENTS_MAX = 1_000


class Questions(Protocol):
    """Statements that only ask (`questions.py`)."""

    async def answer(self, parsed: Parsed, session: Session) -> Entity | None: ...


@dataclass(slots=True)
class Executor:
    state: CommandState
    definitions: Definitions
    questions: Questions
    inserter: Inserter
    registry: RegistryAccess | None
    surroundings: Callable[[], Surroundings]
    properties: Mapping[str, str]
    """The server's own, under which a request's stand."""

    async def execute(self, text: str, session: Session) -> list[Entity]:
        """ApiError with the statement that failed, and the answers of those before it."""
        answers: list[Entity] = []
        for own in self._texts(text):
            try:
                answer = await self._execute(substituted(own, session.variables), session)
            except KsqlError as error:
                raise statement_error(error, own, answers) from None
            if answer is not None:
                answers.append(answer)
        return answers

    def analysed(self, text: str, session: Session) -> tuple[Parsed, Outcome]:
        """One statement; in a thread, as it may ask the registry and brokers. KsqlError."""
        parsed = parse_one(substituted(text, session.variables), require_terminator=False)
        settings = self.surroundings().settings(self._properties(session))
        return parsed, analyse(parsed, self.state.catalogue, settings, self.state.sequence)

    def stream_inserts(self, target: str) -> StreamInserts:
        """KsqlError where there is no such stream or table. Its name is as SQL has it: upper case unless quoted."""
        name = target[1:-1] if len(target) > 1 and target[0] == target[-1] == "`" else target.upper()
        source = self.state.catalogue.find(name)
        if source is None:
            raise KsqlError(f"Cannot insert values into an unknown stream/table: {name[:200]}")
        return StreamInserts(source, self.inserter, self.registry)

    def _texts(self, text: str) -> list[str]:
        try:
            found = [words.text for words in statements(text)]
        except KsqlError as error:
            raise statement_error(error, text) from None
        if not found:
            raise statement_error(KsqlError("No statements to execute."), text)
        if len(found) > STATEMENTS_MAX:
            raise statement_error(KsqlError(f"A request may have {STATEMENTS_MAX} statements, not {len(found)}."), "")
        return found

    async def _execute(self, text: str, session: Session) -> Entity | None:
        parsed = parse_one(text)
        properties = self._properties(session)
        surroundings = self.surroundings()
        outcome = await asyncio.to_thread(
            analyse, parsed, self.state.catalogue, surroundings.settings(properties), self.state.sequence
        )
        match outcome:
            case SourceOutcome() | QueryOutcome() | DropOutcome() | CatalogueOutcome() | NothingOutcome():
                return await self.definitions.define(parsed, outcome, surroundings, properties)
            case RowOutcome():
                await self._insert(outcome)
                return None
            case PushOutcome() | PullOutcome():
                raise _elsewhere("SELECT", parsed)
            case OtherOutcome():
                return await self._other(parsed, session)

    async def _insert(self, row: RowOutcome) -> None:
        source = row.source
        key = open_codec(key_codec(source, {}), self.registry)
        value = open_codec(value_codec(source, {}), self.registry)
        given_key = None if row.key is None else dict(row.key)
        given_value = None if row.value is None else dict(row.value)
        await self.inserter.insert(source.topic, (key, given_key), (value, given_value), row.timestamp_ms)

    async def _other(self, parsed: Parsed, session: Session) -> Entity | None:
        match parsed.statement:
            case syntax.SetProperty(name, value):
                session.set(name, value)
                return _done(parsed, f"Successfully changed local property '{name}' to '{value}'.")
            case syntax.UnsetProperty(name):
                session.unset(name)
                return _done(parsed, f"Successfully unset local property '{name}'.")
            case syntax.DefineVariable(name, value):
                session.variables.define(name, value)
                return None
            case syntax.UndefineVariable(name):
                session.variables.undefine(name)
                return None
            case syntax.PrintTopic():
                raise _elsewhere("PRINT", parsed)
            case syntax.RunScript():
                raise KsqlError("RUN SCRIPT is for the command line, which reads the file itself.")
            case syntax.AlterSystem():
                raise KsqlError(
                    "ALTER SYSTEM is not taken here: set it in the server's own settings and start it anew."
                )
            case _:
                return await self.questions.answer(parsed, session)

    def _properties(self, session: Session) -> dict[str, str]:
        return {**self.properties, **session.properties}


class WrongEndpoint(KsqlError):
    code = QUERY_ENDPOINT


def _elsewhere(what: str, parsed: Parsed) -> WrongEndpoint:
    return WrongEndpoint(
        f"The following statement types should be issued to the websocket endpoint '/query':\n\t* {what}", parsed.text
    )


def _done(parsed: Parsed, message: str) -> Entity:
    return entity("currentStatus", parsed.text, commandStatus={"status": "SUCCESS", "message": message})

"""A request's statements, one after the other: what each comes to, and its answer.

A statement that fails ends the request; those before it are done, and the error tells their answers. SELECT and PRINT
are not for here: they have endpoints of their own, which stream.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

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
from riacho.pipelines.sql.formats.registry_access import RegistryAccess
from riacho.pipelines.sql.parsing.parser import parse_one
from riacho.pipelines.sql.parsing.scanner import statements
from riacho.pipelines.sql.parsing.variables import substituted
from riacho.pipelines.sql.server.command_state import CommandState
from riacho.pipelines.sql.server.definitions import Definitions, Seen
from riacho.pipelines.sql.server.entities import Entity, entity
from riacho.pipelines.sql.server.errors import NOT_READY, QUERY_ENDPOINT, statement_error
from riacho.pipelines.sql.server.inserting import Inserter, encoded_row
from riacho.pipelines.sql.server.session import Session
from riacho.pipelines.sql.server.stream_inserts import StreamInserts
from riacho.pipelines.sql.server.surroundings import Surroundings
from riacho.pipelines.sql.syntax import statements as syntax
from riacho.pipelines.sql.syntax.statements import Parsed
from riacho.single_writer.errors import NotLeader

STATEMENTS_MAX = 1_000
# Statements that are parsed and analysed at a time, beside the loop that answers everybody: a text may be long.
_AT_A_TIME = 8
T = TypeVar("T")


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
    _threads: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(_AT_A_TIME, "ksql-analysis"))

    def warm(self) -> None:
        """The grammar's tables are made with the first statement, which takes a moment."""
        self._threads.submit(parse_one, "SHOW STREAMS;")

    def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def execute(self, text: str, session: Session) -> list[Entity]:
        """ApiError with the statement that failed, and the answers of those before it. NotLeader where nothing was done
        yet: another instance may carry out all of it."""
        answers: list[Entity] = []
        for number, own in enumerate(await self._in_thread(self._texts, text)):
            try:
                answer = await self._execute(own, session)
            except KsqlError as error:
                raise statement_error(error, own, answers) from None
            except NotLeader as error:
                if number == 0:
                    raise
                # Rows that were inserted once must not be inserted again.
                raise statement_error(
                    LeaderLost(f"{error} Statements before this one are done."), own, answers
                ) from None
            if answer is not None:
                answers.append(answer)
        return answers

    async def analysed(self, text: str, session: Session) -> tuple[Parsed, Outcome]:
        """One statement. KsqlError."""
        parsed, outcome, _ = await self._in_thread(self._analysed, text, session, False)
        return parsed, outcome

    def _analysed(self, text: str, session: Session, is_terminated: bool) -> tuple[Parsed, Outcome, Seen]:
        """In a thread: it takes a while where the text is long, and may ask the registry and brokers."""
        parsed = parse_one(substituted(text, session.variables), require_terminator=is_terminated)
        properties = self._properties(session)
        state = self.state
        seen = Seen(state.catalogue, state.sequence, self.surroundings(), properties, dict(session.properties))
        outcome = analyse(parsed, seen.catalogue, seen.surroundings.settings(properties), seen.sequence)
        return parsed, outcome, seen

    async def _in_thread(self, call: Callable[..., T], *arguments: Any) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._threads, call, *arguments)

    async def terminate(self, topics: Sequence[str]) -> None:
        """All queries; and of the topics that they write those that are named, or begin as `name.*` says. KsqlError."""
        written = {query.plan.write.topic for query in self.state.catalogue.queries.values()}
        await self._execute("TERMINATE ALL;", Session())
        prefixes = tuple(each.removesuffix(".*") for each in topics if each.endswith(".*"))
        doomed = [each for each in sorted(written) if each in topics or (prefixes and each.startswith(prefixes))]
        if doomed:
            await asyncio.to_thread(self.definitions.topics.delete, doomed)

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
        parsed, outcome, seen = await self._in_thread(self._analysed, text, session, True)
        match outcome:
            case SourceOutcome() | QueryOutcome() | DropOutcome() | CatalogueOutcome() | NothingOutcome():
                return await self.definitions.define(parsed, outcome, seen)
            case RowOutcome():
                await self._insert(outcome)
                return None
            case PushOutcome() | PullOutcome():
                raise _elsewhere("SELECT", parsed)
            case OtherOutcome():
                return await self._other(parsed, session)

    async def _insert(self, row: RowOutcome) -> None:
        key, value = await self._in_thread(encoded_row, row.source, row.key, row.value, self.registry)
        await self.inserter.insert(row.source.topic, key, value, row.timestamp_ms)

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


class LeaderLost(KsqlError):
    code = NOT_READY


def _elsewhere(what: str, parsed: Parsed) -> WrongEndpoint:
    return WrongEndpoint(
        f"The following statement types should be issued to the websocket endpoint '/query':\n\t* {what}", parsed.text
    )


def _done(parsed: Parsed, message: str) -> Entity:
    return entity("currentStatus", parsed.text, commandStatus={"status": "SUCCESS", "message": message})

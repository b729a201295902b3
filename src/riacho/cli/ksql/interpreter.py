"""What is done with a text: commands here, statements one by one at the server, rows as they come."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from riacho.cli.ksql.commands import CommandError, find_command
from riacho.cli.ksql.entities import entity_text
from riacho.cli.ksql.local_statements import run_locally
from riacho.cli.ksql.server import Entity, Header, ServerError
from riacho.cli.ksql.session import Output, Session
from riacho.cli.ksql.tables import RowTable
from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.parsing.scanner import Words, statements
from riacho.pipelines.sql.parsing.variables import substituted
from riacho.pipelines.sql.syntax.statements import RunScript

_FINAL = ("SUCCESS", "ERROR", "TERMINATED")
_STATUS_WAIT_S = 30.0
_STATUS_EACH_S = 0.2
_SCRIPTS_DEEP_MAX = 10


class Interpreter:
    def __init__(self, session: Session) -> None:
        self._session = session
        self._scripts_deep = 0

    def run(self, text: str) -> bool:
        """All of a text, up to the first that fails, which is told; False then. Raises `commands.Exit`."""
        session = self._session
        try:
            found = find_command(text)
            if found is not None:
                command, argument = found
                command.run(session, argument)
            else:
                for words in statements(text):
                    self._statement(words)
        except (CommandError, KsqlError) as error:
            session.console.error(str(error))
        except ServerError as error:
            self._show(error.entities)
            session.console.error(_told(error))
        except BrokenPipeError:
            # Nobody reads the rows any more: no failure of a statement.
            raise
        except OSError as error:
            session.console.error(f"{error.strerror or error}{f': {error.filename}' if error.filename else ''}.")
        else:
            return True
        return False

    def run_file(self, path: Path) -> bool:
        """A script; its commands stand in lines of their own."""
        try:
            text = path.expanduser().read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or "it is no text"
            self._session.console.error(f"{path} cannot be read: {reason}.")
            return False
        return all(self.run(part) for part in script_parts(text))

    def _statement(self, words: Words) -> None:
        if not words.tokens:
            return
        session = self._session
        command = find_command(words.text)
        if command is not None:
            command[0].run(session, command[1])
            return
        text = substituted(words.text, session.variables)
        if not words.is_terminated:
            text += ";"
        first = words.tokens[0].upper()
        local = run_locally(session, text, [token.upper() for token in words.tokens[:2]])
        if isinstance(local, RunScript):
            self._script(local.path)
        elif local is not None:
            session.console.write(local)
        elif first == "SELECT":
            self._query(text)
        elif first == "PRINT":
            self._print(text)
        else:
            self._send(text)

    def _script(self, path: str) -> None:
        if self._scripts_deep == _SCRIPTS_DEEP_MAX:
            raise CommandError(f"Scripts run scripts {_SCRIPTS_DEEP_MAX} deep: {path} is not run.")
        self._scripts_deep += 1
        try:
            if not self.run_file(Path(path)):
                raise CommandError(f"The script {path} ended there.")
        finally:
            self._scripts_deep -= 1

    def _send(self, text: str) -> None:
        session = self._session
        sequence = None if session.is_pipelining else session.sequence
        entities = [self._settled(each) for each in session.server.statements(text, session.properties, sequence)]
        session.changes += 1
        for entity in entities:
            number = entity.get("commandSequenceNumber")
            if isinstance(number, int) and number >= 0:
                session.sequence = number
        self._show(entities)
        for entity in entities:
            status = entity.get("commandStatus") or {}
            if status.get("status") == "ERROR":
                raise ServerError(str(status.get("message", "The statement failed.")), statement=text)

    def _settled(self, entity: Entity) -> Entity:
        """A command's answer when it is done; what takes longer than that is shown as it is."""
        status = entity.get("commandStatus")
        command_id = entity.get("commandId")
        if self._session.is_pipelining or not isinstance(status, dict) or not isinstance(command_id, str):
            return entity
        until = time.monotonic() + _STATUS_WAIT_S
        while status.get("status") not in _FINAL and time.monotonic() < until:
            time.sleep(_STATUS_EACH_S)
            try:
                status = dict(self._session.server.status(command_id)) or status
            except ServerError:
                return entity
        return {**entity, "commandStatus": status}

    def _show(self, entities: list[Entity]) -> None:
        console = self._session.console
        if self._session.output is Output.JSON:
            if entities:
                console.write(json.dumps(entities, indent=2, ensure_ascii=False))
            return
        for entity in entities:
            if (entity.get("commandStatus") or {}).get("status") != "ERROR":
                console.write(entity_text(entity))

    def _query(self, text: str) -> None:
        session = self._session
        header: Header | None = None
        try:
            with session.server.query(text, session.properties) as (header, rows):
                last = self._rows(header, rows)
        except KeyboardInterrupt:
            # The connection is closed by now, which ends a query; this says it to servers that would not notice.
            if header is not None and header.query_id:
                session.server.close_query(header.query_id)
            last = None
        if session.output is Output.TABULAR:
            session.console.write("\n".join([*([last] if last else []), "Query terminated"]))

    def _rows(self, header: Header, rows: Iterator[list[Any] | str]) -> str | None:
        """Show rows until there are no more; the server's last word."""
        session, console = self._session, self._session.console
        is_table = session.output is Output.TABULAR
        table = RowTable(header.names, console.width)
        if is_table:
            console.write(table.head())
        else:
            console.write(json.dumps({"header": _json_header(header)}, ensure_ascii=False))
        until = None if session.query_timeout_s is None else time.monotonic() + session.query_timeout_s
        for count, row in enumerate(rows, start=1):
            if isinstance(row, str):
                return row
            console.write(table.row(row) if is_table else json.dumps({"row": {"columns": row}}, ensure_ascii=False))
            if count == session.row_limit:
                return "Limit Reached"
            if until is not None and time.monotonic() > until:
                return "Time limit reached"
        return None

    def _print(self, text: str) -> None:
        session = self._session
        try:
            with session.server.print_topic(text, session.properties) as lines:
                for count, line in enumerate(lines, start=1):
                    session.console.write(line)
                    if count == session.row_limit:
                        break
        except KeyboardInterrupt:
            session.console.write("Topic printing ceased")
        else:
            session.console.write("Topic printing ceased")


def script_parts(text: str) -> Iterator[str]:
    """A script in what `run` takes: commands by line, statements between them."""
    gathered: list[str] = []
    for line in text.splitlines(keepends=True):
        if not "".join(gathered).strip() and find_command(line) is not None:
            yield line
            gathered = []
            continue
        gathered.append(line)
        if line.rstrip().endswith(";") and is_complete("".join(gathered)):
            yield "".join(gathered)
            gathered = []
    if "".join(gathered).strip():
        yield "".join(gathered)


def is_complete(text: str) -> bool:
    """Whether a text ends with a semicolon that is no part of a string or a comment."""
    try:
        found = list(statements(text))
    except KsqlError as error:
        # An open quote or comment may be closed in the next line; anything else is for whoever runs it to tell.
        return "is not closed" not in error.message
    return not found or found[-1].is_terminated


def is_finished(text: str) -> bool:
    """Whether Enter ends what was typed: a command, or a statement behind its semicolon."""
    return not text.strip() or find_command(text) is not None or (text.rstrip().endswith(";") and is_complete(text))


def _json_header(header: Header) -> Mapping[str, object]:
    schema = ", ".join(f"`{name}` {kind}" for name, kind in zip(header.names, header.types, strict=False))
    return {"queryId": header.query_id, "schema": schema}


def _told(error: ServerError) -> str:
    statement = error.statement
    if not statement or statement in error.message:
        return error.message
    return f"{error.message}\nStatement: {statement}"

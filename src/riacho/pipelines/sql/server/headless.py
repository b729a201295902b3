"""A server whose statements are in a file (`ksql.queries.file`): they are carried out when it begins to lead.

What the command topic has already is not done again: the file may be the same at every start. Only statements that
define something may stand there, and SET and UNSET between them, as in ksqlDB.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from pathlib import Path

from riacho.base.backoff import Backoff
from riacho.base.config import ConfigError
from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.parsing.parser import parse_one
from riacho.pipelines.sql.parsing.scanner import statements
from riacho.pipelines.sql.parsing.variables import Variables, substituted
from riacho.pipelines.sql.server.executor import Executor
from riacho.pipelines.sql.server.session import Session
from riacho.pipelines.sql.syntax import statements as syntax
from riacho.single_writer.errors import RecordTooLarge, ReplicatedLogError
from riacho.web.errors import ApiError

_log = logging.getLogger("riacho.ksql")
_BACKOFF = Backoff(500, 30_000)
_BYTES_MAX = 16 * 1024 * 1024
_ALLOWED = (
    syntax.CreateSource,
    syntax.CreateAsSelect,
    syntax.InsertInto,
    syntax.CreateType,
    syntax.SetProperty,
    syntax.UnsetProperty,
    syntax.DefineVariable,
    syntax.UndefineVariable,
)


class QueriesFile:
    """Read and parsed at once, so that a server does not start with a file that it cannot use: ConfigError."""

    def __init__(self, path: str) -> None:
        try:
            file = Path(path)
            if file.stat().st_size > _BYTES_MAX:
                raise ConfigError(f"ksql.queries.file is larger than {_BYTES_MAX} bytes: {path}")
            self._texts = _texts(file.read_text())
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(f"ksql.queries.file cannot be read: {error}") from None
        except KsqlError as error:
            raise ConfigError(f"ksql.queries.file {path} cannot be used: {' '.join(error.message.split())}") from None

    async def run(self, executor: Executor, properties: Mapping[str, str]) -> None:
        """A statement that cannot be carried out is logged; those after it that need it will be, too. One that
        the command topic does not take for now is tried again until it does."""
        session = Session(dict(properties))
        for text in self._texts:
            tries = 0
            while not _is_done(executor, text, session):
                try:
                    await executor.execute(text, session)
                    _log.info("statement of the file carried out: %s", _shown(text))
                    break
                except (ApiError, RecordTooLarge) as error:
                    reason = error.message if isinstance(error, ApiError) else str(error)
                    _log.error("statement of the file cannot be carried out: %s: %s", _shown(text), reason)
                    break
                except ReplicatedLogError as error:
                    tries += 1
                    _log.warning("statement of the file is tried again: %s: %s", _shown(text), error)
                await asyncio.sleep(_BACKOFF.pause_ms(tries) / 1000)


def _texts(script: str) -> list[str]:
    """KsqlError with the first statement that may not stand there."""
    found = [words.text for words in statements(script)]
    variables = Variables()
    for text in found:
        statement = parse_one(substituted(text, variables)).statement
        if not isinstance(statement, _ALLOWED):
            raise KsqlError(f"Ignored statements are not allowed in a file of queries: {_shown(text)}")
        if isinstance(statement, syntax.DefineVariable):
            variables.define(statement.name, statement.value)
        elif isinstance(statement, syntax.UndefineVariable):
            variables.undefine(statement.name)
    if not found:
        raise KsqlError("it has no statements.")
    return found


def _is_done(executor: Executor, text: str, session: Session) -> bool:
    catalogue = executor.state.catalogue
    match parse_one(substituted(text, session.variables)).statement:
        case syntax.CreateSource(name=name) | syntax.CreateAsSelect(name=name):
            return catalogue.find(name) is not None
        case syntax.CreateType(name=name):
            return name in catalogue.types
        case syntax.InsertInto():
            return any(_same(query.text, text) for query in catalogue.queries.values())
        case _:
            return False


def _same(one: str, other: str) -> bool:
    return one.strip().rstrip(";").split() == other.strip().rstrip(";").split()


def _shown(text: str) -> str:
    return " ".join(text.split())[:200]

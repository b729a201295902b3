"""Statements of KSQL in the shell: one session of `ksql` for each server, told and shown as `ksql` does."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from riacho.base.packages import how_to_install

if TYPE_CHECKING:
    from riacho.cli.ksql.interpreter import Interpreter
    from riacho.cli.ksql.session import Session


class SqlExit(Exception):
    """EXIT was typed."""


class Sql:
    """Properties and variables that SET and DEFINE gave are kept until another server is chosen."""

    def __init__(self) -> None:
        self._url: str | None = None
        self._session: Session | None = None
        self._interpreter: Interpreter | None = None

    def run(self, text: str, url: str) -> int:
        """The exit code. SqlExit."""
        from riacho.cli.ksql.commands import Exit

        session, interpreter = self._at(url)
        session.history.append(" ".join(text.split()))
        session.console.entered(text.strip())
        try:
            return 0 if interpreter.run(text) else 1
        except Exit:
            raise SqlExit from None

    def close(self) -> None:
        if self._session is not None:
            self._session.console.close()
            self._session.server.close()
        self._session = self._interpreter = self._url = None

    def _at(self, url: str) -> tuple[Session, Interpreter]:
        if self._session is None or self._interpreter is None or url != self._url:
            self.close()
            self._session, self._interpreter = _opened(url)
            self._url = url
        return self._session, self._interpreter


def _opened(url: str) -> tuple[Session, Interpreter]:
    try:
        from riacho.cli.ksql.console import Console
        from riacho.cli.ksql.interpreter import Interpreter
        from riacho.cli.ksql.server import KsqlServer, ServerError
        from riacho.cli.ksql.session import Session
    except ImportError as error:
        raise click.ClickException(f"KSQL needs {error.name}: {how_to_install('services')}.") from None
    try:
        server = KsqlServer(url if "://" in url else f"http://{url}")
    except ServerError as error:
        raise click.ClickException(error.message) from None
    session = Session(server, Console())
    return session, Interpreter(session)

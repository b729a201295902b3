"""`ksql` and `riacho ksql`: statements from a prompt, a file, arguments or a pipe."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from riacho import __version__
from riacho.base.packages import how_to_install
from riacho.cli.failures import PlainCommand, print_error
from riacho.cli.ksql.commands import Exit, show_server
from riacho.cli.ksql.console import Console
from riacho.cli.ksql.server import KsqlServer, ServerError
from riacho.cli.ksql.session import Output, Session
from riacho.cli.output import is_terminal
from riacho.cli.supervisor.services import KSQL
from riacho.cli.target import read_settings
from riacho.cli.unread_output import open_closed_streams
from riacho.client.http_target import basic
from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.parsing.variables import Variables

URL_VARIABLE = "RIACHO_KSQL_URL"
FAILED = 1


@click.command("ksql", cls=PlainCommand, context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("url", required=False)
@click.option("-e", "--execute", multiple=True, metavar="SQL", help="Run statements and end; may be repeated.")
@click.option("-f", "--file", "script", type=click.Path(path_type=Path), help="Run a script and end.")
@click.option("-d", "--define", multiple=True, metavar="NAME=VALUE", help="Define a variable for ${NAME}.")
@click.option("--config-file", type=click.Path(path_type=Path), help="Properties to start with, as SET gives them.")
@click.option("-u", "--user", help="Log in as this user.")
@click.option("-p", "--password", help="With this password; asked for where it is missing.")
@click.option(
    "--output", type=click.Choice(["TABULAR", "JSON"], case_sensitive=False), default="TABULAR", help="How to show."
)
@click.option("--query-row-limit", type=click.IntRange(min=1), help="End queries after so many rows.")
@click.option("--query-timeout", type=click.IntRange(min=1), help="End queries after so many ms.")
def command(
    url: str | None,
    execute: tuple[str, ...],
    script: Path | None,
    define: tuple[str, ...],
    config_file: Path | None,
    user: str | None,
    password: str | None,
    output: str,
    query_row_limit: int | None,
    query_timeout: int | None,
) -> None:
    """Open the command line of KSQL, on the server at URL.

    \b
    riacho ksql
    riacho ksql http://localhost:8088 -e "SHOW STREAMS;"
    riacho ksql -f statements.sql -d topic=orders

    URL is by default $RIACHO_KSQL_URL, that of the running `riacho up`, http://localhost:8088.

    Without -e and -f it asks for statements, or reads them from a pipe. They end with
    a semicolon; HELP shows the commands that do not. Ctrl-C ends a query, Ctrl-D all.

    The exit code is 1 where a statement of -e, -f or a pipe was refused; those behind
    it are not run.
    """
    authorization = _login(user, password)
    session = Session(
        _server(url or usual_url(), authorization),
        Console(),
        authorization=authorization,
        output=Output(output.upper()),
        properties=_properties(config_file),
        variables=_variables(define),
        row_limit=query_row_limit,
        query_timeout_s=None if query_timeout is None else query_timeout / 1000,
    )
    try:
        is_good = _run(session, execute, script)
    except KeyboardInterrupt:
        raise click.exceptions.Exit(130) from None
    finally:
        session.console.close()
        session.server.close()
    if not is_good:
        raise click.exceptions.Exit(FAILED)


def _run(session: Session, execute: tuple[str, ...], script: Path | None) -> bool:
    with _needing_packages():
        from riacho.cli.ksql.interpreter import Interpreter, script_parts
    interpreter = Interpreter(session)
    try:
        if execute or script is not None:
            return all(interpreter.run(text) for text in execute) and (script is None or interpreter.run_file(script))
        if not is_terminal(sys.stdin):
            return all(interpreter.run(part) for part in script_parts(sys.stdin.read()))
    except Exit:
        return True
    with _needing_packages():
        from riacho.cli.ksql.prompt import run_prompt
    session.console.write(f"Riacho KSQL, CLI v{__version__}")
    show_server(session)
    session.console.write("\nHaving trouble? Type 'help' (case-insensitive) for a rundown of how things work!\n")
    run_prompt(session, interpreter)
    session.console.write("Exiting KSQL.")
    return True


@contextmanager
def _needing_packages() -> Iterator[None]:
    try:
        yield
    except ImportError as error:
        raise click.ClickException(f"KSQL needs {error.name}: {how_to_install('services')}.") from None


def usual_url() -> str:
    """Of the server that is meant where nobody names one."""
    from riacho.cli.supervisor.running import newest_running

    state = newest_running() if URL_VARIABLE not in os.environ else None
    found = [service.url for service in state.services if service.name == KSQL.name] if state is not None else []
    return os.environ.get(URL_VARIABLE) or (found[0] if found else KSQL.url(KSQL.port))


def _server(url: str, authorization: str | None) -> KsqlServer:
    if "://" not in url:
        url = f"http://{url}"
    try:
        return KsqlServer(url, authorization)
    except ServerError as error:
        raise click.UsageError(error.message) from None


def _login(user: str | None, password: str | None) -> str | None:
    if user is None:
        if password is not None:
            raise click.UsageError("A password needs its user: -u USER.")
        return None
    return basic(user, password if password is not None else click.prompt("Password", hide_input=True, err=True))


def _variables(defined: tuple[str, ...]) -> Variables:
    variables = Variables()
    for each in defined:
        name, separator, value = each.partition("=")
        if not separator:
            raise click.UsageError(f"'{each}' is no variable: -d NAME=VALUE.")
        try:
            variables.define(name.strip(), _without_quotes(value))
        except KsqlError as error:
            raise click.UsageError(error.message) from None
    return variables


def _without_quotes(value: str) -> str:
    """As DEFINE takes them off."""
    if len(value) >= 2 and value[0] == value[-1] == "'":
        return value[1:-1].replace("''", "'")
    return value


def _properties(path: Path | None) -> dict[str, str]:
    return dict(read_settings(path))


def main() -> None:
    """The script `ksql`."""
    open_closed_streams()
    try:
        code = command.main(prog_name="ksql", standalone_mode=False)
        sys.exit(code if isinstance(code, int) else 0)
    except click.exceptions.Abort:
        sys.exit(130)
    except click.exceptions.Exit as stop:
        sys.exit(stop.exit_code)
    except click.ClickException as error:
        sys.exit(print_error(error))

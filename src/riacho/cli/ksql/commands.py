"""Commands of the command line itself, which no server sees: no semicolon is needed, and none hurts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from riacho.cli.ksql.server import ServerError
from riacho.cli.ksql.session import Output, Session
from riacho.cli.ksql.tables import list_table


class Exit(Exception):
    """EXIT was typed."""


class CommandError(Exception):
    """A command that was called wrongly; one sentence."""


@dataclass(frozen=True, slots=True)
class Command:
    usage: str
    about: str
    run: Callable[[Session, str], None]


def find_command(text: str) -> tuple[Command, str] | None:
    """The command that a text is, and its argument; None where it is statements, or has more behind its semicolon."""
    words = text.strip().removesuffix(";").split(maxsplit=1)
    if not words or (len(words) > 1 and ";" in words[1]):
        return None
    command = COMMANDS.get(words[0].upper())
    if command is None:
        return None
    argument = words[1].strip() if len(words) > 1 else ""
    return command, argument


def _help(session: Session, argument: str) -> None:
    wanted = COMMANDS.get(argument.upper()) if argument else None
    if argument and wanted is None:
        raise CommandError(f"There is no command '{argument}'.")
    shown = [wanted] if wanted is not None else list(COMMANDS.values())
    session.console.write("\n".join(f"{each.usage}:\n\t{each.about}" for each in shown))
    if wanted is None:
        session.console.write(
            "\nStatements end with a semicolon and go to the server: SHOW STREAMS; SELECT * FROM s EMIT CHANGES;"
            "\nSET, UNSET, DEFINE, UNDEFINE, SHOW VARIABLES and RUN SCRIPT are of this session. Ctrl-C ends a query."
        )


def _clear(session: Session, argument: str) -> None:
    session.console.clear()


def _exit(session: Session, argument: str) -> None:
    raise Exit


def _history(session: Session, argument: str) -> None:
    session.console.write("\n".join(f"{number:4}: {line}" for number, line in enumerate(session.history, start=1)))


def _output(session: Session, argument: str) -> None:
    if not argument:
        session.console.write(f"Current output format: {session.output.value}")
        return
    try:
        session.output = Output(argument.upper())
    except ValueError:
        known = ", ".join(each.value for each in Output)
        raise CommandError(f"There is no output format '{argument}'; there are {known}.") from None
    session.console.write(f"Output format set to {session.output.value}")


def _server(session: Session, argument: str) -> None:
    if argument:
        session.connect(argument.strip("'\""))
        show_server(session)
    else:
        session.console.write(session.server.shown_url)


def _spool(session: Session, argument: str) -> None:
    path = argument.strip("'\"")
    if not path:
        raise CommandError("SPOOL needs a file, or OFF.")
    if path.upper() == "OFF":
        if not session.console.is_spooling:
            raise CommandError("Nothing is spooled.")
        session.console.spool(None)
        session.console.write("Session is no longer spooled.")
        return
    try:
        session.console.spool(path)
    except OSError as error:
        raise CommandError(f"{path} cannot be written: {error.strerror}.") from None
    session.console.write(f"Session will be spooled to {path}\nEnter SPOOL OFF to disable")


def _version(session: Session, argument: str) -> None:
    session.console.write(f"Version: {session.server.info().version}")


def _pipelining(session: Session, argument: str) -> None:
    if argument:
        if argument.upper() not in ("ON", "OFF"):
            raise CommandError("REQUEST-PIPELINING is ON or OFF.")
        session.is_pipelining = argument.upper() == "ON"
    state = "ON" if session.is_pipelining else "OFF"
    begin = "Request-pipelining has been turned" if argument else "Current request-pipelining configuration:"
    session.console.write(f"{begin} {state}")


def _properties(session: Session, argument: str) -> None:
    if session.properties:
        session.console.write(list_table(["Property", "Value"], sorted(session.properties.items())))
    else:
        session.console.write("No property is set in this session.")


def show_server(session: Session) -> None:
    """The version of a server that was just connected, or that there is none."""
    try:
        info = session.server.info()
    except ServerError as error:
        session.console.error(f"Remote server at {session.server.shown_url} does not appear to be a valid KSQL server.")
        session.console.error(error.message)
        return
    session.console.write(f"Server v{info.version} located at {session.server.shown_url}\nServer Status: {info.status}")


COMMANDS = {
    "HELP": Command("help [COMMAND]", "Show these commands, or one.", _help),
    "CLEAR": Command("clear", "Clear the terminal.", _clear),
    "EXIT": Command("exit", "End the session; so does Ctrl-D.", _exit),
    "QUIT": Command("quit", "As exit.", _exit),
    "HISTORY": Command("history", "Show what was entered in this session.", _history),
    "OUTPUT": Command("output [JSON|TABULAR]", "Show or set how results are shown.", _output),
    "PROPERTIES": Command("properties", "Show what SET has set in this session.", _properties),
    "REQUEST-PIPELINING": Command(
        "request-pipelining [ON|OFF]",
        "Whether statements are sent before those before them are done.",
        _pipelining,
    ),
    "SERVER": Command("server [URL]", "Show the server, or connect to another one.", _server),
    "SPOOL": Command("spool FILE|OFF", "Copy what is entered and shown to a file.", _spool),
    "VERSION": Command("version", "Show the server's version.", _version),
}

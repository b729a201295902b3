"""How every tool starts and ends: parse, run, and one sentence for whatever went wrong."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from typing import NoReturn

from riacho import KAFKA_VERSION, __version__
from riacho.base.errors import KafkaError
from riacho.cli.kafka.flags.jopt import Arguments, UsageError, parse
from riacho.cli.kafka.flags.tools import TOOLS
from riacho.cli.unread_output import EXIT_BROKEN_PIPE, open_closed_streams, send_output_nowhere

Body = Callable[[Arguments], int | None]

EXIT_INTERRUPTED = 130
DEFAULT_BOOTSTRAP_SERVERS = "localhost:9092"


class ToolError(Exception):
    """One clear sentence for the user; the tool ends with exit code 1."""


def launch(name: str, body: Body) -> NoReturn:
    open_closed_streams()
    code = run_tool(name, body, sys.argv[1:])
    sys.exit(code)


def run_tool(name: str, body: Body, words: Sequence[str]) -> int:
    try:
        code = _run(name, body, list(words))
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        # `kafka-topics --list | head -1` is no failure of ours.
        send_output_nowhere()
        return EXIT_BROKEN_PIPE
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except ToolError as error:
        return _fail(str(error))
    except KafkaError as error:
        return _fail(f"Error: {sentence(error)}")
    except OSError as error:
        return _fail(f"Error: {error.strerror or error}{f': {error.filename}' if error.filename else ''}")
    except Exception as error:
        # librdkafka's own exception; the library is loaded only by the tools that need it.
        if type(error).__name__ != "KafkaException":
            raise
        return _fail(f"Error: {error.args[0].str()}")


def _run(name: str, body: Body, words: list[str]) -> int:
    tool = TOOLS[name]
    command: str | None = None
    try:
        arguments = parse(tool, words)
        command = arguments.command
        if arguments.has("version"):
            print(version())
            return 0
        if arguments.has("help"):
            from riacho.cli.kafka.text.help import help_text

            print(help_text(tool, command))
            return 0
        if not words or (tool.commands and command is None):
            raise UsageError(tool.help)
        for notice in arguments.notices:
            print(f"Warning: {notice}", file=sys.stderr)
        return body(arguments) or 0
    except UsageError as error:
        from riacho.cli.kafka.text.help import help_text

        sys.stdout.flush()
        print(error, file=sys.stderr)
        print(help_text(tool, command).partition("\n")[2], file=sys.stderr)
        return 1


def _fail(message: str) -> int:
    sys.stdout.flush()
    print(message, file=sys.stderr)
    return 1


def sentence(error: KafkaError) -> str:
    """What to tell a person: the broker's own words, or else the code in plain letters."""
    return error.detail or f"The broker answered {error.code.name}."


def version() -> str:
    """As Kafka's tools print theirs, `4.3.1 (Commit:...)`: scripts take the first word for the release of Kafka."""
    return f"{KAFKA_VERSION} (Riacho {__version__})"


def bootstrap_servers(arguments: Arguments) -> str:
    """`--bootstrap-server`, else the environment's, else this machine's broker."""
    given = arguments.text("bootstrap-server") or os.environ.get("KAFKA_BOOTSTRAP_SERVERS")
    return given or DEFAULT_BOOTSTRAP_SERVERS

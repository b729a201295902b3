"""Whatever goes wrong in a command is told in one clear sentence and ends it with exit code 1; what was called wrongly
ends with 2, as everywhere.

`PlainCommand` and `PlainGroup` are what every subcommand is made of: the errors of our own client, of librdkafka and of
the operating system all leave by this one door.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import click

from riacho.base.errors import KafkaError
from riacho.cli.unread_output import EXIT_BROKEN_PIPE, send_output_nowhere

_HOW_TO_REACH = "Start a broker with `riacho up`, or name one with -b HOST:PORT."


_HOW_TO_LOG_IN = "Say how with --command-config FILE, -X KEY=VALUE or --profile."


class PlainCommand(click.Command):
    def make_context(self, *given: Any, **named: Any) -> click.Context:
        with _pipe_errors():
            return super().make_context(*given, **named)

    def invoke(self, ctx: click.Context) -> Any:
        with click_errors():
            return super().invoke(ctx)


class PlainGroup(click.Group):
    command_class = PlainCommand

    def make_context(self, *given: Any, **named: Any) -> click.Context:
        with _pipe_errors():
            return super().make_context(*given, **named)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if not name.startswith("-") and self.get_command(ctx, name) is None and not ctx.resilient_parsing:
            known = self.list_commands(ctx)
            raise click.UsageError(f"There is no command '{name}'{did_you_mean(name, known)}", ctx)
        return super().resolve_command(ctx, args)


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """`; did you mean 'topic'?`, or the full stop where nothing is like it."""
    from difflib import get_close_matches

    found = get_close_matches(word, list(known), n=1)
    return f"; did you mean '{found[0]}'?" if found else "."


def print_error(error: click.ClickException) -> int:
    """One sentence on standard error, and where the right use is written; the exit code."""
    text = error.format_message().rstrip()
    if type(error).__name__ == "NoArgsIsHelpError":
        # `riacho topic`: its message is the help. Click has it since 8.2; before, it prints the help by itself.
        click.echo(text, err=True)
        return error.exit_code
    text = text if text.endswith((".", "?", "!")) else f"{text}."
    where = ""
    if isinstance(error, click.UsageError):
        path = error.ctx.command_path if error.ctx is not None else "riacho"
        where = f" See `{path} --help`."
    click.echo(f"Error: {' '.join(text.split())}{where}", err=True)
    return error.exit_code


@contextmanager
def _pipe_errors() -> Iterator[None]:
    """`riacho consume big | head`, or `riacho --help | head`: no failure of ours."""
    try:
        yield
    except BrokenPipeError:
        send_output_nowhere()
        sys.exit(EXIT_BROKEN_PIPE)


@contextmanager
def click_errors() -> Iterator[None]:
    try:
        with _pipe_errors():
            yield
    except KafkaError as error:
        raise click.ClickException(sentence(error)) from None
    except OSError as error:
        where = f": {error.filename}" if error.filename else ""
        raise click.ClickException(f"{error.strerror or error}{where}.") from None
    except Exception as error:
        told = _librdkafka_sentence(error)
        if told is None:
            raise
        raise click.ClickException(told) from None


def sentence(error: KafkaError) -> str:
    from riacho.client.cluster import Unreachable
    from riacho.client.connection import HungUp

    if not error.detail:
        return f"The broker answered {error.code.name}."
    detail = error.detail if error.detail.endswith("?") else f"{error.detail.rstrip('.')}."
    if isinstance(error, HungUp):
        return f"{detail} {_HOW_TO_LOG_IN}"
    return f"{detail} {_HOW_TO_REACH}" if isinstance(error, Unreachable) else detail


def _librdkafka_sentence(error: Exception) -> str | None:
    """None when the error is not librdkafka's. Looked up, not imported: most commands never load it."""
    module = sys.modules.get("confluent_kafka")
    if module is None or not isinstance(error, module.KafkaException):
        return None
    cause = error.args[0] if error.args else error
    text = cause.str() if isinstance(cause, module.KafkaError) else str(cause)
    return f"{text.rstrip('.')}."

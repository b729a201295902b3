"""`riacho`: one command for the whole platform. Each subcommand lives in its own module, loaded when it is called."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

import click

from riacho.base.errors import KafkaError
from riacho.cli.failures import PlainGroup, print_error
from riacho.cli.unread_output import EXIT_BROKEN_PIPE, open_closed_streams, send_output_nowhere

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

# name -> (module, one line for the list of commands)
COMMANDS = {
    "up": ("riacho.cli.commands.up", "Start Riacho on this machine."),
    "status": ("riacho.cli.commands.status", "Show what runs, where, and whether it is well."),
    "down": ("riacho.cli.commands.down", "Stop what `up --detach` started."),
    "restart": ("riacho.cli.commands.restart", "Restart brokers one after another, then the services."),
    "logs": ("riacho.cli.commands.logs", "Show what brokers and services wrote about themselves."),
    "broker": ("riacho.cli.commands.broker", "Run one broker from a server.properties file."),
    "schema-registry": ("riacho.cli.commands.schema_registry", "Run the schema registry alone, on any Kafka cluster."),
    "rest-proxy": ("riacho.cli.commands.rest_proxy", "Run the REST proxy alone, on any Kafka cluster."),
    "connect": ("riacho.cli.commands.connect", "Run a Connect worker alone, on any Kafka cluster."),
    "ksqldb-server": ("riacho.cli.commands.ksqldb_server", "Run a KSQL server alone, on any Kafka cluster."),
    "control-center": ("riacho.cli.commands.console", "Run the console alone, for any Kafka clusters."),
    "console": ("riacho.cli.commands.console", "The same, by a shorter name."),
    "pipeline": ("riacho.cli.commands.pipeline", "Create, list, show, draw, stop and restart pipelines."),
    "ksql": ("riacho.cli.commands.ksql", "Open the command line of KSQL: a prompt, or statements from a file."),
    "shell": ("riacho.cli.commands.shell", "Run any of these commands, Kafka's tools and SQL at one prompt."),
    "topic": ("riacho.cli.commands.topic", "List, create, describe, change and delete topics."),
    "group": ("riacho.cli.commands.group", "List, describe, reset and delete consumer groups."),
    "produce": ("riacho.cli.commands.produce", "Send records, from arguments, a file or standard input."),
    "consume": ("riacho.cli.commands.consume", "Read records, from where you like, as you like."),
    "schema": ("riacho.cli.commands.schema", "List, register, check and delete schemas."),
    "user": ("riacho.cli.commands.user", "List, create and delete users who log in by SCRAM."),
    "acl": ("riacho.cli.commands.acl", "List, add and remove access rights."),
    "quota": ("riacho.cli.commands.quota", "List and change quotas of users, clients and addresses."),
    "alert": ("riacho.cli.commands.alert", "List, set and test the control center's alerts."),
    "profile": ("riacho.cli.commands.profile", "Keep clusters and logins under names."),
    "plan": ("riacho.cli.commands.plan", "Measure this cluster and plan for it."),
    "completion": ("riacho.cli.commands.completion", "Teach your shell to complete all this."),
    "demo": ("riacho.cli.commands.demo", "Show the whole platform at work, counted at the end."),
}

# Set by the function of a shell that wants to know what may stand at the cursor.
_COMPLETE = "_RIACHO_COMPLETE"
_VERSION_HELP = "Show the release, the commit it was built of and whether it runs compiled."


class _LazyGroup(PlainGroup):
    def main(self, *args: Any, **extra: Any) -> Any:
        if _COMPLETE in os.environ:
            from riacho.cli.completion_scripts import answer

            told = answer()
            if told is not None:
                click.echo(told, nl=False)
                return 0
        return super().main(*args, **extra)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        found = COMMANDS.get(cmd_name)
        if found is None:
            return None
        command: click.Command = import_module(found[0]).command
        return command

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        from click.shell_completion import CompletionItem

        # As help: their names are known without them.
        named = [
            CompletionItem(name, help=about) for name, (_, about) in COMMANDS.items() if name.startswith(incomplete)
        ]
        return [*named, *click.Command.shell_complete(self, ctx, incomplete)]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        # The table's own lines: help must not import every subcommand.
        with formatter.section("Commands"):
            formatter.write_dl([(name, about) for name, (_, about) in COMMANDS.items()])


def _show_version(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        from riacho.cli.build import version_line

        click.echo(version_line())
        ctx.exit()


@click.command(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--version", is_flag=True, is_eager=True, expose_value=False, callback=_show_version, help=_VERSION_HELP)
def cli() -> None:
    """Riacho: event streaming on Kafka's wire.

    \b
    riacho up                              start a broker on localhost:9092
    riacho up --brokers 3                  or a cluster
    riacho topic create orders -p 3        make a topic
    riacho produce orders "first order"    send a record
    riacho consume orders --from start     read it back

    Every Kafka client and tool works too: kafka-topics, kafka-console-consumer and the rest are installed beside this.
    """


def main() -> None:
    open_closed_streams()
    try:
        # Without its standalone mode click returns the code of a `ctx.exit`.
        code = cli.main(prog_name="riacho", standalone_mode=False)
        sys.exit(code if isinstance(code, int) else 0)
    except click.exceptions.Abort:
        sys.exit(130)
    except click.exceptions.Exit as stop:
        sys.exit(stop.exit_code)
    except click.ClickException as error:
        sys.exit(print_error(error))
    except BrokenPipeError:
        send_output_nowhere()
        sys.exit(EXIT_BROKEN_PIPE)
    except (KafkaError, OSError, ValueError) as error:
        click.echo(f"riacho: {_sentence(error)}", err=True)
        sys.exit(1)


def _sentence(error: Exception) -> str:
    if isinstance(error, KafkaError):
        return error.detail or error.code.name
    if isinstance(error, OSError) and error.strerror:
        return f"{error.strerror}: {error.filename}" if error.filename else error.strerror
    return str(error)

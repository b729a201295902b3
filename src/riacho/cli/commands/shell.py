"""`riacho shell`: every command at one prompt."""

from __future__ import annotations

from pathlib import Path

import click

from riacho.base.packages import brought_by
from riacho.cli.argument_names import complete_profiles, words_of
from riacho.cli.failures import PlainCommand


@click.command("shell", cls=PlainCommand)
@click.option("-c", "text", metavar="LINES", help="Run these lines, one a line or behind a ';', and end.")
@click.option(
    "--cluster",
    metavar="NAME",
    shell_complete=words_of(lambda ctx: _cluster_names(ctx)),
    help="A cluster of the settings file, or a profile.",
)
@click.option("-b", "--bootstrap-server", "bootstrap", metavar="HOST:PORT", help="A broker of another cluster.")
@click.option(
    "--command-config",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Client settings with Kafka's names, for a login.",
)
@click.option(
    "--profile", metavar="NAME", shell_complete=complete_profiles, help="Settings kept by `riacho profile save`."
)
@click.option(
    "--settings",
    "settings_path",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Settings and clusters. Default: ~/.kafka-shell/config.yaml, else ~/.config/riacho/shell.yaml.",
)
def command(
    text: str | None,
    cluster: str | None,
    bootstrap: str | None,
    command_config: Path | None,
    profile: str | None,
    settings_path: Path | None,
) -> None:
    """Run any command at one prompt: riacho's without that word, Kafka's tools, SQL.

    \b
    riacho shell
    riacho shell --profile staging
    riacho shell -c 'topic list; group list'
    riacho shell < commands.txt

    \b
    At the prompt:
      topic list                       any command of riacho
      kafka-topics --list | grep ord   any tool of Kafka's, into any program
      consume orders --follow > file   Ctrl-C ends the command, not the shell
      SHOW STREAMS;                    SQL, by its semicolon; `sql` stays in it
      watch -n 5 group describe g      again and again, what changed in reverse
      !date                            a program of the system
      help                             the shell's own commands, and its keys

    The prompt names the cluster that commands speak with, in red where it is production: by its name (prod), by
    `riacho.production=true` in its profile, or `production: true` in the settings file. F2 goes to the next one.
    A line that names a cluster by itself is left alone.

    What follows the first `|`, or a `!`, is run by your own /bin/sh. What destroys is asked about on a terminal;
    with -c or from a pipe nothing is asked. The exit code there is that of the last line that failed.
    """
    if sum(each is not None for each in (cluster, profile, bootstrap)) > 1:
        raise click.UsageError("Name one cluster: by --cluster, by --profile or by -b.")
    try:
        with brought_by("services", "riacho shell"):
            from riacho.cli.shell.main import run_shell

            code = run_shell(
                bootstrap=bootstrap,
                command_config=command_config,
                profile=profile,
                cluster=cluster,
                settings_path=settings_path,
                text=text,
            )
    except ModuleNotFoundError as error:
        raise click.ClickException(str(error)) from None
    raise click.exceptions.Exit(code)


def _cluster_names(ctx: click.Context) -> list[str]:
    from riacho.cli.profiles import profile_names
    from riacho.cli.shell.settings_file import read_settings_file, usual_path

    settings = read_settings_file(ctx.params.get("settings_path") or usual_path())
    return [*(cluster.name for cluster in settings.clusters), *profile_names()]

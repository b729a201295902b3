"""`riacho profile`: clusters and logins under names."""

from __future__ import annotations

from pathlib import Path

import click

from riacho.cli.argument_names import complete_client_settings, complete_profiles
from riacho.cli.failures import PlainGroup
from riacho.cli.output import JSON, confirm, output_option, show_facts, show_json, show_rows, yes_option
from riacho.cli.pairs import parse_pairs
from riacho.cli.profiles import delete_profile, profile_names, read_profile, save_profile, shown
from riacho.cli.target import BOOTSTRAP, read_settings


@click.group("profile", cls=PlainGroup)
def command() -> None:
    """Keep clusters and logins under names, for --profile.

    \b
    riacho profile save work -b broker.example:9093 --command-config c.properties
    riacho topic list --profile work
    export RIACHO_PROFILE=work          for every command from now on
    """


@command.command("save")
@click.argument("name", shell_complete=complete_profiles)
@click.option("-b", "--bootstrap-server", "bootstrap", metavar="HOST:PORT", help="A broker of the cluster.")
@click.option(
    "--command-config",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Client settings with Kafka's names.",
)
@click.option(
    "-X",
    "settings",
    multiple=True,
    metavar="KEY=VALUE",
    shell_complete=complete_client_settings,
    help="One client setting. May be repeated.",
)
def save(name: str, bootstrap: str | None, command_config: Path | None, settings: tuple[str, ...]) -> None:
    """Keep settings under NAME; what was kept there before is replaced.

    \b
    riacho profile save work -b broker.example:9093 --command-config c.properties
    riacho profile save test -b localhost:9094 -X sasl.mechanism=PLAIN
    riacho profile save here -X schema.registry.url=http://localhost:8081
    """
    properties = read_settings(command_config) | parse_pairs(settings, "-X")
    if bootstrap is not None:
        properties[BOOTSTRAP] = bootstrap
    if not properties:
        raise click.UsageError("There is nothing to keep: give -b, --command-config or -X.")
    click.echo(f"Saved profile {name} as {save_profile(name, properties)}.")


@command.command("list")
@output_option
def list_(output: str) -> None:
    """List profiles.

    \b
    riacho profile list
    """
    rows = [{"name": name, "bootstrap": read_profile(name).get(BOOTSTRAP)} for name in profile_names()]
    show_rows(rows, ["name", "bootstrap"], output, empty="There are no profiles. `riacho profile save NAME` makes one.")


@command.command("show")
@click.argument("name", shell_complete=complete_profiles)
@output_option
def show(name: str, output: str) -> None:
    """Show a profile's settings, without those that are secret.

    \b
    riacho profile show work
    """
    found = shown(read_profile(name))
    if output == JSON:
        show_json(found)
    else:
        show_facts(found)


@command.command("delete")
@click.argument("name", shell_complete=complete_profiles)
@yes_option
def delete(name: str, yes: bool) -> None:
    """Forget a profile.

    \b
    riacho profile delete work
    """
    confirm(f"Delete the profile {name}?", yes)
    delete_profile(name)
    click.echo(f"Deleted profile {name}.")

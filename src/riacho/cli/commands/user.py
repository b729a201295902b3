"""`riacho user`: who logs in by SCRAM."""

from __future__ import annotations

import click

from riacho.cli.argument_names import complete_users
from riacho.cli.failures import PlainGroup
from riacho.cli.output import confirm, output_option, show_rows, yes_option
from riacho.cli.target import Target, cluster_options

# As in `client/scram_users.py`, which is not loaded for a mere look at the help.
_MECHANISMS = ("SCRAM-SHA-256", "SCRAM-SHA-512")
_ITERATIONS_MIN, _ITERATIONS_MAX = 4096, 16_384


@click.group("user", cls=PlainGroup)
def command() -> None:
    """List, create and delete users who log in by SCRAM.

    \b
    riacho user create ana
    riacho user list
    riacho user delete ana
    """


@command.command("create")
@click.argument("name", shell_complete=complete_users)
@click.option(
    "--password",
    envvar="RIACHO_PASSWORD",
    prompt=True,
    hide_input=True,
    help="Better by $RIACHO_PASSWORD or when you are asked: others see a command's words.",
)
@click.option("--mechanism", type=click.Choice(_MECHANISMS), multiple=True, help="Default: both. May be repeated.")
@click.option(
    "--iterations",
    type=click.IntRange(_ITERATIONS_MIN, _ITERATIONS_MAX),
    default=_ITERATIONS_MIN,
    help="Default 4096.",
)
@cluster_options
def create(name: str, password: str, mechanism: tuple[str, ...], iterations: int, target: Target) -> None:
    """Create a user, or give one that is there a new password.

    \b
    riacho user create ana
    RIACHO_PASSWORD=hers riacho user create ana --mechanism SCRAM-SHA-512
    """
    from riacho.client.scram_users import Password, alter_scram_user, describe_scram_users

    with target.open() as cluster:
        is_new = not cluster.retry(lambda: describe_scram_users(cluster, [name]))
        # A request each: a broker lets one request change a user once.
        for each in mechanism or _MECHANISMS:
            alter_scram_user(cluster, name, {each: Password(password, iterations)}, ())
    click.echo(f"{'Created' if is_new else 'Changed'} user {name}.")


@command.command("list")
@output_option
@cluster_options
def list_(output: str, target: Target) -> None:
    """List users, with the ways in which they log in.

    \b
    riacho user list
    """
    from riacho.client.scram_users import describe_scram_users

    with target.open() as cluster:
        found = cluster.retry(lambda: describe_scram_users(cluster))
    rows = [{"name": user.name, "mechanisms": [mechanism for mechanism, _ in user.credentials]} for user in found]
    show_rows(rows, ["name", "mechanisms"], output, empty="There are no users. `riacho user create NAME` makes one.")


@command.command("delete")
@click.argument("name", shell_complete=complete_users)
@yes_option
@cluster_options
def delete(name: str, yes: bool, target: Target) -> None:
    """Delete a user; what is logged in stays until it logs in again.

    \b
    riacho user delete ana
    """
    from riacho.client.scram_users import alter_scram_user, describe_scram_users

    confirm(f"Delete the user {name}?", yes)
    with target.open() as cluster:
        found = cluster.retry(lambda: describe_scram_users(cluster, [name]))
        if not found:
            raise click.ClickException(f"There is no user '{name}'.")
        for mechanism, _ in found[0].credentials:
            alter_scram_user(cluster, name, {}, [mechanism])
    click.echo(f"Deleted user {name}.")

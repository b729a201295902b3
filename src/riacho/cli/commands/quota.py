"""`riacho quota`: how much users, clients and addresses may do."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from riacho.cli.argument_names import complete_quota_settings, complete_quotas, complete_users
from riacho.cli.failures import PlainGroup, did_you_mean
from riacho.cli.output import output_option, show_rows
from riacho.cli.pairs import parse_pairs
from riacho.cli.target import Target, cluster_options

if TYPE_CHECKING:
    from riacho.client.client_quotas import QuotaSubject

F = TypeVar("F", bound=Callable[..., Any])
_DEFAULT = "default"


@click.group("quota", cls=PlainGroup)
def command() -> None:
    """List and change quotas of users, clients and addresses.

    \b
    riacho quota set --user ana producer_byte_rate=1000000
    riacho quota list
    riacho quota unset --user ana producer_byte_rate

    \b
    Of users and clients: producer_byte_rate, consumer_byte_rate,
        request_percentage, controller_mutation_rate
    Of addresses: connection_creation_rate
    """


def _subject_options(function: F) -> F:
    for flag, about, completes in (
        ("--ip", "Whoever comes from this address", None),
        ("--client-id", "Whoever calls itself that", None),
        ("--user", "This user", complete_users),
    ):
        text = f"{about}; `{_DEFAULT}` is for all who have no quota of their own."
        function = click.option(flag, metavar="NAME", shell_complete=completes, help=text)(function)
    return function


@command.command("set")
@click.argument("quotas", nargs=-1, required=True, metavar="KEY=RATE...", shell_complete=complete_quota_settings)
@_subject_options
@cluster_options
def set_(quotas: tuple[str, ...], user: str | None, client_id: str | None, ip: str | None, target: Target) -> None:
    """Set quotas, in bytes, percent or calls a second.

    \b
    riacho quota set --user ana producer_byte_rate=1000000
    riacho quota set --client-id default consumer_byte_rate=5e6
    riacho quota set --ip 10.0.0.7 connection_creation_rate=10
    """
    from riacho.client.client_quotas import alter_quotas

    subjects = _subjects(user, client_id, ip)
    rates = {key: _rate(key, text) for key, text in parse_pairs(quotas, "KEY=RATE").items()}
    _check_keys(rates, is_ip=ip is not None)
    with target.open() as cluster:
        alter_quotas(cluster, subjects, rates, ())
    click.echo(f"Set {', '.join(f'{key}={rate:g}' for key, rate in rates.items())} for {_words(subjects)}.")


@command.command("unset")
@click.argument("keys", nargs=-1, required=True, metavar="KEY...", shell_complete=complete_quotas)
@_subject_options
@cluster_options
def unset(keys: tuple[str, ...], user: str | None, client_id: str | None, ip: str | None, target: Target) -> None:
    """Take quotas away.

    \b
    riacho quota unset --user ana producer_byte_rate
    """
    from riacho.client.client_quotas import alter_quotas

    subjects = _subjects(user, client_id, ip)
    _check_keys(dict.fromkeys(keys, 0.0), is_ip=ip is not None)
    with target.open() as cluster:
        alter_quotas(cluster, subjects, {}, keys)
    click.echo(f"Took {', '.join(keys)} away from {_words(subjects)}.")


@command.command("list")
@output_option
@cluster_options
def list_(output: str, target: Target) -> None:
    """List all quotas.

    \b
    riacho quota list
    """
    from riacho.client.client_quotas import describe_quotas

    with target.open() as cluster:
        entries = describe_quotas(cluster, [], is_strict=False)
    rows = []
    for entry in entries:
        named = {part.entity_type: part.entity_name or _DEFAULT for part in entry.entity}
        for value in sorted(entry.values, key=lambda each: each.key):
            who = {"user": named.get("user"), "client_id": named.get("client-id"), "ip": named.get("ip")}
            rows.append({**who, "quota": value.key, "rate": value.value})
    rows.sort(key=lambda row: tuple(str(cell) for cell in row.values()))
    columns = ["user", "client_id", "ip", "quota", "rate"]
    show_rows(rows, columns, output, empty="There are no quotas. `riacho quota set` makes one.")


def _subjects(user: str | None, client_id: str | None, ip: str | None) -> list[QuotaSubject]:
    from riacho.client.client_quotas import CLIENT_ID, IP, USER, QuotaSubject

    if ip is not None and (user is not None or client_id is not None):
        raise click.UsageError("--ip goes with neither --user nor --client-id.")
    given = ((USER, user), (CLIENT_ID, client_id), (IP, ip))
    found = [QuotaSubject(kind, "" if name == _DEFAULT else name) for kind, name in given if name is not None]
    if not found:
        raise click.UsageError("Say whose quota: --user, --client-id, both, or --ip.")
    return found


def _rate(key: str, text: str) -> float:
    try:
        rate = float(text)
    except ValueError:
        rate = -1.0
    if not 0 < rate < float("inf"):
        raise click.UsageError(f"{key} takes a number above zero, not {text!r}.")
    return rate


def _check_keys(rates: dict[str, float], *, is_ip: bool) -> None:
    from riacho.client.client_quotas import CLIENT_KEYS, IP_KEYS

    known = IP_KEYS if is_ip else CLIENT_KEYS
    for key in rates:
        if key not in known:
            raise click.UsageError(f"There is no quota '{key}' for that{did_you_mean(key, sorted(known))}")


def _words(subjects: list[QuotaSubject]) -> str:
    return ", ".join(f"{subject.kind} {subject.name or _DEFAULT}" for subject in subjects)

"""`riacho schema`: subjects of a schema registry, their versions, and what may follow them."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from riacho.cli.argument_names import complete_subjects
from riacho.cli.failures import PlainGroup
from riacho.cli.output import JSON, RAW, confirm, output_option, show_facts, show_json, show_rows, yes_option
from riacho.cli.registry_calls import LATEST, RegistryCalls, WrittenSchema
from riacho.cli.schema_options import kind_of_file, registry_option
from riacho.cli.target import Target, cluster_options

F = TypeVar("F", bound=Callable[..., Any])
# What they are called here, and by a registry.
_TYPES = {"avro": "AVRO", "json-schema": "JSON", "protobuf": "PROTOBUF"}
_LEVELS = ("NONE", "BACKWARD", "BACKWARD_TRANSITIVE", "FORWARD", "FORWARD_TRANSITIVE", "FULL", "FULL_TRANSITIVE")
_COLUMNS = ("subject", "version", "id", "type")
_STDIN = "-"


@click.group("schema", cls=PlainGroup)
def command() -> None:
    """List, register, check and delete schemas.

    \b
    riacho schema register orders-value order.avsc
    riacho schema list
    riacho schema show orders-value
    riacho schema check orders-value order-2.avsc
    riacho schema compatibility orders-value FULL
    """


def _schema_options(function: F) -> F:
    function = click.option(
        "--reference",
        "references",
        multiple=True,
        metavar="NAME=SUBJECT:VERSION",
        help="A schema of another subject that this one names. May be repeated.",
    )(function)
    function = click.option("--schema", "text", metavar="TEXT", help="The schema itself, in place of a file.")(function)
    function = click.option(
        "--type", "kind", type=click.Choice(list(_TYPES)), help="Default: by the file's name (.avsc, .json, .proto)."
    )(function)
    return click.argument("file", required=False, metavar="[FILE]")(function)


@command.command("list")
@click.option("--prefix", default="", metavar="TEXT", help="Subjects that begin so.")
@click.option("--deleted", is_flag=True, help="Also those that are deleted, but not for good.")
@output_option
@registry_option
@cluster_options
def list_(prefix: str, deleted: bool, output: str, registry: str | None, target: Target) -> None:
    """List subjects, each with its latest version.

    \b
    riacho schema list
    riacho schema list --prefix orders- -o json | jq '.[].id'
    """
    found = RegistryCalls(target, registry).latest(prefix, with_deleted=deleted)
    rows = [
        {**{name: each[name] for name in ("subject", "version", "id")}, "type": each.get("schemaType", "AVRO")}
        for each in found
    ]
    show_rows(rows, _COLUMNS, output, empty="There are no schemas. `riacho schema register` makes one.")


@command.command("show")
@click.argument("subject", shell_complete=complete_subjects)
@click.option("--version", default=LATEST, metavar="N", help="Default: the latest one.")
@output_option
@registry_option
@cluster_options
def show(subject: str, version: str, output: str, registry: str | None, target: Target) -> None:
    """Show a schema of a subject, and what may follow it.

    \b
    riacho schema show orders-value
    riacho schema show orders-value --version 1 -o raw > order.avsc
    """
    calls = RegistryCalls(target, registry)
    found = calls.version(subject, _version(version))
    if output == RAW:
        click.echo(found["schema"])
        return
    versions, level = calls.versions(subject), calls.level(subject)
    if output == JSON:
        show_json({**found, "versions": versions, "compatibility": level})
        return
    references = [f"{each['name']}={each['subject']}:{each['version']}" for each in found.get("references") or []]
    kind = found.get("schemaType", "AVRO")
    show_facts(
        {
            "subject": subject,
            "version": found["version"],
            "of": versions,
            "id": found["id"],
            "type": kind,
            "compatibility": level,
            **({"references": references} if references else {}),
        }
    )
    click.echo()
    click.echo(_pretty(found["schema"], kind))


@command.command("register")
@click.argument("subject", shell_complete=complete_subjects)
@_schema_options
@click.option("--normalize", is_flag=True, help="Register what it means, however it is written.")
@registry_option
@cluster_options
def register(
    subject: str,
    file: str | None,
    kind: str | None,
    text: str | None,
    references: tuple[str, ...],
    normalize: bool,
    registry: str | None,
    target: Target,
) -> None:
    """Register a schema as the next version of a subject. What is there already stays the version that it is.

    \b
    riacho schema register orders-value order.avsc
    riacho schema register orders-value --schema '{"type": "string"}' --type avro
    riacho schema register shelf a.avsc --reference Book=books:1
    """
    schema = _written(file, kind, text, references)
    made = RegistryCalls(target, registry).register(subject, schema, normalize=normalize)
    click.echo(f"{subject} has it as version {made['version']}, with id {made['id']}.")


@command.command("check")
@click.argument("subject", shell_complete=complete_subjects)
@_schema_options
@click.option("--version", metavar="N", help="Against that version alone. Default: as its level of compatibility asks.")
@registry_option
@cluster_options
def check(
    subject: str,
    file: str | None,
    kind: str | None,
    text: str | None,
    references: tuple[str, ...],
    version: str | None,
    registry: str | None,
    target: Target,
) -> None:
    """Say whether a schema may become the next version. Nothing is changed; the exit code is 1 where it may not.

    \b
    riacho schema check orders-value order-2.avsc
    """
    schema = _written(file, kind, text, references)
    chosen = None if version is None else _version(version)
    is_compatible, reasons = RegistryCalls(target, registry).check(subject, chosen, schema)
    if not is_compatible:
        for each in reasons:
            click.echo(each, err=True)
        raise click.ClickException(f"It may not follow what {subject} has.")
    click.echo(f"It may be the next version of {subject}.")


@command.command("delete")
@click.argument("subject", shell_complete=complete_subjects)
@click.option("--version", metavar="N", help="That version alone. Default: all of the subject.")
@click.option("--permanent", is_flag=True, help="For good, of what is deleted: records with its id stay unread.")
@yes_option
@registry_option
@cluster_options
def delete(subject: str, version: str | None, permanent: bool, yes: bool, registry: str | None, target: Target) -> None:
    """Delete a subject or one version of it. On a terminal it asks first.

    \b
    riacho schema delete orders-value --version 2
    riacho schema delete orders-value --yes
    riacho schema delete orders-value --permanent --yes
    """
    calls = RegistryCalls(target, registry)
    what = f"Version {version} of {subject}" if version is not None else f"{subject} with all versions"
    confirm(f"{what} goes{' for good' if permanent else ''}. Delete it?", yes)
    gone = calls.delete(subject, None if version is None else _version(version), for_good=permanent)
    click.echo(f"Deleted {'for good ' if permanent else ''}of {subject}: {', '.join(map(str, gone))}.")


@command.command("compatibility")
@click.argument("subject", required=False, shell_complete=complete_subjects)
@click.argument("level", required=False, type=click.Choice(_LEVELS, case_sensitive=False))
@click.option(
    "--global",
    "is_global",
    metavar="LEVEL",
    type=click.Choice(_LEVELS, case_sensitive=False),
    help="Set the level of all subjects that have none of their own.",
)
@click.option("--unset", is_flag=True, help="Let the subject go by the registry's level again.")
@registry_option
@cluster_options
def compatibility(
    subject: str | None, level: str | None, is_global: str | None, unset: bool, registry: str | None, target: Target
) -> None:
    """Show or set what the next version of a subject has to be compatible with.

    \b
    riacho schema compatibility                       of the registry
    riacho schema compatibility orders-value
    riacho schema compatibility orders-value FULL
    riacho schema compatibility orders-value --unset
    riacho schema compatibility --global BACKWARD_TRANSITIVE
    """
    if (unset and (subject is None or level)) or (is_global and (subject or unset)):
        raise click.UsageError("Say one of: SUBJECT LEVEL, SUBJECT --unset, --global LEVEL.")
    calls = RegistryCalls(target, registry)
    if unset and subject is not None:
        calls.unset_level(subject)
    elif is_global is not None or level is not None:
        calls.set_level(subject, (is_global or level or "").upper())
    click.echo(f"{subject or 'The registry'}: {calls.level(subject)}")


def _version(text: str) -> str:
    if text != LATEST and not (text.isascii() and text.isdecimal() and 0 < int(text) < 1 << 31):
        raise click.UsageError(f"A version is a number from 1 on, or {LATEST}, not {text!r}.")
    return text


def _written(file: str | None, kind: str | None, text: str | None, references: tuple[str, ...]) -> WrittenSchema:
    if (file is None) == (text is None):
        raise click.UsageError("Give a FILE (- is standard input), or --schema TEXT.")
    if text is None:
        assert file is not None
        text = _text_of(file)
    chosen = kind or (None if file is None else kind_of_file(Path(file)))
    if chosen is None:
        raise click.UsageError(f"What kind of schema is it? Say --type {'|'.join(_TYPES)}.")
    return WrittenSchema(_TYPES[chosen], text, tuple(map(_reference, references)))


def _text_of(file: str) -> str:
    try:
        data = sys.stdin.buffer.read() if file == _STDIN else Path(file).read_bytes()
        return data.decode()
    except OSError as error:
        raise click.ClickException(f"{file} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise click.ClickException(f"{file} is no text file.") from None


def _reference(text: str) -> dict[str, Any]:
    name, _, place = text.partition("=")
    subject, _, version = place.rpartition(":")
    if not name or not subject or _version(version) == LATEST:
        raise click.UsageError(f"A reference is NAME=SUBJECT:VERSION, not {text!r}.")
    return {"name": name, "subject": subject, "version": int(version)}


def _pretty(text: str, kind: str) -> str:
    if kind == "PROTOBUF":
        return text
    try:
        return json.dumps(json.loads(text), indent=2, ensure_ascii=False)
    except ValueError:
        return text

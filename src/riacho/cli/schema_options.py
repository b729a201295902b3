"""Records with schemas for `riacho produce` and `consume`: JSON on this side, the registry's format in the topic.

How they are coded is the business of kafka-avro-console-producer and its kin (`kafka/schema_records.py`); here are the
options, and where the registry is.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from riacho.cli.record_text import BadRecord, NewRecord, TextRecord
from riacho.cli.supervisor.services import SCHEMA_REGISTRY

if TYPE_CHECKING:
    from riacho.cli.kafka.schema_records import SchemaRecords
    from riacho.cli.target import Target

F = TypeVar("F", bound=Callable[..., Any])
REGISTRY_URL = "schema.registry.url"
# What each is called in Confluent's class names.
_FORMATS = {"avro": "Avro", "json-schema": "JsonSchema", "protobuf": "Protobuf"}
_SUFFIXES = {".avsc": "avro", ".json": "json-schema", ".proto": "protobuf"}


def registry_option(function: F) -> F:
    return click.option(
        "--registry",
        metavar="URL",
        help=f"The schema registry. Default: {REGISTRY_URL} of -X or the profile, $RIACHO_SCHEMA_REGISTRY_URL, that of "
        "the running `riacho up`, http://127.0.0.1:8081.",
    )(function)


def format_options(function: F) -> F:
    for side in ("value", "key"):
        function = click.option(
            f"--{side}-format",
            type=click.Choice(list(_FORMATS)),
            help=f"The {side} has a schema of that kind; here it is JSON.",
        )(function)
    return function


def schema_options(function: F) -> F:
    for side in ("value", "key"):
        function = click.option(
            f"--{side}-schema",
            type=click.Path(exists=True, dir_okay=False, path_type=Path),
            metavar="FILE",
            help=f"The {side}'s schema: .avsc, .json or .proto. It is registered. Default: the latest one registered.",
        )(function)
    return function


def encoder(
    target: Target, topic: str, registry: str | None, formats: dict[str, str | None], files: dict[str, Path | None]
) -> Callable[[NewRecord], NewRecord]:
    """A record with the bytes that go into the topic. BadRecord for what does not go with its schema."""
    codes = {}
    for side in ("key", "value"):
        kind = _kind(side, formats[side], files[side])
        if kind is not None:
            file = files[side]
            more = {"use.latest.version": "true"} if file is None else {f"{side}.schema.file": str(file)}
            codes[side] = _made(lambda k=kind, m=more: _records(k, target, registry, m), topic, side)  # type: ignore[misc]

    def encode(record: NewRecord) -> NewRecord:
        from riacho.cli.kafka.launch import ToolError

        try:
            for side, code in codes.items():
                data = getattr(record, side)
                if data is not None:
                    changed: dict[str, Any] = {side: code(data)}
                    record = record._replace(**changed)
        except ToolError as error:
            raise BadRecord(_plain(error)) from None
        return record

    return encode


def decoder(target: Target, registry: str | None, formats: dict[str, str | None]) -> Callable[[TextRecord], TextRecord]:
    """A record with JSON in place of its bytes. ClickException for one that cannot be read by its schema."""
    codes = {side: _records(kind, target, registry, {}).decode for side, kind in formats.items() if kind is not None}

    def decode(record: TextRecord) -> TextRecord:
        from riacho.cli.kafka.deserializers import Undecodable

        try:
            found: dict[str, Any] = {
                side: code(data) for side, code in codes.items() if (data := getattr(record, side)) is not None
            }
        except Undecodable as error:
            place = f"{record.topic}[{record.partition}]@{record.offset}"
            raise click.ClickException(f"{place} has no such schema: {_plain(error)}.") from None
        return record._replace(**found)

    return decode


def _kind(side: str, given: str | None, file: Path | None) -> str | None:
    if file is None or given is not None:
        return given
    kind = kind_of_file(file)
    if kind is None:
        raise click.UsageError(f"What kind of schema is {file}? Say it with --{side}-format {'|'.join(_FORMATS)}.")
    return kind


def kind_of_file(file: Path) -> str | None:
    """By its name: avro, json-schema or protobuf."""
    return _SUFFIXES.get(file.suffix)


def _records(kind: str, target: Target, registry: str | None, more: dict[str, str]) -> SchemaRecords:
    from riacho.cli.kafka.launch import ToolError
    from riacho.cli.kafka.schema_records import SchemaRecords

    properties = {**target.properties, REGISTRY_URL: registry_url(target, registry), **more}
    try:
        return SchemaRecords(_FORMATS[kind], properties)
    except ToolError as error:
        raise click.ClickException(f"{_plain(error)}.") from None


def _made(make: Callable[[], SchemaRecords], topic: str, side: str) -> Callable[[bytes], bytes | None]:
    from riacho.cli.kafka.launch import ToolError

    try:
        return make().encoder(topic, is_key=side == "key")
    except ToolError as error:
        raise click.ClickException(f"The {side}'s schema: {_plain(error)}.") from None


def registry_url(target: Target, given: str | None) -> str:
    named = given or target.properties.get(REGISTRY_URL) or os.environ.get("RIACHO_SCHEMA_REGISTRY_URL")
    return named or _running_here() or SCHEMA_REGISTRY.url(SCHEMA_REGISTRY.port)


def _running_here() -> str | None:
    from riacho.cli.supervisor.running import newest_running

    state = newest_running()
    found = state.service(SCHEMA_REGISTRY.name) if state is not None else None
    return found.url if found is not None else None


def _plain(error: Exception) -> str:
    """The tools say `Error:` themselves."""
    return str(error).removeprefix("Error: ").rstrip(".")

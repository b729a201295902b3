"""`riacho pipeline create`, `validate`, `restart`, `offsets` and `logs`: configs from files and flags, what is said of
them, and what becomes of a pipeline that is there."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click

from riacho.cli.connect_client import ConnectClient, path_of
from riacho.cli.json_text import parse_json
from riacho.cli.pairs import parse_pairs

_CLASS = "connector.class"
# A line of a log begins with its time; what follows without one belongs to it.
_LINE = re.compile(r"\d{4}-\d\d-\d\d ")


def pipeline_config(name: str, file: Path | None, pairs: Iterable[str]) -> dict[str, str]:
    """A file, JSON (with or without Connect's `name` and `config` around it) or properties, and single settings."""
    config = _read(file) if file is not None else {}
    config |= parse_pairs(pairs, "--config")
    if config.setdefault("name", name) != name:
        raise click.UsageError(f"The config is of '{config['name']}', not of '{name}'.")
    if _CLASS not in config:
        raise click.UsageError(f"The config has no {_CLASS}: give a file, or -c {_CLASS}=DirectorySink and so on.")
    return config


def _read(file: Path) -> dict[str, str]:
    from riacho.base.config import parse_properties

    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not text"
        raise click.ClickException(f"{file} cannot be read: {reason}.") from None
    if not text.lstrip().startswith("{"):
        return parse_properties(text)
    try:
        found = parse_json(text)
    except ValueError as error:
        raise click.ClickException(f"{file} is not JSON: {error}.") from None
    inner = found.get("config")
    if isinstance(inner, dict) and inner:
        found = {**inner, **({"name": found["name"]} if "name" in found else {})}
    return {key: value if isinstance(value, str) else json.dumps(value) for key, value in found.items()}


def create(client: ConnectClient, name: str, config: dict[str, str]) -> bool:
    """Whether it is new: one that is there gets the new config."""
    known = client.call("GET", "/connectors") or []
    client.call("PUT", f"/connectors/{path_of(name)}/config", config)
    return name not in known


def wrong_settings(client: ConnectClient, config: dict[str, str]) -> list[dict[str, Any]]:
    """A row for each setting that is wrong, with why."""
    answer = client.call("PUT", f"/connector-plugins/{path_of(config[_CLASS])}/config/validate", config)
    return [
        {"setting": each["value"]["name"], "value": each["value"].get("value"), "wrong": error}
        for each in answer.get("configs", [])
        for error in each["value"].get("errors", [])
    ]


def restart(client: ConnectClient, name: str, *, only_failed: bool, has_tasks: bool, task: int | None) -> None:
    path = f"/connectors/{path_of(name)}"
    if task is not None:
        client.call("POST", f"{path}/tasks/{task}/restart")
        return
    client.call("POST", f"{path}/restart?includeTasks={_flag(has_tasks)}&onlyFailed={_flag(only_failed)}")


def _flag(value: bool) -> str:
    return "true" if value else "false"


def offset_pairs(moved: Iterable[tuple[str, str]], forgotten: Iterable[str]) -> list[dict[str, Any]]:
    """As Connect takes changes of offsets: without an offset a part is forgotten."""
    pairs = [{"partition": _object(part, "--set"), "offset": _object(offset, "--set")} for part, offset in moved]
    return pairs + [{"partition": _object(part, "--forget"), "offset": None} for part in forgotten]


def _object(text: str, option: str) -> dict[str, Any]:
    try:
        found = parse_json(text)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise click.UsageError(f'{option} takes objects of JSON, as {{"filename": "a.txt"}}, not {text!r}.')
    return found


def offset_rows(pairs: Iterable[dict[str, Any]]) -> list[dict[str, str]]:
    """Both as JSON, as `--set` takes them."""
    return [{"part": json.dumps(each.get("partition")), "offset": json.dumps(each.get("offset"))} for each in pairs]


def lines_of(lines: Iterable[str], name: str) -> list[str]:
    """Those of a worker's log that name the connector, each with the lines that belong to it."""
    named = re.compile(rf"(?<![\w.-]){re.escape(name)}(?![\w.-])")
    found: list[str] = []
    is_its = False
    for line in lines:
        if _LINE.match(line):
            is_its = named.search(line) is not None
        if is_its:
            found.append(line)
    return found

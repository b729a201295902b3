"""connect-standalone: a Connect worker by itself, with its connectors in files given after the worker's.

Kafka's keeps offsets in a file; this one keeps everything in topics of its own, so that nothing is lost with the
machine. A connector's file is a .properties file with its `name`, or JSON: `{"name": ..., "config": {...}}` or the
config alone.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

from riacho.base.config import parse_properties
from riacho.cli.json_text import parse_json
from riacho.cli.kafka.connect_distributed import read_properties, run_worker

USAGE = "Usage: connect-standalone worker.properties [connector1.properties|json connector2.properties|json ...]"
_OWN = {
    "group.id": "connect-standalone",
    "config.storage.topic": "connect-standalone-configs",
    "offset.storage.topic": "connect-standalone-offsets",
    "status.storage.topic": "connect-standalone-status",
}


def main() -> None:
    sys.exit(run(sys.argv[1:]))


def run(words: list[str]) -> int:
    given = [word for word in words if word != "-daemon"]
    if not given or given[0] in ("-h", "--help"):
        print(USAGE, file=sys.stderr)
        return 0 if given else 1
    properties = read_properties(given[0])
    if properties is None:
        return 1
    connectors: dict[str, dict[str, str]] = {}
    for path in given[1:]:
        try:
            name, config = read_connector(Path(path))
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error).rstrip(".")
            print(f"Error: {path} is not a connector's file: {reason}.", file=sys.stderr)
            return 1
        connectors[name] = config
    return run_worker({**_OWN, **properties}, connectors)


def read_connector(path: Path) -> tuple[str, dict[str, str]]:
    """(name, config); ValueError in one sentence, OSError."""
    text = path.read_text(encoding="utf-8")
    config = _from_json(text) if path.suffix == ".json" else parse_properties(text)
    name = config.get("name", "").strip()
    if not name:
        raise ValueError("it has no name")
    return name, {**config, "name": name}


def _from_json(text: str) -> dict[str, str]:
    try:
        given = parse_json(text)
    except ValueError as error:
        raise ValueError(f"it is not JSON ({error})") from None
    if not isinstance(given, Mapping):
        raise ValueError("it is not a JSON object")
    if isinstance(given.get("config"), Mapping):
        given = {"name": given.get("name"), **given["config"]}
    return {str(key): _text(value) for key, value in given.items() if value is not None}


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str | int | float):
        return str(value)
    raise ValueError("its config has a value that is neither text nor number")

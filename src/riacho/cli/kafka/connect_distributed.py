"""connect-distributed: a Connect worker from a worker.properties file, one of several with the same group.id.

It takes a file and no flags, as Kafka's script does, so it is none of the tools of `tools.py`.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Mapping

from riacho.base.packages import how_to_install
from riacho.cli.kafka.launch import ToolError
from riacho.cli.kafka.properties import load_properties
from riacho.cli.supervisor.services import CONNECT, can_run_services

USAGE = "Usage: connect-distributed worker.properties"


def main() -> None:
    sys.exit(run(sys.argv[1:]))


def run(words: list[str]) -> int:
    given = [word for word in words if word != "-daemon"]
    if len(given) != 1 or given[0] in ("-h", "--help"):
        print(USAGE, file=sys.stderr)
        return 0 if given in (["-h"], ["--help"]) else 1
    properties = read_properties(given[0])
    return 1 if properties is None else run_worker(properties, {})


def read_properties(path: str) -> dict[str, str] | None:
    """None when it cannot be read, which is told."""
    try:
        return load_properties(path)
    except ToolError as error:
        print(error, file=sys.stderr)
    except OSError as error:
        print(f"Error: {path} cannot be read: {error.strerror or error}.", file=sys.stderr)
    except UnicodeDecodeError:
        print(f"Error: {path} is not text.", file=sys.stderr)
    return None


def run_worker(properties: Mapping[str, str], connectors: Mapping[str, Mapping[str, str]]) -> int:
    """Until SIGTERM or Ctrl-C; the exit code."""
    if not can_run_services():
        print(f"Error: {CONNECT.name} needs packages that are not installed: {how_to_install('services')}.")
        return 1
    level = os.environ.get("RIACHO_LOG_LEVEL", "INFO")
    logging.basicConfig(
        level=level, stream=sys.stderr, format="%(asctime)s %(levelname)s %(message)s", datefmt="%Y-%m-%d %H:%M:%S"
    )
    from riacho.pipelines.connect.run import run as run_connect

    return run_connect(properties, connectors=connectors)

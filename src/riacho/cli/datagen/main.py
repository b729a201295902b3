"""ksql-datagen: made-up records into a topic, at a pace, for a first look at KSQL."""

from __future__ import annotations

import json
import random
import sys
import time
from collections.abc import Sequence

import click

from riacho.base.packages import how_to_install
from riacho.cli.datagen.arguments import USAGE, Arguments, DatagenError, parse_arguments
from riacho.cli.failures import click_errors, print_error
from riacho.cli.record_sender import RecordSender
from riacho.cli.record_text import NewRecord
from riacho.cli.supervisor.services import SCHEMA_REGISTRY
from riacho.cli.target import find_target
from riacho.cli.unread_output import open_closed_streams


def main() -> None:
    open_closed_streams()
    try:
        with click_errors():
            sys.exit(run(sys.argv[1:]))
    except click.ClickException as error:
        sys.exit(print_error(error))
    except KeyboardInterrupt:
        sys.exit(130)


def run(words: Sequence[str]) -> int:
    """The exit code: 2 where it was called wrongly."""
    if not words or any(word in ("help", "-h", "--help") for word in words):
        click.echo(USAGE)
        return 0 if words else 2
    try:
        from riacho.pipelines.connectors.datagen.quickstarts import QUICKSTARTS

        arguments = parse_arguments(words, QUICKSTARTS)
        _write(arguments)
    except DatagenError as error:
        click.echo(f"ksql-datagen: {' '.join(str(error).split())}", err=True)
        return 2
    except ImportError as error:
        click.echo(f"ksql-datagen needs {error.name}: {how_to_install('services')}.", err=True)
        return 1
    return 0


def _write(arguments: Arguments) -> None:
    from riacho.cli.datagen.rows import MadeRows

    registry = {"schema.registry.url": arguments.registry or _usual_registry()}
    rows = MadeRows(arguments, registry, arguments.seed or str(random.getrandbits(63)))
    sender = RecordSender(find_target(arguments.bootstrap, arguments.properties), arguments.topic)
    for row in rows(arguments.iterations):
        time_ms = time.time_ns() // 1_000_000
        sender.send(NewRecord(row.value, row.key, timestamp_ms=time_ms))
        if arguments.print_rows:
            click.echo(f"[{row.shown_key}] --> {json.dumps(row.shown, ensure_ascii=False)} ts:{time_ms}")
        time.sleep(_wait_s(arguments))
    sender.finish()


def _wait_s(arguments: Arguments) -> float:
    if arguments.rate is not None:
        return 1 / arguments.rate
    return random.uniform(0, arguments.interval_ms) / 1000


def _usual_registry() -> str:
    from riacho.cli.supervisor.running import newest_running

    state = newest_running()
    services = state.services if state is not None else []
    found = [service.url for service in services if service.name == SCHEMA_REGISTRY.name]
    return found[0] if found else SCHEMA_REGISTRY.url(SCHEMA_REGISTRY.port)

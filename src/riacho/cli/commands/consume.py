"""`riacho consume`: read records, from where you like, as you like."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import BinaryIO, NamedTuple

import click

from riacho.cli.argument_names import complete_groups, complete_partitions, complete_places, complete_topics
from riacho.cli.failures import PlainCommand
from riacho.cli.output import is_terminal, remark
from riacho.cli.position import Kind, parse_position, resolve
from riacho.cli.progress import progress
from riacho.cli.record_text import TextRecord
from riacho.cli.schema_options import decoder, format_options, registry_option
from riacho.cli.target import Target, cluster_options
from riacho.cli.views.record_lines import line_form

# The records, what to do after each one, and how many there will be where that is known.
Reading = tuple[Iterator[TextRecord], Callable[[TextRecord], None], int | None]


class _Asked(NamedTuple):
    topics: tuple[str, ...]
    from_: str | None
    to: str | None
    follow: bool
    partitions: tuple[int, ...]
    group: str | None
    target: Target


@click.command("consume", cls=PlainCommand)
@click.argument("topics", nargs=-1, required=True, metavar="TOPIC...", shell_complete=complete_topics)
@click.option(
    "--from",
    "from_",
    metavar="PLACE",
    shell_complete=complete_places,
    help="start, end, an offset, -N (the last N), @TIME or '5m ago'.",
)
@click.option(
    "--to",
    metavar="PLACE",
    shell_complete=complete_places,
    help="Stop before that place. Default: the end as it is now.",
)
@click.option("-n", "--count", type=click.IntRange(min=1), metavar="N", help="Stop after N records.")
@click.option("--follow", is_flag=True, help="Go on as new records come, until Ctrl-C.")
@click.option(
    "--partition",
    "partitions",
    type=click.IntRange(min=0),
    multiple=True,
    shell_complete=complete_partitions,
    help="Only this one; repeatable.",
)
@click.option(
    "--group",
    metavar="NAME",
    shell_complete=complete_groups,
    help="Read as a member of a group: share the partitions, commit what was read.",
)
@click.option("--grep", metavar="REGEX", help="Only records whose key or value matches.")
@click.option(
    "-f", "--format", "format_", metavar="FORMAT", help=r"%t topic %p partition %o offset %k key %v value \n ..."
)
@click.option(
    "-o",
    "--output",
    type=click.Choice(["table", "json", "raw"]),
    help="table: all in a line; json: an object for each; raw: the value. Default: table on a terminal, else raw.",
)
@format_options
@registry_option
@click.option("--file", type=click.Path(dir_okay=False, path_type=Path), help="Write to a file, with a progress bar.")
@cluster_options
def command(
    topics: tuple[str, ...],
    from_: str | None,
    to: str | None,
    count: int | None,
    follow: bool,
    partitions: tuple[int, ...],
    group: str | None,
    grep: str | None,
    format_: str | None,
    output: str | None,
    key_format: str | None,
    value_format: str | None,
    registry: str | None,
    file: Path | None,
    target: Target,
) -> None:
    """Read records of one or more topics. It reads what is there and ends; `--follow` waits for more.

    \b
    riacho consume orders                       everything there is
    riacho consume orders --follow              what comes from now on
    riacho consume orders --from -10            the last ten of each partition
    riacho consume orders --from '5m ago' --grep ana
    riacho consume orders --from @2026-01-31T10:00 -n 5 -o json
    riacho consume orders -f '%p:%o %k=%v\\n'
    riacho consume orders --group billing       goes on where the group stopped
    riacho consume orders --value-format avro   with a schema, as JSON

    \b
    Formats: %t topic, %p partition, %o offset, %k key, %v value, %T time in ms,
             %h headers, %K and %S sizes of key and value, %% a percent sign.
    """
    pattern = _pattern(grep)
    shape = "format" if format_ is not None else output or _default_output(file)
    formats = {"key": key_format, "value": value_format}
    decoded = decoder(target, registry, formats) if any(formats.values()) else lambda record: record
    form = line_form(shape, format_, is_coloured=file is None)
    with ExitStack() as stack:
        asked = _Asked(topics, from_, to, follow, partitions, group, target)
        records, mark_read, total = (_as_member if group is not None else _by_hand)(stack, asked)
        out: BinaryIO = stack.enter_context(file.open("wb")) if file is not None else sys.stdout.buffer
        # A terminal that shows records has no place for a bar.
        advance = stack.enter_context(progress("Reading", total, is_shown=file is not None)).advance
        shown = 0
        try:
            for record in records:
                advance(1)
                readable = decoded(record)
                if _matches(readable, pattern):
                    out.write(form(readable))
                    shown += 1
                    if file is None and (follow or is_terminal(sys.stdout)):
                        out.flush()
                mark_read(record)
                if shown == count:
                    break
        except KeyboardInterrupt:
            # The way to end --follow; what was read has been shown.
            if not follow:
                raise
        out.flush()
    if file is not None:
        remark(f"Wrote {shown} record{'' if shown == 1 else 's'} to {file}.")


def _pattern(grep: str | None) -> re.Pattern[bytes] | None:
    try:
        return re.compile(grep.encode()) if grep is not None else None
    except re.error as error:
        raise click.UsageError(f"--grep {grep!r} is no regular expression: {error}.") from None


def _matches(record: TextRecord, pattern: re.Pattern[bytes] | None) -> bool:
    return pattern is None or any(pattern.search(part) for part in (record.key, record.value) if part is not None)


def _default_output(file: Path | None) -> str:
    return "table" if file is None and is_terminal(sys.stdout) else "raw"


def _by_hand(stack: ExitStack, asked: _Asked) -> Reading:
    from riacho.cli.record_reader import read_partitions

    if asked.follow and asked.to is not None:
        raise click.UsageError("--follow has no end; give it or --to, not both.")
    now_ms = time.time_ns() // 1_000_000
    start = parse_position(asked.from_ or ("end" if asked.follow else "start"), now_ms)
    stop = parse_position(asked.to or "end", now_ms)
    if start.kind is Kind.END and not asked.follow:
        raise click.UsageError("There is nothing behind the end yet; --from end goes with --follow.")
    with asked.target.open() as cluster:
        known = cluster.retry(lambda: cluster.topics(asked.topics))
        partitions = [
            (name, p.partition_index)
            for name, topic in known.items()
            for p in sorted(topic.partitions, key=lambda p: p.partition_index)
            if not asked.partitions or p.partition_index in asked.partitions
        ]
        if not partitions:
            raise click.ClickException(f"No topic given has partition {', '.join(map(str, asked.partitions))}.")
        starts = resolve(cluster, start, partitions)
        ends = None if asked.follow else resolve(cluster, stop, partitions)
    total = sum(max(0, ends[p] - starts[p]) for p in partitions) if ends is not None else None
    records = read_partitions(asked.target, starts, ends)
    # A generator that is not run to its end is closed by hand, so that its consumer is too.
    stack.enter_context(closing(records))  # type: ignore[type-var]
    return records, lambda record: None, total


def _as_member(stack: ExitStack, asked: _Asked) -> Reading:
    from riacho.cli.record_reader import GroupReader

    start = parse_position(asked.from_ or "start", 0)
    if start.kind not in (Kind.START, Kind.END) or asked.to is not None or asked.partitions:
        raise click.UsageError(
            "A group goes on where it stopped: with --group, --from is start or end (for its first time), "
            "and there is neither --to nor --partition. `riacho group reset` moves a group."
        )
    with asked.target.open() as cluster:
        cluster.retry(lambda: cluster.topics(asked.topics))
    assert asked.group is not None
    reader = GroupReader(
        asked.target, asked.group, list(asked.topics), from_start=start.kind is Kind.START, follow=asked.follow
    )
    stack.callback(reader.close)
    return iter(reader), reader.mark_read, None

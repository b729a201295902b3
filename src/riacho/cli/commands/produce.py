"""`riacho produce`: send records, from arguments, a file or standard input."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import click

from riacho.base.errors import KafkaError
from riacho.cli.argument_names import complete_topics
from riacho.cli.failures import PlainCommand
from riacho.cli.output import JSON, RAW, TABLE, is_terminal, output_option, remark
from riacho.cli.pairs import split_pair
from riacho.cli.progress import Advance, progress
from riacho.cli.record_text import BadRecord, Headers, NewRecord, from_json_line
from riacho.cli.schema_options import encoder, format_options, registry_option, schema_options
from riacho.cli.target import Target, cluster_options

if TYPE_CHECKING:
    from riacho.cli.record_sender import RecordSender


Code = Callable[[NewRecord], NewRecord]


class BadLine(Exception):
    """A line that is no record."""

    def __init__(self, number: int, reason: str) -> None:
        super().__init__(f"Line {number} is no record: {reason}.")


@click.command("produce", cls=PlainCommand)
@click.argument("topic", shell_complete=complete_topics)
@click.argument("values", nargs=-1, metavar="[VALUE]...")
@click.option("-k", "--key", help="The key of every record.")
@click.option("-K", "--key-separator", metavar="TEXT", help="Lines are KEY, this text, VALUE.")
@click.option("--file", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="Read lines from a file.")
@click.option("-H", "--header", multiple=True, metavar="KEY=VALUE", help="A header of every record. May be repeated.")
@click.option("--partition", type=click.IntRange(min=0), help="The partition. Default: chosen by the key's hash.")
@click.option("--json", "as_json", is_flag=True, help="Lines are JSON objects, as `consume -o json` writes them.")
@format_options
@schema_options
@registry_option
@click.option("--tombstone", is_flag=True, help="A null value for --key: compaction then forgets that key.")
@output_option
@cluster_options
def command(
    topic: str,
    values: tuple[str, ...],
    key: str | None,
    key_separator: str | None,
    file: Path | None,
    header: tuple[str, ...],
    partition: int | None,
    as_json: bool,
    key_format: str | None,
    value_format: str | None,
    key_schema: Path | None,
    value_schema: Path | None,
    registry: str | None,
    tombstone: bool,
    output: str,
    target: Target,
) -> None:
    """Send records to TOPIC and wait until the broker has them.

    \b
    riacho produce orders 'first order' 'second order'
    riacho produce orders --key ana 'an order of hers'
    riacho produce orders --file orders.txt            a record for each line
    seq 100 | riacho produce numbers
    riacho consume orders -o json | riacho produce copy --json
    riacho produce orders --value-schema order.avsc '{"id": 1}'

    With `-o json` or `-o raw` it tells where each record went.
    """
    _check(values, file, key, key_separator, as_json, tombstone)
    headers = tuple((name, text.encode()) for name, text in (split_pair(word, "--header") for word in header))
    # Set once for all; a JSON line's own key goes before it.
    common = NewRecord(None, key.encode() if key is not None else None, headers, partition)
    coded: Code = lambda record: record  # noqa: E731
    if any((key_format, value_format, key_schema, value_schema)):
        formats = {"key": key_format, "value": value_format}
        coded = encoder(target, topic, registry, formats, {"key": key_schema, "value": value_schema})
    with ExitStack() as stack:
        if tombstone:
            records: Iterable[NewRecord] = [coded(common)]
        elif values:
            lines = (value.encode() for value in values)
            records = _records(lines, common, as_json, key_separator, coded)
        else:
            stream = stack.enter_context(file.open("rb")) if file is not None else _standard_input()
            size_bytes = file.stat().st_size if file is not None else None
            about = f"Sending to {topic}"
            bar = stack.enter_context(progress(about, size_bytes, is_shown=file is not None, in_bytes=True))
            records = _records(_lines(stream, bar.advance), common, as_json, key_separator, coded)
        shown = output if output != TABLE or not (values or tombstone) else "sentence"
        # librdkafka takes half a second to get a producer id: too long a wait for a word on the command line.
        sender = _sender(target, topic, shown, is_idempotent=not (values or tombstone))
        _send(sender, records)
    remark(f"Sent {_records_word(sender.count)} to {topic}.")
    if sender.is_new_topic:
        remark(f"There was no topic {topic} before: the broker made it. `riacho topic create` does it your way.")


def _check(
    values: tuple[str, ...], file: Path | None, key: str | None, separator: str | None, as_json: bool, tombstone: bool
) -> None:
    if values and file is not None:
        raise click.UsageError("Records come from arguments or from --file, not from both.")
    if tombstone and (key is None or values or file is not None):
        raise click.UsageError("--tombstone needs --key, and no values: the null value is the point of it.")
    if separator is not None and (key is not None or as_json):
        raise click.UsageError("--key-separator finds the key in the line; it goes neither with --key nor --json.")
    if separator == "":
        raise click.UsageError("--key-separator needs at least one character.")


def _standard_input() -> BinaryIO:
    if is_terminal(sys.stdin):
        remark("A record for each line; Ctrl-D ends it.")
    return sys.stdin.buffer


def _lines(stream: BinaryIO, advance: Advance) -> Iterator[bytes]:
    for line in stream:
        advance(len(line))
        yield line.removesuffix(b"\n").removesuffix(b"\r")


def _records(
    lines: Iterable[bytes], common: NewRecord, as_json: bool, separator: str | None, coded: Code
) -> Iterator[NewRecord]:
    for number, line in enumerate(lines, 1):
        try:
            if as_json:
                yield coded(_merged(from_json_line(line.decode()), common))
            elif separator is not None:
                key, found, value = line.partition(separator.encode())
                if not found:
                    raise BadRecord(f"there is no {separator!r} in it")
                yield coded(common._replace(key=key, value=value))
            else:
                yield coded(common._replace(value=line))
        except (BadRecord, UnicodeDecodeError) as error:
            raise BadLine(number, str(error)) from None


def _merged(record: NewRecord, common: NewRecord) -> NewRecord:
    headers: Headers = (*common.headers, *record.headers)
    return record._replace(
        key=common.key if record.key is None else record.key,
        headers=headers,
        partition=record.partition if common.partition is None else common.partition,
    )


def _sender(target: Target, topic: str, shown: str, *, is_idempotent: bool) -> RecordSender:
    from riacho.cli.record_sender import RecordSender

    formats = {
        JSON: lambda p, o: f'{{"topic": "{topic}", "partition": {p}, "offset": {o}}}',
        RAW: lambda p, o: f"{topic}\t{p}\t{o}",
        "sentence": lambda p, o: f"{topic} partition {p} offset {o}",
    }
    form = formats.get(shown)
    on_sent = (lambda p, o: click.echo(form(p, o))) if form is not None else None
    return RecordSender(target, topic, on_sent, is_idempotent=is_idempotent)


def _send(sender: RecordSender, records: Iterable[NewRecord]) -> None:
    """All of them; when that cannot be, those up to there, and a word on how many they were."""
    try:
        for record in records:
            sender.send(record)
        sender.finish()
    except BadLine as bad:
        sender.finish()
        raise click.ClickException(f"{bad} {_before(sender)}") from None
    except KafkaError as error:
        raise KafkaError(error.code, f"{error.detail.rstrip('.')}. {_before(sender)}") from None
    except KeyboardInterrupt:
        sender.finish()
        remark(_before(sender))
        raise


def _before(sender: RecordSender) -> str:
    return f"Sent {_records_word(sender.count)} before that, and none after."


def _records_word(count: int) -> str:
    return f"{count} record{'' if count == 1 else 's'}"

"""What ksql-datagen is told: words of the form name=value, with the names of Confluent's tool."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from riacho.cli.failures import did_you_mean

USAGE = """\
Usage: ksql-datagen [help] quickstart=NAME | schema=FILE key=FIELD format=FORMAT topic=NAME

Writes made-up records to a topic, until Ctrl-C or as many as `iterations` says.

  quickstart=NAME          a well-known data set: orders, users, pageviews, ratings, ...; any case
  schema=FILE              an Avro record schema with arg.properties, as avro-random-generator has them
  key=FIELD                the field that is the key
  format=FORMAT            JSON (of quick starts), AVRO, DELIMITED, PROTOBUF, JSON_SR; also valueFormat=
  keyFormat=FORMAT         KAFKA
  valueDelimiter=, keyDelimiter=   of DELIMITED: a character, SPACE or TAB
  topic=NAME               by default of quick starts NAME_kafka_topic_
  bootstrap-server=HOST:PORT   by default $KAFKA_BOOTSTRAP_SERVERS, the running `riacho up`, localhost:9092
  schemaRegistryUrl=URL    by default that of the running `riacho up`, http://localhost:8081
  propertiesFile=FILE      client settings, for a login
  iterations=N             records of each thread, 1000000; -1: without end
  maxInterval=MS           the longest wait between two records, 500
  msgRate=N                records a second instead
  nThreads=N               series of records, 1
  printRows=true|false     whether each is shown, true
  seed=TEXT                the same seed gives the same records"""

_ITERATIONS = 1_000_000
_INTERVAL_MS = 500
_THREADS_MAX = 64


class DatagenError(Exception):
    """What is wrong with how it was called; one sentence."""


@dataclass(frozen=True, slots=True)
class Arguments:
    """`interval_ms` is the longest wait; `rate`, where it is given, stands in its place."""

    topic: str
    quickstart: str | None = None
    schema: Path | None = None
    key: str | None = None
    format: str = "JSON"
    key_format: str = "KAFKA"
    value_delimiter: str | None = None
    key_delimiter: str | None = None
    bootstrap: str | None = None
    registry: str | None = None
    properties: Path | None = None
    iterations: int = _ITERATIONS
    interval_ms: int = _INTERVAL_MS
    rate: int | None = None
    threads: int = 1
    print_rows: bool = True
    seed: str | None = None


def parse_arguments(words: Sequence[str], quickstarts: Mapping[str, object]) -> Arguments:
    """DatagenError."""
    given = _pairs(words)
    quickstart = given.pop("quickstart", None)
    if (quickstart is None) == ("schema" not in given):
        raise DatagenError("Give either quickstart=NAME or schema=FILE.")
    if quickstart is None:
        missing = [name for name in ("key", "format", "topic") if not given.get(name)]
        if missing:
            raise DatagenError(f"With schema= there must be {', '.join(f'{name}=' for name in missing)} too.")
    else:
        quickstart = quickstart.lower()
        if quickstart not in quickstarts:
            raise DatagenError(f"There is no quick start '{quickstart}'; there are {', '.join(sorted(quickstarts))}.")
    fields: dict[str, object] = {"quickstart": quickstart}
    for name, text in given.items():
        field, read = _READERS[name]
        fields[field] = read(name, text)
    fields.setdefault("topic", f"{quickstart}_kafka_topic_")
    return Arguments(**fields)  # type: ignore[arg-type]


def _pairs(words: Sequence[str]) -> dict[str, str]:
    given: dict[str, str] = {}
    for word in words:
        name, separator, text = word.partition("=")
        # As other programs' options are written.
        name = name.removeprefix("--")
        name = _ALIASES.get(name, name)
        if not separator or (name not in _READERS and name != "quickstart"):
            known = [f"{each}=" for each in ("quickstart", *_READERS)]
            raise DatagenError(f"'{word}' is no argument of ksql-datagen{did_you_mean(name + '=', known)}")
        if name in given:
            raise DatagenError(f"{name}= is given twice.")
        given[name] = text
    return given


def _text(name: str, text: str) -> str:
    if not text:
        raise DatagenError(f"{name}= has no value.")
    return text


def _format(name: str, text: str) -> str:
    return _text(name, text).upper()


def _path(name: str, text: str) -> Path:
    return Path(_text(name, text))


def _whole(least: int, most: int = 2**31 - 1) -> Callable[[str, str], int]:
    def read(name: str, text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            number = least - 1
        if not least <= number <= most:
            raise DatagenError(f"{name}={text} is no whole number from {least} to {most}.")
        return number

    return read


def _flag(name: str, text: str) -> bool:
    if text.lower() not in ("true", "false"):
        raise DatagenError(f"{name}= is true or false.")
    return text.lower() == "true"


_ALIASES = {"valueFormat": "format", "bootstrap-servers": "bootstrap-server"}
_READERS: dict[str, tuple[str, Callable[[str, str], object]]] = {
    "schema": ("schema", _path),
    "key": ("key", _text),
    "format": ("format", _format),
    "keyFormat": ("key_format", _format),
    "valueDelimiter": ("value_delimiter", _text),
    "keyDelimiter": ("key_delimiter", _text),
    "topic": ("topic", _text),
    "bootstrap-server": ("bootstrap", _text),
    "schemaRegistryUrl": ("registry", _text),
    "propertiesFile": ("properties", _path),
    "iterations": ("iterations", _whole(-1)),
    "maxInterval": ("interval_ms", _whole(0)),
    "msgRate": ("rate", _whole(1)),
    "nThreads": ("threads", _whole(1, _THREADS_MAX)),
    "printRows": ("print_rows", _flag),
    "seed": ("seed", _text),
}

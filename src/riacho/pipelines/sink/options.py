"""The options of a write: topic, delivery, and the settings of a Kafka producer under `kafka.`, with Java's names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from riacho.base.errors import KafkaError
from riacho.client.settings import ClientSettings, client_settings
from riacho.pipelines.sink.errors import SinkError, sink_error
from riacho.wire.compression import CODEC_NAMES, LEVELS

EXACTLY_ONCE = "exactly-once"
AT_LEAST_ONCE = "at-least-once"
SINK_ID = "riacho.sink.id"
DELIVERY = "riacho.delivery"
# What a repetition of an epoch may have: the rows that it had, or (from sources that cannot repeat theirs) any.
REPLAY = "riacho.replay"
SAME_ROWS, ANY_ROWS = "same", "any"

_PREFIX = "kafka."
# The least that a batch's header and one small record take.
_BATCH_SIZE_BYTES_MIN = 1_024
_BATCH_SIZE_BYTES = 1_000_000
_REQUEST_SIZE_BYTES = 1_048_576
# Java's max.block.ms: how long a write waits for brokers that cannot be reached, or a topic that is not there.
_BLOCK_MS = 60_000
_TOPIC_MS_MAX = 5_000
_DELIVERY_TIMEOUT_MS = 120_000
# The most that brokers allow by default: the transactions of an epoch are open from its first row to its last.
_TRANSACTION_TIMEOUT_MS = 900_000
_IN_FLIGHT_MAX = 5
ALL_ACKS = -1
_ACKS = {"all": ALL_ACKS, "-1": ALL_ACKS, "1": 1}


class SinkOptions(NamedTuple):
    settings: ClientSettings
    properties: tuple[tuple[str, str], ...]
    topic: str | None
    delivery: str | None
    sink_id: str | None
    codec: int
    compression_level: int | None
    batch_size_bytes: int
    request_size_bytes_max: int
    topic_timeout_ms: int
    delivery_timeout_ms: int
    request_timeout_ms: int
    transaction_timeout_ms: int
    replay: str
    acks: int

    @property
    def kafka_properties(self) -> tuple[tuple[str, str], ...]:
        """What the brokers are reached by and written to with."""
        return tuple(sorted(each for each in self.properties if each[0].startswith(_PREFIX)))

    def check_transactional(self) -> None:
        """SinkError where these options are not for transactions."""
        if self.acks != ALL_ACKS:
            raise SinkError(f"Option kafka.acks is {self.acks}: {EXACTLY_ONCE} needs all.")

    def __reduce__(self) -> tuple[object, ...]:
        # TLS contexts cannot travel from the driver to the tasks; what they are made from can.
        return parse_options, (dict(self.properties),)


def parse_options(options: Mapping[str, str]) -> SinkOptions:
    """SinkError for the first that cannot be used."""
    given = {key.lower(): str(value) for key, value in options.items()}
    kafka = {key.removeprefix(_PREFIX): value for key, value in given.items() if key.startswith(_PREFIX)}
    bootstrap = kafka.get("bootstrap.servers")
    if not bootstrap:
        raise SinkError("Option kafka.bootstrap.servers is missing: it says which brokers to write to.")
    delivery = given.get(DELIVERY)
    if delivery not in (None, EXACTLY_ONCE, AT_LEAST_ONCE):
        raise SinkError(f"Option {DELIVERY} is {delivery}: it must be {EXACTLY_ONCE} or {AT_LEAST_ONCE}.")
    sink_id = given.get(SINK_ID)
    if sink_id is not None and (not sink_id or "/" in sink_id):
        raise SinkError(f"Option {SINK_ID} is '{sink_id}': it must be a name without slashes.")
    replay = given.get(REPLAY, SAME_ROWS)
    if replay not in (SAME_ROWS, ANY_ROWS):
        raise SinkError(f"Option {REPLAY} is {replay}: it must be {SAME_ROWS} or {ANY_ROWS}.")
    codec = CODEC_NAMES.get(kafka.get("compression.type", "none").lower())
    if codec is None:
        known = "none, gzip, snappy, lz4, zstd"
        raise SinkError(f"Option kafka.compression.type is {kafka['compression.type']}: it must be one of {known}.")
    acks = _ACKS.get(kafka.get("acks", "all").lower())
    if acks is None:
        raise SinkError(f"Option kafka.acks is {kafka['acks']}: it must be all or 1.")
    if not 1 <= _number(kafka, "max.in.flight.requests.per.connection", _IN_FLIGHT_MAX) <= _IN_FLIGHT_MAX:
        raise SinkError(f"Option kafka.max.in.flight.requests.per.connection must be 1 to {_IN_FLIGHT_MAX}.")
    block_ms = _number(kafka, "max.block.ms", _BLOCK_MS)
    request_size = _number(kafka, "max.request.size", _REQUEST_SIZE_BYTES)
    parsed = SinkOptions(
        settings=_settings(bootstrap, kafka, block_ms),
        properties=tuple(given.items()),
        topic=given.get("topic") or None,
        delivery=delivery,
        sink_id=sink_id,
        codec=codec,
        compression_level=_level(kafka, codec),
        batch_size_bytes=max(_BATCH_SIZE_BYTES_MIN, min(_number(kafka, "batch.size", _BATCH_SIZE_BYTES), request_size)),
        request_size_bytes_max=request_size,
        topic_timeout_ms=min(block_ms, _TOPIC_MS_MAX),
        delivery_timeout_ms=_number(kafka, "delivery.timeout.ms", _DELIVERY_TIMEOUT_MS),
        request_timeout_ms=_number(kafka, "request.timeout.ms", 30_000),
        transaction_timeout_ms=_number(kafka, "transaction.timeout.ms", _TRANSACTION_TIMEOUT_MS),
        replay=replay,
        acks=acks,
    )
    if delivery == EXACTLY_ONCE:
        parsed.check_transactional()
    return parsed


def _settings(bootstrap: str, kafka: Mapping[str, str], block_ms: int) -> ClientSettings:
    try:
        settings = client_settings(bootstrap, {"client.id": "riacho-sink"} | dict(kafka))
    except KafkaError as error:
        raise sink_error(error) from None
    # Short first pauses: a coordinator that still ends the last transaction is ready a moment later.
    pause_ms = settings.retry_backoff_ms if "retry.backoff.ms" in kafka else 10
    return settings._replace(reach_timeout_ms=block_ms, api_timeout_ms=max(block_ms, 1), retry_backoff_ms=pause_ms)


def _level(kafka: Mapping[str, str], codec: int) -> int | None:
    levels = next(((c, r) for c, r in LEVELS.items() if c == codec), None)
    if levels is None:
        return None
    name = f"compression.{levels[0].name.lower()}.level"
    if name not in kafka:
        return None
    try:
        level = int(kafka[name])
    except ValueError:
        raise SinkError(f"Option kafka.{name} is {kafka[name]}: it must be a number.") from None
    if level not in levels[1]:
        low, high = levels[1].start, levels[1].stop - 1
        raise SinkError(f"Option kafka.{name} is {level}: it must be from {low} to {high}.")
    return level


def _number(kafka: Mapping[str, str], name: str, default: int) -> int:
    text = kafka.get(name, str(default))
    if not text.isdecimal():
        raise SinkError(f"Option kafka.{name} is {text}: it must be a number.")
    return int(text)

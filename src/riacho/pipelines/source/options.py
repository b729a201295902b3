"""The options of a read, by the names of Spark's own Kafka connector, checked before anything is asked of a broker.

Names are taken in any case, as everywhere in Spark. Options that neither connector knows pass by unread, since Spark
hands over whatever stands in a program; `kafka.*` settings that the source decides itself are refused.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from riacho.base.config import ConfigError
from riacho.base.errors import KafkaError
from riacho.client.settings import ClientSettings, client_settings
from riacho.pipelines.source.positions import At, Position, Times, parse_positions, parse_times
from riacho.pipelines.source.subscription import Subscription, parse_subscription

# A task reads one partition, so it may take much of it at a time; Kafka's own default shares a fetch among many.
FETCH_SIZE_BYTES = 8 * 1024 * 1024
_INT_MAX = 2**31 - 1
_MAX_TRIGGER_DELAY_MS = 15 * 60 * 1000
_UNITS_MS = {"ms": 1, "s": 1000, "m": 60_000, "min": 60_000, "h": 3_600_000, "d": 86_400_000, "us": 0.001}
_REFUSED = {
    "auto.offset.reset": "set the option 'startingOffsets' to 'earliest' or 'latest' instead",
    "key.deserializer": "keys are read as bytes; turn them into values with DataFrame operations",
    "value.deserializer": "values are read as bytes; turn them into values with DataFrame operations",
    "enable.auto.commit": "the offsets read are kept in the query's checkpoint",
    "interceptor.classes": "records are not read through a Java consumer",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceOptions:
    client: ClientSettings = field(repr=False)
    subscription: Subscription
    starting: Position | Times
    ending: Position | Times
    latest_when_too_late: bool
    fail_on_data_loss: bool
    include_headers: bool
    offsets_per_trigger_max: int | None
    offsets_per_trigger_min: int | None
    trigger_delay_ms_max: int
    partitions_min: int | None
    records_per_partition_max: int | None
    retries: int
    retry_interval_ms: int
    poll_timeout_ms: int
    committed_only: bool
    fetch_size_bytes_max: int
    fetch_wait_ms_max: int
    check_crcs: bool
    rack: str

    @property
    def starting_moves(self) -> bool:
        """Whether asking again where to begin may give a later answer, once records have come."""
        if isinstance(self.starting, Times):
            return self.latest_when_too_late
        return self.starting.everywhere is At.LATEST or At.LATEST in self.starting.each.values()


def wants_headers(options: Mapping[str, str]) -> bool:
    return _Given(options).flag("includeHeaders", False)


def source_options(options: Mapping[str, str], *, streaming: bool) -> SourceOptions:
    """ConfigError, in one sentence, for what cannot be used."""
    given = _Given(options)
    consumer = given.consumer()
    if not consumer.get("bootstrap.servers"):
        raise ConfigError("Option 'kafka.bootstrap.servers' must be specified for reading from Kafka.")
    for name, instead in _REFUSED.items():
        if name in consumer:
            raise ConfigError(f"Kafka option '{name}' is not supported: {instead}.")
    if streaming:
        for name in ("endingOffsets", "endingOffsetsByTimestamp", "endingTimestamp"):
            if given.text(name) is not None:
                raise ConfigError(f"Option '{name}' is not valid in streaming queries.")
    strategy = (given.text("startingOffsetsByTimestampStrategy") or "error").lower()
    if strategy not in ("error", "latest"):
        raise ConfigError(f"Option 'startingOffsetsByTimestampStrategy' is '{strategy}'; write 'error' or 'latest'.")
    isolation = consumer.get("isolation.level", "read_uncommitted")
    if isolation not in ("read_uncommitted", "read_committed"):
        raise ConfigError(f"Kafka option 'isolation.level' is '{isolation}'; write read_committed or read_uncommitted.")
    starting = given.place("starting", At.LATEST if streaming else At.EARLIEST)
    ending = given.place("ending", At.LATEST)
    if not streaming:
        _check_batch_ends(starting, ending)
    minimum, maximum = given.count("minOffsetsPerTrigger"), given.count("maxOffsetsPerTrigger")
    if minimum is not None and maximum is not None and minimum > maximum:
        raise ConfigError(f"Option 'minOffsetsPerTrigger' ({minimum}) is above 'maxOffsetsPerTrigger' ({maximum}).")
    return SourceOptions(
        client=_client(consumer),
        subscription=parse_subscription(given.text("assign"), given.text("subscribe"), given.text("subscribePattern")),
        starting=starting,
        ending=ending,
        latest_when_too_late=strategy == "latest",
        fail_on_data_loss=given.flag("failOnDataLoss", True),
        include_headers=given.flag("includeHeaders", False),
        offsets_per_trigger_max=maximum,
        offsets_per_trigger_min=minimum,
        trigger_delay_ms_max=given.duration_ms("maxTriggerDelay", _MAX_TRIGGER_DELAY_MS),
        partitions_min=given.count("minPartitions"),
        records_per_partition_max=given.count("maxRecordsPerPartition"),
        retries=given.number("fetchOffset.numRetries", 3),
        retry_interval_ms=given.number("fetchOffset.retryIntervalMs", 1000),
        poll_timeout_ms=given.number("kafkaConsumer.pollTimeoutMs", 120_000),
        committed_only=isolation == "read_committed",
        fetch_size_bytes_max=min(
            _size(consumer, "max.partition.fetch.bytes", FETCH_SIZE_BYTES), _size(consumer, "fetch.max.bytes", _INT_MAX)
        ),
        fetch_wait_ms_max=_size(consumer, "fetch.max.wait.ms", 500),
        check_crcs=consumer.get("check.crcs", "true").lower() != "false",
        rack=consumer.get("client.rack", ""),
    )


def _check_batch_ends(starting: Position | Times, ending: Position | Times) -> None:
    for name, place, wrong, word in (
        ("starting", starting, At.LATEST, "latest"),
        ("ending", ending, At.EARLIEST, "earliest"),
    ):
        if not isinstance(place, Position):
            continue
        if place.everywhere is wrong:
            raise ConfigError(f"The {name} offset can't be {word} for batch queries on Kafka.")
        for (topic, partition), offset in place.each.items():
            if offset == wrong:
                raise ConfigError(
                    f"Option '{name}Offsets' for {topic}-{partition} can't be {word} for batch queries on Kafka."
                )


def _client(consumer: Mapping[str, str]) -> ClientSettings:
    known = {name: value for name, value in consumer.items() if name not in ("bootstrap.servers",)}
    try:
        return client_settings(consumer["bootstrap.servers"], known)
    except KafkaError as error:
        raise ConfigError(f"The Kafka client settings cannot be used: {error.detail}.") from None


def _size(consumer: Mapping[str, str], name: str, default: int) -> int:
    text = consumer.get(name)
    if text is None:
        return default
    if not text.isdecimal() or int(text) > _INT_MAX:
        raise ConfigError(f"Kafka option '{name}' is '{text}', which is no number that it takes.")
    return int(text)


class _Given:
    """Options by their names in any case."""

    def __init__(self, options: Mapping[str, str]) -> None:
        self._options = options
        self._lower = {name.lower(): value for name, value in options.items()}

    def text(self, name: str) -> str | None:
        return self._lower.get(name.lower())

    def consumer(self) -> dict[str, str]:
        return {name[6:]: value for name, value in self._options.items() if name.lower().startswith("kafka.")}

    def flag(self, name: str, default: bool) -> bool:
        text = self.text(name)
        if text is None:
            return default
        if text.lower() not in ("true", "false"):
            raise ConfigError(f"Option '{name}' is '{text}'; write true or false.")
        return text.lower() == "true"

    def number(self, name: str, default: int) -> int:
        text = self.text(name)
        if text is None:
            return default
        if not text.strip().isdecimal():
            raise ConfigError(f"Option '{name}' is '{text}', which is no number.")
        return int(text)

    def count(self, name: str) -> int | None:
        if self.text(name) is None:
            return None
        value = self.number(name, 0)
        if value <= 0:
            raise ConfigError(f"Option '{name}' must be positive.")
        return value

    def duration_ms(self, name: str, default: int) -> int:
        text = self.text(name)
        if text is None:
            return default
        found = re.fullmatch(r"\s*(\d+)\s*(ms|us|s|min|m|h|d)?\s*", text.lower())
        if found is None:
            raise ConfigError(f"Option '{name}' is '{text}'; write a time such as 15m or 30s.")
        return int(int(found[1]) * _UNITS_MS[found[2] or "ms"])

    def place(self, which: str, default: At) -> Position | Times:
        """Where to start or end: one time for all, times by partition, or offsets, in that order of precedence."""
        one, several = f"{which}Timestamp", f"{which}OffsetsByTimestamp"
        if (text := self.text(one)) is not None:
            return Times(everywhere=self.number(one, 0))
        if (text := self.text(several)) is not None:
            return parse_times(several, text)
        if (text := self.text(f"{which}Offsets")) is not None:
            return parse_positions(f"{which}Offsets", text)
        return Position(everywhere=default)

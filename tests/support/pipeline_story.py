"""The story of a pipeline: PostgreSQL -> topic -> transforms -> Parquet and PostgreSQL, and what happens to it.

Somebody works with the source table all the time; its columns change, records that nobody can read get into the topic,
processes are killed. `check` then looks at everything: every version that reached the topic is in the Parquet files
once and in order, the copy of the table equals the table, each poison record is one dead letter of each sink.
"""

from __future__ import annotations

import os
import signal
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow.parquet as pq
from confluent_kafka import Producer

from support.account_changes import TABLE, AccountChanges
from support.cluster_view import settled
from support.connect_platform import ConnectPlatform, is_alive
from support.postgresql import PASSWORD, USER, PostgreSQL
from support.topic_records import Placed, read_placed

TOPIC = f"bank.{TABLE}"
COPY = "accounts_copy"
LETTERS = {"archive": "letters-of-archive", "copy": "letters-of-copy"}
_TRANSFORMS = "org.apache.kafka.connect.transforms"
_PRODUCE_S = 120.0
_BROKER_START_S = 120.0


class Poison(NamedTuple):
    key: bytes
    value: bytes
    partition: int
    offset: int


def database_settings(postgresql: PostgreSQL) -> dict[str, str]:
    return {
        "connection.url": postgresql.jdbc_url,
        "connection.user": USER,
        "connection.password": PASSWORD,
    }


def _shared(platform: ConnectPlatform) -> dict[str, str]:
    return {
        "tasks.max": "2",
        "key.converter": "org.apache.kafka.connect.storage.StringConverter",
        "value.converter": "io.confluent.connect.avro.AvroConverter",
        "value.converter.schema.registry.url": platform.registry.url,
        "riacho.trigger.ms": "200",
        # What passes by itself may take its time on a busy machine.
        "errors.retry.timeout": "300000",
        "errors.retry.delay.max.ms": "2000",
    }


def _source(platform: ConnectPlatform, postgresql: PostgreSQL) -> dict[str, str]:
    return {
        **_shared(platform),
        **database_settings(postgresql),
        "connector.class": "io.confluent.connect.jdbc.JdbcSourceConnector",
        "mode": "timestamp+incrementing",
        "timestamp.column.name": "changed",
        "incrementing.column.name": "id",
        "table.whitelist": TABLE,
        "topic.prefix": "bank.",
        "poll.interval.ms": "200",
        "topic.creation.default.partitions": "3",
        "topic.creation.default.replication.factor": "3",
        "transforms": "key,id",
        "transforms.key.type": f"{_TRANSFORMS}.ValueToKey",
        "transforms.key.fields": "id",
        "transforms.id.type": f"{_TRANSFORMS}.ExtractField$Key",
        "transforms.id.field": "id",
    }


def _sink(platform: ConnectPlatform, letters: str) -> dict[str, str]:
    """Both sinks rename the topic: a letter still says where its record was."""
    return {
        **_shared(platform),
        "topics": TOPIC,
        "riacho.topics.timeout.ms": "300000",
        "errors.tolerance": "all",
        "errors.deadletterqueue.topic.name": letters,
        "errors.deadletterqueue.context.headers.enable": "true",
        "transforms": "route,bank",
        "transforms.route.type": f"{_TRANSFORMS}.RegexRouter",
        "transforms.route.regex": r"bank\.(.*)",
        "transforms.route.replacement": "$1_copy",
        "transforms.bank.type": f"{_TRANSFORMS}.InsertField$Value",
        "transforms.bank.static.field": "bank",
        "transforms.bank.static.value": "Banco Riacho",
    }


def _archive(platform: ConnectPlatform, directory: Path) -> dict[str, str]:
    config = _sink(platform, LETTERS["archive"])
    return config | {
        "connector.class": "DirectorySink",
        "directory": str(directory),
        "include.metadata": "true",
        "transforms": "route,bank,mask",
        "transforms.mask.type": f"{_TRANSFORMS}.MaskField$Value",
        "transforms.mask.fields": "holder",
        "transforms.mask.replacement": "***",
    }


def _copy(platform: ConnectPlatform, postgresql: PostgreSQL) -> dict[str, str]:
    return {
        **_sink(platform, LETTERS["copy"]),
        **database_settings(postgresql),
        "connector.class": "io.confluent.connect.jdbc.JdbcSinkConnector",
        "insert.mode": "upsert",
        "pk.mode": "record_value",
        "pk.fields": "id",
        "auto.create": "true",
        "auto.evolve": "true",
        "retry.backoff.ms": "500",
    }


def _poison(platform: ConnectPlatform, count: int, first: int) -> list[Poison]:
    """Neither Avro nor of a schema that anybody has registered."""
    values = (b"no avro at all", b"\x00\x7f\xff\xff\xff\x02", b"\x00")
    producer = Producer({"bootstrap.servers": platform.bootstrap})
    found: list[Poison] = []

    def sent(error: Any, message: Any) -> None:
        assert error is None, error
        found.append(Poison(message.key(), message.value(), message.partition(), message.offset()))

    for number in range(first, first + count):
        value = values[number % len(values)]
        producer.produce(TOPIC, value, f"poison {number}".encode(), number % 3, on_delivery=sent)
    assert producer.flush(_PRODUCE_S) == 0, "not all poison was taken"
    assert len(found) == count
    return found


def _archived(directory: Path) -> list[dict[str, Any]]:
    """In the order of the topic. A file that is being replaced is read the next time."""
    rows: list[dict[str, Any]] = []
    for file in directory.glob("*.parquet"):
        try:
            rows += pq.ParquetFile(file).read().to_pylist()
        except FileNotFoundError:
            continue
    return sorted(rows, key=lambda row: (row["_partition"], row["_offset"]))


def _versions(rows: list[dict[str, Any]]) -> dict[int, list[int]]:
    versions: dict[int, list[int]] = {}
    for row in rows:
        versions.setdefault(row["id"], []).append(row["version"])
    return versions


def _has(found: dict[int, int], wanted: dict[int, int]) -> bool:
    return all(found.get(number, 0) >= version for number, version in wanted.items())


class Story:
    def __init__(self, platform: ConnectPlatform, postgresql: PostgreSQL, directory: Path, seed: int) -> None:
        self.platform = platform
        self.postgresql = postgresql
        self.directory = directory
        self.accounts = AccountChanges(postgresql, seed)
        self.poison: list[Poison] = []
        self.kills: Counter[str] = Counter()

    def begin(self) -> None:
        self.accounts.start()
        self.platform.put("accounts", _source(self.platform, self.postgresql))
        self.platform.put("archive", _archive(self.platform, self.directory))
        self.platform.put("copy", _copy(self.platform, self.postgresql))
        self.until_arrived()

    def until_running(self) -> None:
        self.platform.until_running("accounts", *LETTERS)

    def until_arrived(self) -> None:
        """Until what is in the table now has come through to both ends."""
        wanted = self.versions()

        def is_there() -> bool:
            return _has(self.copied_versions(), wanted) and _has(self.archived_versions(), wanted)

        self.platform.until(is_there, bool)

    def versions(self) -> dict[int, int]:
        return dict(self.postgresql.execute(f"SELECT id, version FROM {TABLE}"))

    def copied_versions(self) -> dict[int, int]:
        if not self.postgresql.execute(f"SELECT to_regclass('{COPY}')")[0][0]:
            return {}
        return dict(self.postgresql.execute(f"SELECT id, version FROM {COPY}"))

    def archived_versions(self) -> dict[int, int]:
        return {number: max(each) for number, each in _versions(_archived(self.directory)).items()}

    def put_poison(self, count: int) -> None:
        self.poison += _poison(self.platform, count, len(self.poison))

    def kill_runner(self) -> None:
        leading = self.platform.leading()
        runner = self.platform.runner_pid(leading)
        os.kill(runner, signal.SIGKILL)
        self.kills["runner"] += 1
        self.platform.until(leading.runner_pids, lambda pids: pids[-1] != runner)

    def kill_leading_worker_and_broker(self, partition: int) -> None:
        """The other worker takes over while a broker is away."""
        leading = self.platform.leading()
        runner = self.platform.runner_pid(leading)
        leading.kill()
        self.kills["worker"] += 1
        broker = self._kill_broker(partition)
        self.put_poison(5)
        # Nobody tells it: it finds its worker gone.
        self.platform.until(lambda: is_alive(runner), lambda alive: not alive)
        self.platform.until(self._led, lambda url: url is not None and url != leading.url)
        self.platform.cluster.start(broker, _BROKER_START_S)
        leading.start()

    def _led(self) -> str | None:
        try:
            return self.platform.leading().url
        except AssertionError:
            return None

    def _kill_broker(self, partition: int) -> int:
        broker = settled(lambda: self.platform.cluster.view.leader_of(TOPIC, partition), lambda leader: leader > 0)
        self.platform.cluster.kill(broker)
        self.kills["broker"] += 1
        return broker

    def check(self) -> None:
        self.accounts.stop()
        self.until_arrived()
        self.platform.until(self.letters, lambda counts: all(count >= len(self.poison) for count in counts))
        records = read_placed(self.platform.bootstrap, TOPIC)
        self.check_archive(records)
        self.check_copy()
        for connector, topic in LETTERS.items():
            self.check_letters(connector, read_placed(self.platform.bootstrap, topic))
        for name in ("accounts", *LETTERS):
            self.check_figures(name)

    def check_figures(self, name: str) -> None:
        """What `riacho pipeline` shows."""
        figures = self.platform.until(
            lambda: self.platform.api.get(f"/pipelines/{name}")[1], lambda found: found.get("rows", 0) > 0
        )
        assert (figures["state"], figures["tasks"], figures["trace"]) == ("RUNNING", ["RUNNING"] * 2, None)
        assert figures["batch_ms"] > 0

    def letters(self) -> list[int]:
        return [len(read_placed(self.platform.bootstrap, topic)) for topic in LETTERS.values()]

    def check_archive(self, records: list[Placed]) -> None:
        rows = _archived(self.directory)
        poison = {(each.partition, each.offset) for each in self.poison}
        good = [(each.partition, each.offset) for each in records if (each.partition, each.offset) not in poison]
        assert [(row["_partition"], row["_offset"]) for row in rows] == good
        source = self.accounts.rows()
        versions = _versions(rows)
        assert versions.keys() == source.keys()
        for number, found in versions.items():
            # A version that was overtaken before anybody looked may be missing, the last one never.
            assert found == sorted(set(found)), f"account {number} in this order: {found}"
            assert found[-1] == source[number][2]
        for row in rows:
            _, balance, version, changed, note = source[row["id"]]
            assert (row["holder"], row["bank"], row["_topic"]) == ("***", "Banco Riacho", COPY)
            if row["version"] == version:
                assert (row["balance"], row["changed"], row.get("note")) == (balance, changed, note), row
        assert any(row.get("note") for row in rows)

    def check_copy(self) -> None:
        # The sink's tables have times of the zone db.timezone, which is UTC.
        columns = "id, holder, balance, version, changed AT TIME ZONE 'UTC', note, bank"
        found = self.postgresql.execute(f"SELECT {columns} FROM {COPY}")
        copied, source = {row[0]: row[1:-1] for row in found}, self.accounts.rows()
        assert copied.keys() == source.keys()
        for number, row in source.items():
            assert copied[number] == row, f"account {number}"
        assert {row[-1] for row in found} == {"Banco Riacho"}

    def check_letters(self, connector: str, letters: list[Placed]) -> None:
        found = Counter()
        for each in letters:
            headers = {name.removeprefix("__connect.errors."): value.decode() for name, value in each.record.headers}
            assert headers["connector.name"] == connector
            assert headers["topic"] == TOPIC
            assert headers["stage"] == "VALUE_CONVERTER"
            assert headers["exception.message"]
            place = int(headers["partition"]), int(headers["offset"])
            found[Poison(each.record.key or b"", each.record.value or b"", *place)] += 1
        assert found == Counter(self.poison)

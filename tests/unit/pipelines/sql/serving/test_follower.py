"""Topics of tables followed into the store: on a restart, a damaged file, a topic made again, a full disk, a registry
that is gone; always without holding up the other tables."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Consumer, Producer
from confluent_kafka.admin import AdminClient, NewTopic

from riacho.pipelines.formats.registry_client import RegistryError
from riacho.pipelines.sql.formats.memory_registry import MemoryRegistry
from riacho.pipelines.sql.formats.registry_access import RegistryAccess
from riacho.pipelines.sql.plan.planner import decode
from riacho.pipelines.sql.serving.follower import Follower
from riacho.pipelines.sql.serving.table_store import TableStore
from riacho.schemas.parsed import ParsedSchema
from riacho.testing import KafkaCluster
from support.small_disk import small_disk
from support.sql_statements import carry_out

TIMEOUT_S = 30.0


class Broker:
    def __init__(self, cluster: KafkaCluster) -> None:
        self.client: dict[str, Any] = {"bootstrap.servers": cluster.bootstrap_servers}
        self.admin = AdminClient(self.client)

    def create(self, topic: str) -> None:
        self.admin.create_topics([NewTopic(topic, 1, 1)])[topic].result()

    def delete(self, topic: str) -> None:
        self.admin.delete_topics([topic])[topic].result()

    def write(self, topic: str, *records: tuple[str | None, Any]) -> int:
        """Where the topic ends then."""
        producer = Producer(self.client)
        ends: list[int] = []
        for key, value in records:
            sent = value if isinstance(value, bytes) or value is None else json.dumps(value).encode()
            producer.produce(
                topic, key=key, value=sent, on_delivery=lambda _, message: ends.append(message.offset() or 0)
            )
        producer.flush(TIMEOUT_S)
        return max(ends) + 1


@pytest.fixture(scope="module")
def broker(cluster: KafkaCluster) -> Broker:
    return Broker(cluster)


@contextmanager
def _following(
    broker: Broker, path: Path, registry: RegistryAccess | None = None
) -> Iterator[tuple[Follower, TableStore]]:
    store = TableStore(path)
    follower = Follower(store, broker.client, registry)
    follower.start()
    try:
        yield follower, store
    finally:
        follower.stop()
        store.close()


def _follow(follower: Follower, name: str, topic: str, form: str = "json") -> None:
    text = (
        f"CREATE TABLE {name} (id STRING PRIMARY KEY, v INT) "
        f"WITH (kafka_topic='{topic}', value_format='{form}', partitions=1);"
    )
    follower.follow(name, decode(carry_out(text).catalogue.sources[name], {}))


def _rows(follower: Follower, store: TableStore, name: str) -> dict[str, int]:
    table = follower.table(name)
    assert table is not None
    found = store.read(f"SELECT key, row FROM rows_{table.table_id:d}", ())
    return {json.loads(key)["ID"]: json.loads(row)["V"] for key, row in found}


def _until(holds: Callable[[], Any]) -> None:
    deadline = time.monotonic() + TIMEOUT_S
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_rows_tombstones_and_what_cannot_be_read(broker: Broker, tmp_path: Path) -> None:
    broker.create("plain")
    with _following(broker, tmp_path / "t.db") as (follower, store):
        _follow(follower, "T", "plain")
        end = broker.write("plain", ("a", {"v": 1}), ("b", {"v": 2}), ("a", {"v": 3}), ("b", None))
        end = broker.write("plain", ("c", b"\xff not json"), (None, {"v": 9}), ("d", {"v": 4}))
        assert follower.wait_for("T", {0: end}, TIMEOUT_S)
        assert _rows(follower, store, "T") == {"a": 3, "d": 4}
        table = follower.table("T")
        assert table is not None
        assert table.left_out == 2


def test_a_restart_goes_on_and_reads_nothing_twice(broker: Broker, tmp_path: Path) -> None:
    broker.create("again")
    end = broker.write("again", *((f"{number}", {"v": number}) for number in range(50)))
    with _following(broker, tmp_path / "t.db") as (follower, _):
        _follow(follower, "T", "again")
        assert follower.wait_for("T", {0: end}, TIMEOUT_S)
    with _following(broker, tmp_path / "t.db") as (follower, store):
        _follow(follower, "T", "again")
        end = broker.write("again", ("new", {"v": 1}))
        assert follower.wait_for("T", {0: end}, TIMEOUT_S)
        table = follower.table("T")
        assert table is not None
        assert store.positions(table.table_id) == {0: 51}
        assert len(_rows(follower, store, "T")) == 51


def test_markers_and_aborted_records_are_passed_before_the_end_is_told(
    broker: Broker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "riacho.pipelines.sql.serving.follower.Consumer",
        lambda config: Consumer({**config, "enable.partition.eof": False}),
    )
    broker.create("committed")
    producer = Producer({**broker.client, "transactional.id": "committed"})
    producer.init_transactions(TIMEOUT_S)
    with _following(broker, tmp_path / "t.db") as (follower, store):
        _follow(follower, "T", "committed")
        for value, end in ((1, 2), (2, 4)):
            producer.begin_transaction()
            producer.produce("committed", key="a", value=json.dumps({"v": value}))
            producer.commit_transaction(TIMEOUT_S)
            assert follower.wait_for("T", {0: end}, TIMEOUT_S)
            assert _rows(follower, store, "T") == {"a": value}
        producer.begin_transaction()
        producer.produce("committed", key="a", value=json.dumps({"v": 3}))
        producer.flush(TIMEOUT_S)
        producer.abort_transaction(TIMEOUT_S)
        assert follower.wait_for("T", {0: 6}, TIMEOUT_S)
        assert _rows(follower, store, "T") == {"a": 2}


def test_a_file_that_is_damaged_is_rebuilt_while_it_runs(
    broker: Broker, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    broker.create("damaged")
    end = broker.write("damaged", ("a", {"v": 1}))
    with caplog.at_level(logging.ERROR), _following(broker, tmp_path / "t.db") as (follower, store):
        _follow(follower, "T", "damaged")
        assert follower.wait_for("T", {0: end}, TIMEOUT_S)
        store.is_damaged = True
        _until(lambda: not store.is_damaged)
        assert follower.wait_for("T", {0: end}, TIMEOUT_S)
        _until(lambda: _rows(follower, store, "T") == {"a": 1})
    assert "store of tables is damaged" in caplog.text


@pytest.mark.parametrize("records", [1, 9])
def test_a_topic_that_is_deleted_and_made_again_is_another_one(broker: Broker, tmp_path: Path, records: int) -> None:
    """Also where it has more records than before, so that its end tells nothing."""
    topic = f"anew{records}"
    broker.create(topic)
    end = broker.write(topic, *((f"old{number}", {"v": number}) for number in range(4)))
    with _following(broker, tmp_path / "t.db") as (follower, store):
        _follow(follower, "T", topic)
        assert follower.wait_for("T", {0: end}, TIMEOUT_S)
        broker.delete(topic)
        broker.create(topic)
        broker.write(topic, *((f"new{number}", {"v": number}) for number in range(records)))
        wanted = {f"new{number}" for number in range(records)}
        _until(lambda: follower.table("T") is not None and set(_rows(follower, store, "T")) == wanted)


def test_a_topic_that_is_gone_holds_up_no_other_table(broker: Broker, tmp_path: Path) -> None:
    broker.create("here")
    with _following(broker, tmp_path / "t.db") as (follower, store):
        _follow(follower, "GONE", "never-made")
        _follow(follower, "HERE", "here")
        end = broker.write("here", ("a", {"v": 1}))
        assert follower.wait_for("HERE", {0: end}, TIMEOUT_S)
        _until(lambda: follower.problem("GONE"))
        assert "never-made" in (follower.problem("GONE") or "")
        assert not follower.wait_for("GONE", {0: 1}, 0.01)
        broker.create("never-made")
        end = broker.write("never-made", ("b", {"v": 2}))
        assert follower.wait_for("GONE", {0: end}, TIMEOUT_S)
        assert _rows(follower, store, "GONE") == {"b": 2}
        follower.forget("GONE")
        _until(lambda: store.names() == ["HERE"])


class GoneRegistry(MemoryRegistry):
    """Is away until it is told not to be."""

    is_away = True

    def by_id(self, schema_id: int) -> ParsedSchema:
        if self.is_away:
            raise RegistryError("The schema registry cannot be reached: refused")
        return super().by_id(schema_id)


def test_a_registry_that_is_gone_loses_no_row_and_holds_up_no_other_table(broker: Broker, tmp_path: Path) -> None:
    registry = GoneRegistry()
    schema = '{"type":"record","name":"R","fields":[{"name":"V","type":["null","int"]}]}'
    schema_id = registry.register("avro-value", "AVRO", schema).id
    broker.create("avro")
    broker.create("beside")
    with _following(broker, tmp_path / "t.db", registry) as (follower, store):
        _follow(follower, "A", "avro", "avro")
        _follow(follower, "B", "beside")
        end = broker.write("avro", ("a", b"\0" + schema_id.to_bytes(4, "big") + b"\x02\x0e"))
        _until(lambda: follower.problem("A"))
        assert "The schema registry cannot be asked" in (follower.problem("A") or "")
        beside = broker.write("beside", ("b", {"v": 1}))
        assert follower.wait_for("B", {0: beside}, TIMEOUT_S)
        registry.is_away = False
        assert follower.wait_for("A", {0: end}, TIMEOUT_S)
        assert _rows(follower, store, "A") == {"a": 7}
        assert follower.problem("A") is None


def test_a_full_disk_is_one_sentence_and_it_goes_on_later(broker: Broker, tmp_path: Path) -> None:
    broker.create("full")
    with (
        small_disk(tmp_path / "disk", 2 * 1024 * 1024) as disk,
        _following(broker, disk.path / "t.db") as (follower, store),
    ):
        _follow(follower, "T", "full")
        end = broker.write("full", ("a", {"v": 1}))
        assert follower.wait_for("T", {0: end}, TIMEOUT_S)
        disk.fill()
        end = broker.write("full", *((f"{number}{'x' * 1_000}", {"v": number}) for number in range(400)))
        _until(lambda: follower.problem("T"))
        problem = follower.problem("T") or ""
        assert problem.startswith("The store of tables cannot be written")
        assert problem.count(".") == 1
        disk.free()
        disk.resize(64 * 1024 * 1024)
        assert follower.wait_for("T", {0: end}, TIMEOUT_S)
        assert len(_rows(follower, store, "T")) == 401
        assert follower.problem("T") is None


def test_windowed_rows_are_told_apart_by_their_windows(broker: Broker, tmp_path: Path) -> None:
    broker.create("windowed")
    text = (
        "CREATE TABLE w (id STRING PRIMARY KEY, v INT) WITH (kafka_topic='windowed', value_format='json', "
        "partitions=1, window_type='tumbling', window_size='10 seconds');"
    )
    with _following(broker, tmp_path / "t.db") as (follower, store):
        follower.follow("W", decode(carry_out(text).catalogue.sources["W"], {}))
        producer = Producer(broker.client)
        for start, value in ((0, b'{"V":1}'), (10_000, b'{"V":2}'), (0, b'{"V":3}'), (10_000, None)):
            producer.produce("windowed", key=b"a" + start.to_bytes(8, "big"), value=value)
        producer.flush(TIMEOUT_S)
        assert follower.wait_for("W", {0: 4}, TIMEOUT_S)
        table = follower.table("W")
        assert table is not None
        rows = store.read(f"SELECT ws, we, row FROM rows_{table.table_id:d}", ())
        assert rows == [(0, 10_000, '{"V":3}')]

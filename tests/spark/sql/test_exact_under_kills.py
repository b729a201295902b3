"""Three statements in a chain (filter, aggregate, window), and the server, Spark and brokers are killed: exact results.

Every round sends records and kills one of them with -9. At the end the filtered stream has each record once, in order
by key, and both tables have the sums and counts that arithmetic gives. `RIACHO_KSQL_KILLS=20` is the long form.
"""

from __future__ import annotations

import json
import os
import random
import time
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Consumer, KafkaError, Producer, TopicPartition

from support.cluster_processes import ProcessCluster
from support.ksql_with_spark import KsqlServer, until
from support.spark_brokers import three_brokers

ROUNDS = int(os.environ.get("RIACHO_KSQL_KILLS", "2"))
RECORDS_A_ROUND = 60
PARTITIONS = 3
WINDOW_MS = 60_000
VICTIMS = ("runner", "server", "broker")
STATEMENTS = f"""
CREATE STREAM orders (id VARCHAR KEY, n BIGINT, amount BIGINT)
  WITH (KAFKA_TOPIC='orders', VALUE_FORMAT='JSON', PARTITIONS={PARTITIONS}, REPLICAS=3);
CREATE STREAM large AS SELECT id, n, amount FROM orders WHERE amount >= 100;
CREATE TABLE totals AS SELECT id, SUM(amount) AS total, COUNT(*) AS number FROM large GROUP BY id;
CREATE TABLE a_minute AS SELECT id, COUNT(*) AS number FROM large WINDOW TUMBLING (SIZE 1 MINUTE) GROUP BY id;
"""


class Sent:
    def __init__(self, bootstrap: str) -> None:
        self._random = random.Random(7)
        # Not long ago: brokers delete records that are older than a topic keeps them.
        self._began_ms = int(time.time() * 1_000) // WINDOW_MS * WINDOW_MS
        self._producer = Producer({"bootstrap.servers": bootstrap, "enable.idempotence": True})
        self.records: list[tuple[str, int, int, int]] = []

    def send(self, count: int) -> None:
        """Numbered; acknowledged by all replicas when this returns."""
        for _ in range(count):
            number = len(self.records)
            record = (f"k{number % 7}", number, self._random.randrange(200), self._began_ms + number * 1_000)
            self.records.append(record)
            key, n, amount, time_ms = record
            value = json.dumps({"n": n, "amount": amount})
            self._producer.produce("orders", key=key, value=value, timestamp=time_ms)
        assert self._producer.flush(120) == 0

    @property
    def large(self) -> list[tuple[str, int, int, int]]:
        return [record for record in self.records if record[2] >= 100]


def _read(bootstrap: str, topic: str) -> list[tuple[bytes, Any]]:
    """All committed records."""
    consumer = Consumer(
        {
            "bootstrap.servers": bootstrap,
            "group.id": "kills",
            "isolation.level": "read_committed",
            "enable.partition.eof": True,
        }
    )
    consumer.assign([TopicPartition(topic, part, 0) for part in range(PARTITIONS)])
    found: list[tuple[bytes, Any]] = []
    ends: set[int] = set()
    while len(ends) < PARTITIONS:
        message = consumer.poll(30)
        assert message is not None, f"{topic} cannot be read"
        error = message.error()
        if error is None:
            value = message.value()
            found.append((message.key() or b"", None if value is None else json.loads(value)))
        else:
            assert error.code() == KafkaError._PARTITION_EOF, error
            ends.add(message.partition() or 0)
    consumer.close()
    return found


def _numbers(bootstrap: str) -> dict[str, list[int]]:
    """What the filtered stream has, by key, in its order."""
    by_key: dict[str, list[int]] = defaultdict(list)
    for key, value in _read(bootstrap, "LARGE"):
        by_key[key.decode()].append(value["N"])
    return dict(by_key)


def _last(bootstrap: str, topic: str) -> dict[bytes, Any]:
    return dict(_read(bootstrap, topic))


@pytest.mark.timeout(300 + ROUNDS * 120)
def test_results_are_exact_whoever_is_killed(tmp_path: Path) -> None:
    with three_brokers(tmp_path / "brokers") as cluster:
        server = KsqlServer(cluster.bootstrap, tmp_path / "ksql", {"ksql.streams.auto.offset.reset": "earliest"})
        server.start()
        try:
            server.execute_until_done(STATEMENTS)
            sent = Sent(cluster.bootstrap)
            sent.send(RECORDS_A_ROUND)
            server.until_running()
            killed: Counter[str] = Counter()
            for number in range(ROUNDS):
                victim = VICTIMS[number % len(VICTIMS)]
                _kill_and_bring_back(victim, 1 + number % 3, cluster, server, sent)
                killed[victim] += 1
            _check(server, cluster.bootstrap, sent)
            print(f"\nKSQL under kills: {dict(killed)}, {len(sent.records)} records, {len(sent.large)} filtered: exact")
        finally:
            if server.is_running:
                server.stop()


def _kill_and_bring_back(victim: str, broker: int, cluster: ProcessCluster, server: KsqlServer, sent: Sent) -> None:
    match victim:
        case "runner":
            until(lambda: server.kill_runner() or None, server.output)
        case "server":
            runner = server.runner_pid
            assert runner is not None, "a server without a runner is no fault"
            server.kill()
            until(lambda: None if Path(f"/proc/{runner}/stat").exists() else True, server.output)
        case _:
            cluster.kill(broker)
    sent.send(RECORDS_A_ROUND)
    match victim:
        case "server":
            server.start()
        case "broker":
            cluster.start(broker)
    sent.send(RECORDS_A_ROUND)
    # The next one is killed at work, not at its start.
    wanted = len(sent.large)
    until(
        lambda: _reached(cluster.bootstrap, wanted),
        lambda: f"{victim} was killed, and {wanted} rows did not come\n{server.output()[-4000:]}",
    )


def _reached(bootstrap: str, wanted: int) -> bool | None:
    return True if sum(map(len, _numbers(bootstrap).values())) >= wanted else None


def _check(server: KsqlServer, bootstrap: str, sent: Sent) -> None:
    expected: dict[str, list[int]] = defaultdict(list)
    totals: dict[bytes, dict[str, int]] = {}
    minutes: Counter[tuple[str, int]] = Counter()
    for key, n, amount, time_ms in sent.large:
        expected[key].append(n)
        before = totals.setdefault(key.encode(), {"TOTAL": 0, "NUMBER": 0})
        totals[key.encode()] = {"TOTAL": before["TOTAL"] + amount, "NUMBER": before["NUMBER"] + 1}
        minutes[key, time_ms // WINDOW_MS * WINDOW_MS] += 1
    windows = {key.encode() + start.to_bytes(8, "big"): {"NUMBER": number} for (key, start), number in minutes.items()}
    assert _numbers(bootstrap) == dict(expected)
    until(lambda: _last(bootstrap, "TOTALS") == totals or None, lambda: f"{_last(bootstrap, 'TOTALS')} != {totals}")
    until(lambda: _last(bootstrap, "A_MINUTE") == windows or None, lambda: str(_last(bootstrap, "A_MINUTE")))
    pulled = {row[0].encode(): {"TOTAL": row[1], "NUMBER": row[2]} for row in server.select("SELECT * FROM totals;")}
    assert pulled == totals

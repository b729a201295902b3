"""Drivers, Python workers and brokers are killed through the micro-batches of two queries; nothing is lost or doubled.

RIACHO_SPARK_FAULT_BATCHES sets how many micro-batches the two have together (200 is the long run),
RIACHO_SPARK_FAULT_SEED what is killed when, RIACHO_SPARK_FAULT_MASTER where it runs: on `local-cluster[2,1,768]`
executors are processes, and killed as well.
"""

from __future__ import annotations

import os
import random
import time
from collections import Counter
from itertools import accumulate
from pathlib import Path

import pytest
from confluent_kafka.admin import AdminClient, NewTopic  # type: ignore[attr-defined]

from support.riacho_cluster import RiachoCluster
from support.spark_sink_faults import (
    BROKER,
    DRIVER,
    EXECUTOR,
    KEYS,
    PYTHON,
    ROWS_OF_A_KEY,
    Faults,
    write_input,
)
from support.spark_sink_reading import committed, text
from support.spark_sink_worker import MASTER, STATEFUL, STATELESS

SHORT = 8
EPOCHS = int(os.environ.get("RIACHO_SPARK_FAULT_BATCHES", "8")) // 2
SEED = int(os.environ.get("RIACHO_SPARK_FAULT_SEED", "5"))
# A micro-batch of the two queries leaves about so many lines in the trace.
LINES_OF_AN_EPOCH = 16
# How many lines lie between two kills.
GAP = (2, LINES_OF_AN_EPOCH // 2)
PARTITIONS = 3
LIMIT_S = 600.0 + 60.0 * EPOCHS


def plan() -> list[str]:
    """Each kind once; in a long run more, in an order that the seed gives."""
    kinds = [PYTHON, BROKER, DRIVER] + ([EXECUTOR] if "cluster" in os.environ.get(MASTER, "") else [])
    if EPOCHS <= SHORT:
        return kinds
    chooser = random.Random(SEED)
    kills: list[str] = []
    while len(kills) < EPOCHS // 2:
        # A driver takes long to start again, so it is killed less often than the rest.
        turn = [PYTHON, BROKER, *kinds]
        chooser.shuffle(turn)
        kills += turn
    return kills


def by_key(bootstrap: str, topic: str) -> dict[str, list[str]]:
    """Values in the order of their partition."""
    found: dict[str, list[str]] = {}
    for message in committed(bootstrap, topic, PARTITIONS):
        found.setdefault(text(message.key()), []).append(text(message.value()))
    return found


def running_sums(numbers: list[int]) -> list[str]:
    """What the stateful query says of a key after each micro-batch."""
    sums = list(accumulate(numbers))
    return [f"{end}:{sums[end - 1]}" for end in range(ROWS_OF_A_KEY, len(numbers) + 1, ROWS_OF_A_KEY)]


@pytest.mark.timeout(LIMIT_S + 30)
def test_output_equals_input(tmp_path: Path) -> None:
    numbers = write_input(tmp_path, EPOCHS)
    started_s = time.monotonic()
    with RiachoCluster(tmp_path / "cluster", properties={"transaction.state.log.num.partitions": "4"}) as cluster:
        admin = AdminClient({"bootstrap.servers": cluster.bootstrap})
        topics = [NewTopic(name, num_partitions=PARTITIONS, replication_factor=3) for name in (STATELESS, STATEFUL)]
        for future in admin.create_topics(topics).values():
            future.result(180)
        faults = Faults(cluster, tmp_path, plan(), SEED, GAP)
        faults.run(started_s + LIMIT_S)
        stateless, stateful = (by_key(cluster.bootstrap, name) for name in (STATELESS, STATEFUL))
    told = Counter(line.split()[0] for line in faults.trace())
    print(
        f"epochs={EPOCHS} seconds={time.monotonic() - started_s:.0f} kills={dict(faults.kills)} "
        f"drivers={faults.starts} trace={dict(told)}"
    )
    assert faults.kills, faults.tail()
    assert len(stateless) == KEYS
    assert stateless == {key: [str(number) for number in own] for key, own in numbers.items()}
    assert stateful == {key: running_sums(own) for key, own in numbers.items()}

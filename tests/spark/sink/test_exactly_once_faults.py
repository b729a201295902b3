"""Drivers, executors, Python workers and brokers are killed through the micro-batches of two queries, one of which has
state; nothing is lost, doubled or out of order.

RIACHO_SPARK_FAULT_BATCHES sets how many micro-batches the two have together (200 is the long run),
RIACHO_SPARK_FAULT_SEED what is killed when, RIACHO_SPARK_FAULT_MASTER where it runs: on `local-cluster[2,1,768]`
executors are processes, and killed as well. RIACHO_PROOFS=1 runs it on both. In a long run some drivers are not killed
but stand still until another has taken over, and then go on beside it.
"""

from __future__ import annotations

import os
import random
import time
from collections import Counter
from pathlib import Path

import pytest
from confluent_kafka.admin import AdminClient, NewTopic  # type: ignore[attr-defined]

from support.spark_brokers import three_brokers
from support.spark_sink_faults import BROKER, DRIVER, EXECUTOR, PYTHON, ZOMBIE, Faults
from support.spark_sink_input import Input
from support.spark_sink_reading import committed, text
from support.spark_sink_worker import STATEFUL, STATELESS

LOCAL, CLUSTER = "local[2,4]", "local-cluster[2,1,768]"
EPOCHS = int(os.environ.get("RIACHO_SPARK_FAULT_BATCHES", "8")) // 2
SEED = int(os.environ.get("RIACHO_SPARK_FAULT_SEED", "5"))
SHORT = 8
# A micro-batch of the two queries leaves about so many lines in the trace.
LINES_OF_AN_EPOCH = 12
# Micro-batches of each query to a turn of kills.
EPOCHS_OF_A_TURN = 16
PARTITIONS = 3
LIMIT_S = 600.0 + 60.0 * EPOCHS


def masters() -> list[str]:
    chosen = os.environ.get("RIACHO_SPARK_FAULT_MASTER")
    return [chosen] if chosen else [LOCAL, CLUSTER] if os.environ.get("RIACHO_PROOFS") else [LOCAL]


def plan(master: str) -> list[str]:
    """Each kind once; in a long run more, in an order that the seed gives."""
    executors = [EXECUTOR] if "cluster" in master else []
    if EPOCHS <= SHORT:
        return [PYTHON, BROKER, DRIVER, *executors]
    chooser = random.Random(SEED)
    kills: list[str] = []
    for number in range(max(1, EPOCHS // EPOCHS_OF_A_TURN)):
        # A driver takes long to start again, so it is killed less often than the rest.
        turn = [ZOMBIE if number % 3 == 1 else DRIVER, *2 * [PYTHON, BROKER, *executors]]
        chooser.shuffle(turn)
        kills += turn
    return kills


def gap(kills: int) -> tuple[int, int]:
    """How many lines lie between two of them: the last is to come well before the input is used up."""
    return (2, 8) if EPOCHS <= SHORT else (2, EPOCHS * LINES_OF_AN_EPOCH * 3 // 2 // kills)


def by_key(bootstrap: str, topic: str) -> dict[str, list[str]]:
    """Values in the order of their partition."""
    found: dict[str, list[str]] = {}
    for message in committed(bootstrap, topic, PARTITIONS):
        found.setdefault(text(message.key()), []).append(text(message.value()))
    return found


@pytest.mark.timeout(LIMIT_S + 30)
@pytest.mark.parametrize("master", masters())
def test_output_equals_input(master: str, tmp_path: Path) -> None:
    source = Input(tmp_path, EPOCHS)
    kills = plan(master)
    started_s = time.monotonic()
    with three_brokers(tmp_path / "cluster", {"transaction.state.log.num.partitions": "4"}) as cluster:
        admin = AdminClient({"bootstrap.servers": cluster.bootstrap})
        topics = [NewTopic(name, num_partitions=PARTITIONS, replication_factor=3) for name in (STATELESS, STATEFUL)]
        for future in admin.create_topics(topics).values():
            future.result(180)
        faults = Faults(cluster, tmp_path, source, kills, SEED, gap(len(kills)))
        faults.run(master, started_s + LIMIT_S)
        stateless, stateful = (by_key(cluster.bootstrap, name) for name in (STATELESS, STATEFUL))
    print(
        f"\nmaster={master} micro-batches={2 * source.epochs} seconds={time.monotonic() - started_s:.0f} "
        f"kills={dict(faults.kills)} while={dict(faults.moments)} drivers={faults.starts} "
        f"trace={dict(faults.progress.told)}"
    )
    # A run in which not everything was killed that should be proves nothing.
    assert faults.kills == Counter(kills)
    assert stateless == source.passed_on
    assert stateful == source.added_up

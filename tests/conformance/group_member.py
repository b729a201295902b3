"""One consumer group member as a process of its own, so that it can really crash.

    python group_member.py CLIENT BOOTSTRAP TOPIC GROUP STRATEGY [INSTANCE_ID]

It prints one JSON object per line: {"assigned": [partitions]} with all it owns after every change, and
{"partition": p, "offset": o, "value": v} for each record, after the record's offset is committed; one whose commit
fails is read again, by whoever owns the partition then. SIGTERM makes it leave the group; SESSION_TIMEOUT_MS in the
environment sets the session timeout. The Java and KafkaJS members of this suite speak the same lines.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import os
import signal
import sys
from typing import Any

SESSION_TIMEOUT_MS = int(os.environ.get("SESSION_TIMEOUT_MS", "6000"))
HEARTBEAT_MS = 300
leaving = False


def say(**event: Any) -> None:
    print(json.dumps(event), flush=True)


def say_record(record: Any) -> None:
    say(partition=record.partition, offset=record.offset, value=record.value.decode())


def leave(*_: Any) -> None:
    global leaving
    leaving = True


def run_confluent(bootstrap: str, topic: str, group: str, strategy: str, instance: str | None) -> None:
    from confluent_kafka import Consumer, KafkaException, TopicPartition

    config: dict[str, Any] = {
        "bootstrap.servers": bootstrap,
        "group.id": group,
        "auto.offset.reset": "earliest",
        "enable.auto.commit": False,
    }
    if strategy == "consumer":
        # KIP-848: timeouts and assignors are the broker's.
        config["group.protocol"] = "consumer"
    else:
        config["partition.assignment.strategy"] = strategy
        config["session.timeout.ms"] = SESSION_TIMEOUT_MS
        config["heartbeat.interval.ms"] = HEARTBEAT_MS
    member = Consumer(config | ({"group.instance.id": instance} if instance else {}))
    member.subscribe([topic])
    owned: list[int] | None = None
    while not leaving:
        message = member.poll(0.1)
        now = sorted(partition.partition for partition in member.assignment())
        if now != owned:
            owned = now
            say(assigned=owned)
        if message is None or message.error() is not None:
            continue
        partition, offset, value = message.partition(), message.offset(), message.value()
        assert partition is not None
        assert offset is not None
        assert value is not None
        try:
            member.commit(offsets=[TopicPartition(topic, partition, offset + 1)], asynchronous=False)
        except KafkaException:
            with contextlib.suppress(KafkaException):  # it belongs to another by now
                member.seek(TopicPartition(topic, partition, offset))
            continue
        say(partition=partition, offset=offset, value=value.decode())
    member.close()


def run_kafka_python(bootstrap: str, topic: str, group: str, strategy: str, instance: str | None) -> None:
    from kafka import KafkaConsumer  # type: ignore[import-untyped]
    from kafka.coordinator.assignors.cooperative_sticky import CooperativeStickyAssignor  # type: ignore[import-untyped]
    from kafka.coordinator.assignors.range import RangePartitionAssignor  # type: ignore[import-untyped]
    from kafka.errors import KafkaError  # type: ignore[import-untyped]

    assignor = {"range": RangePartitionAssignor, "cooperative-sticky": CooperativeStickyAssignor}[strategy]
    member = KafkaConsumer(
        topic,
        bootstrap_servers=bootstrap,
        group_id=group,
        group_instance_id=instance,
        partition_assignment_strategy=[assignor],
        session_timeout_ms=SESSION_TIMEOUT_MS,
        heartbeat_interval_ms=HEARTBEAT_MS,
        auto_offset_reset="earliest",
        enable_auto_commit=False,
    )
    owned: list[int] | None = None
    while not leaving:
        polled = member.poll(timeout_ms=100)
        now = sorted(partition.partition for partition in member.assignment())
        if now != owned:
            owned = now
            say(assigned=owned)
        if polled:
            try:
                member.commit()
            except KafkaError:
                for partition in polled.keys() & member.assignment():
                    member.seek(partition, polled[partition][0].offset)
                continue
            for record in itertools.chain.from_iterable(polled.values()):
                say_record(record)
    member.close(autocommit=False)


def run_aiokafka(bootstrap: str, topic: str, group: str, strategy: str, instance: str | None) -> None:
    from aiokafka import AIOKafkaConsumer  # type: ignore[import-untyped]
    from aiokafka.coordinator.assignors.range import RangePartitionAssignor  # type: ignore[import-untyped]
    from aiokafka.coordinator.assignors.sticky.sticky_assignor import StickyPartitionAssignor  # type: ignore[import-untyped]
    from aiokafka.errors import KafkaError  # type: ignore[import-untyped]

    assignor = {"range": RangePartitionAssignor, "sticky": StickyPartitionAssignor}[strategy]

    async def run() -> None:
        member = AIOKafkaConsumer(
            topic,
            bootstrap_servers=bootstrap,
            group_id=group,
            group_instance_id=instance,
            partition_assignment_strategy=[assignor],
            session_timeout_ms=SESSION_TIMEOUT_MS,
            heartbeat_interval_ms=HEARTBEAT_MS,
            auto_offset_reset="earliest",
            enable_auto_commit=False,
        )
        await member.start()
        owned: list[int] | None = None
        while not leaving:
            polled = await member.getmany(timeout_ms=100)
            now = sorted(partition.partition for partition in member.assignment())
            if now != owned:
                owned = now
                say(assigned=owned)
            if polled:
                try:
                    await member.commit()
                except KafkaError:
                    for partition in polled.keys() & member.assignment():
                        member.seek(partition, polled[partition][0].offset)
                    continue
                for record in itertools.chain.from_iterable(polled.values()):
                    say_record(record)
        await member.stop()

    asyncio.run(run())


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, leave)
    clients = {"confluent": run_confluent, "kafka-python": run_kafka_python, "aiokafka": run_aiokafka}
    client, bootstrap, topic, group, strategy, *instance = sys.argv[1:]
    clients[client](bootstrap, topic, group, strategy, instance[0] if instance else None)

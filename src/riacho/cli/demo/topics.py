"""Reads back what the demo's pipelines wrote into topics."""

from __future__ import annotations

import json
from collections import Counter

from riacho.base.errors import ErrorCode, KafkaError
from riacho.cli.position import Kind, Position, resolve
from riacho.cli.record_reader import read_partitions
from riacho.cli.record_text import TextRecord
from riacho.cli.target import Target


def read_topic(bootstrap: str, topic: str) -> list[TextRecord]:
    """Everything in it as of now; nothing where it does not exist yet."""
    with Target(bootstrap).open() as cluster:
        try:
            found = cluster.retry(lambda: cluster.topics([topic]))
        except KafkaError as error:
            if error.code is ErrorCode.UNKNOWN_TOPIC_OR_PARTITION:
                return []
            raise
        partitions = [(topic, partition.partition_index) for partition in found[topic].partitions]
        starts = resolve(cluster, Position(Kind.START), partitions)
        ends = resolve(cluster, Position(Kind.END), partitions)
    return list(read_partitions(Target(bootstrap), starts, ends))


def read_totals(bootstrap: str, topic: str) -> tuple[int, Counter[str]]:
    """How many records; and cents by account, from the newest record of each window."""
    records = read_topic(bootstrap, topic)
    newest = {record.key: json.loads(record.value or b"{}") for record in records}
    cents: Counter[str] = Counter()
    for total in newest.values():
        cents[total["account"]] += total["cents"]
    return len(records), cents

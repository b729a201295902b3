"""The JSON of kafka-reassign-partitions: plans of replicas and directories, and the topics to make a plan for."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from riacho.cli.json_text import parse_json
from riacho.client.log_dirs import Replica
from riacho.client.offsets import TopicPartition

T = TypeVar("T")

ANY_LOG_DIR = "any"
_VERSION = 1
_WORDS: dict[type, str] = {str: "string", int: "number"}


class BadPlan(Exception):
    """What is wrong with the file, in one sentence."""


class Plan(NamedTuple):
    """Partitions in the order of the file, one perhaps twice; directories only of replicas for which one is named."""

    partitions: list[tuple[TopicPartition, list[int]]]
    directories: dict[Replica, str]


def read_plan(text: str) -> Plan:
    document = _document(text)
    plan = Plan([], {})
    for entry in _entries(document, "partitions"):
        topic, partition = _field(entry, "topic", str), _field(entry, "partition", int)
        replicas = _list(entry, "replicas", int)
        directories = _list(entry, "log_dirs", str) if "log_dirs" in entry else [ANY_LOG_DIR] * len(replicas)
        if len(directories) != len(replicas):
            raise BadPlan(
                f"Size of replicas list {_java_list(replicas)} is different from size of log dirs list "
                f"{_java_list(directories)} for partition {topic}-{partition}"
            )
        plan.partitions.append(((topic, partition), replicas))
        plan.directories.update(
            (Replica(topic, partition, broker), directory)
            for broker, directory in zip(replicas, directories, strict=True)
            if directory != ANY_LOG_DIR
        )
    return plan


def check_plan(plan: Plan) -> dict[TopicPartition, list[int]]:
    """The plan as something that can be carried out: each partition once, each with replicas, each of those once."""
    if not plan.partitions:
        raise BadPlan("Partition reassignment list cannot be empty")
    if any(not replicas for _, replicas in plan.partitions):
        raise BadPlan("Partition replica list cannot be empty")
    twice = duplicates(partition for partition, _ in plan.partitions)
    if twice:
        named = ",".join(partition_name(partition) for partition in twice)
        raise BadPlan(f"Partition reassignment contains duplicate topic partitions: {named}")
    repeated = [
        f"{partition_name(partition)} contains multiple entries for {','.join(map(str, duplicates(replicas)))}"
        for partition, replicas in plan.partitions
        if duplicates(replicas)
    ]
    if repeated:
        raise BadPlan(f"Partition replica lists may not contain duplicate entries: {'. '.join(repeated)}")
    return dict(plan.partitions)


def read_topics(text: str) -> list[str]:
    names = [_field(entry, "topic", str) for entry in _entries(_document(text), "topics")]
    if duplicates(names):
        raise BadPlan(f"List of topics to reassign contains duplicate entries: {_java_list(duplicates(names))}")
    return names


def read_brokers(text: str) -> list[int]:
    try:
        brokers = [int(part) for part in text.split(",")]
    except ValueError:
        raise BadPlan(f"--broker-list takes broker ids, 1,2,3, not '{text}'") from None
    if duplicates(brokers):
        raise BadPlan(f"Broker list contains duplicate entries: {_java_list(duplicates(brokers))}")
    return brokers


def plan_text(partitions: Mapping[TopicPartition, Sequence[int]], directories: Mapping[Replica, str]) -> str:
    entries = [
        {
            "topic": topic,
            "partition": partition,
            "replicas": list(replicas),
            "log_dirs": [directories.get(Replica(topic, partition, broker), ANY_LOG_DIR) for broker in replicas],
        }
        for (topic, partition), replicas in sorted(partitions.items())
    ]
    return json.dumps({"version": _VERSION, "partitions": entries}, separators=(",", ":"), ensure_ascii=False)


def partition_name(partition: TopicPartition) -> str:
    return f"{partition[0]}-{partition[1]}"


def duplicates(values: Iterable[T]) -> list[T]:
    """Each value that comes more than once, once."""
    listed = list(values)
    return list(dict.fromkeys(value for value in listed if listed.count(value) > 1))


def _java_list(values: Iterable[object]) -> str:
    return f"[{', '.join(map(str, values))}]"


def _document(text: str) -> dict[str, Any]:
    try:
        document = parse_json(text)
    except ValueError as error:
        raise BadPlan(f"The input string is not a valid JSON: {error}") from None
    if not isinstance(document, dict):
        raise BadPlan("The input string is not a valid JSON: an object is expected")
    version = document.get("version", _VERSION)
    if version != _VERSION:
        raise BadPlan(f"Not supported version field value {version}")
    return document


def _entries(document: dict[str, Any], name: str) -> list[dict[str, Any]]:
    entries = document.get(name, [])
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise BadPlan(f'The "{name}" field must be a list of objects')
    return entries


def _field(entry: dict[str, Any], name: str, kind: type[T]) -> T:
    value = entry.get(name)
    if not isinstance(value, kind) or isinstance(value, bool):
        raise BadPlan(f'{json.dumps(entry)} needs a field "{name}" with a {_WORDS[kind]}')
    return value


def _list(entry: dict[str, Any], name: str, kind: type[T]) -> list[T]:
    values = entry.get(name)
    if not isinstance(values, list) or not all(isinstance(value, kind) for value in values):
        raise BadPlan(f'{json.dumps(entry)} needs a field "{name}" with a list of {_WORDS[kind]}s')
    return values

"""kafka-leader-election: elect preferred leaders, or any live replica where no leader is left."""

from __future__ import annotations

from typing import Any

from riacho.base.errors import ErrorCode, KafkaError
from riacho.cli.json_text import parse_json
from riacho.cli.kafka.connect import open_cluster
from riacho.cli.kafka.flags.jopt import Arguments
from riacho.cli.kafka.launch import ToolError, launch
from riacho.cli.kafka.text.sentences import words
from riacho.cli.kafka.text_file import read_text_file
from riacho.client.elections import ElectionType, elect_leaders
from riacho.client.offsets import TopicPartition

_WHICH = ("topic", "all-topic-partitions", "path-to-json-file")


def main() -> None:
    launch("kafka-leader-election", run)


def run(arguments: Arguments) -> int:
    _check(arguments)
    election_type = ElectionType[arguments.need("election-type")]
    partitions = _partitions(arguments)
    with open_cluster(arguments) as cluster:
        try:
            outcomes = elect_leaders(cluster, election_type, partitions)
        except KafkaError as error:
            if error.code is ErrorCode.REQUEST_TIMED_OUT:
                print("Timeout waiting for election results")
            elif error.code is ErrorCode.CLUSTER_AUTHORIZATION_FAILED:
                print("Not authorized to perform leader election")
            raise
    return report(election_type, outcomes)


def _check(arguments: Arguments) -> None:
    if not arguments.has("election-type"):
        raise ToolError("Missing required option(s): election-type")
    if sum(arguments.has(name) for name in _WHICH) != 1:
        raise ToolError(f"One and only one of the following options is required: {', '.join(_WHICH)}")
    if arguments.has("topic") and not arguments.has("partition"):
        raise ToolError("Missing required option(s): partition")
    if arguments.has("partition") and not arguments.has("topic"):
        raise ToolError("Option partition is only allowed if topic is used")


def _partitions(arguments: Arguments) -> list[TopicPartition] | None:
    if arguments.has("all-topic-partitions"):
        return None
    if arguments.has("topic"):
        return [(arguments.need("topic"), arguments.need_number("partition"))]
    return parse_partitions(read_text_file(arguments.need("path-to-json-file")))


def parse_partitions(text: str) -> list[TopicPartition]:
    try:
        document: Any = parse_json(text)
    except ValueError:
        raise ToolError("Replica election data is empty") from None
    if not isinstance(document, dict) or not isinstance(document.get("partitions"), list):
        raise ToolError('Replica election data is missing "partitions" field')
    try:
        partitions = [(str(entry["topic"]), int(entry["partition"])) for entry in document["partitions"]]
    except (KeyError, TypeError, ValueError):
        raise ToolError("Each entry of partitions needs a topic and a partition.") from None
    twice = sorted({f"{topic}-{p}" for topic, p in partitions if partitions.count((topic, p)) > 1})
    if twice:
        raise ToolError(f"Replica election data contains duplicate partitions: [{', '.join(twice)}]")
    return partitions


def report(election_type: ElectionType, outcomes: dict[TopicPartition, KafkaError | None]) -> int:
    succeeded, idle, failed = [], [], []
    for (topic, partition), error in sorted(outcomes.items(), key=lambda item: item[0]):
        name = f"{topic}-{partition}"
        if error is None:
            succeeded.append(name)
        elif error.code is ErrorCode.ELECTION_NOT_NEEDED:
            idle.append(name)
        else:
            failed.append((name, error.detail or words(error.code)))
    if succeeded:
        print(f"Successfully completed leader election ({election_type.name}) for partitions {', '.join(succeeded)}")
    if idle:
        print(f"Valid replica already elected for partitions {', '.join(idle)}")
    for name, reason in failed:
        print(f"Error completing leader election ({election_type.name}) for partition: {name}: {reason}")
    if failed:
        raise ToolError(f"{len(failed)} replica(s) could not be elected")
    return 0

"""kafka-topics: create, list, describe, alter and delete topics."""

from __future__ import annotations

import sys
from collections.abc import Callable

from riacho.base.errors import ErrorCode, KafkaError
from riacho.base.ids import ZERO_UUID, uuid_from_text
from riacho.cli.kafka.checks import exactly_one, reject_together, require
from riacho.cli.kafka.connect import open_cluster
from riacho.cli.kafka.filters import matching_topics
from riacho.cli.kafka.flags.jopt import Arguments, UsageError
from riacho.cli.kafka.flags.options import int32
from riacho.cli.kafka.launch import ToolError, launch, sentence
from riacho.client.cluster import Cluster, check

_ACTIONS = ("list", "describe", "create", "alter", "delete")
_REPORTS = (
    "under-replicated-partitions",
    "under-min-isr-partitions",
    "at-min-isr-partitions",
    "unavailable-partitions",
)
_COLLISION_WARNING = (
    "WARNING: Due to limitations in metric names, topics with a period ('.') or underscore ('_') could collide. "
    "To avoid issues it is best to use either, but not both."
)
_USE_CONFIGS = " (To alter topic configurations, the kafka-configs tool can be used.)"
_REPLICATION_FACTOR_MAX = 32767


def main() -> None:
    launch("kafka-topics", run)


def run(arguments: Arguments) -> int:
    action = _check(arguments)
    actions: dict[str, Callable[[Cluster, Arguments], None]] = {
        "list": _list,
        "describe": _describe,
        "create": _create,
        "alter": _alter,
        "delete": _delete,
    }
    try:
        with open_cluster(arguments) as cluster:
            actions[action](cluster, arguments)
    except (KafkaError, ToolError) as error:
        # This tool tells its errors on stdout, and scripts read them there.
        told = sentence(error) if isinstance(error, KafkaError) else str(error)
        print(f"Error while executing topic command : {told}")
        return 1
    return 0


def _check(arguments: Arguments) -> str:
    action = exactly_one(
        arguments,
        _ACTIONS,
        "Command must include exactly one action: --list, --describe, --create, --alter or --delete",
    )
    if arguments.has("delete-config"):
        print("delete-config is not supported any more: kafka-configs changes the configs of a topic.", file=sys.stderr)
    if action in ("create", "alter", "delete"):
        require(arguments, "topic")
    if action == "alter":
        if arguments.has("config"):
            raise UsageError(
                'Option combination "[[bootstrap-server], [config]]" can\'t be used with option "[alter]"'
                f"{_USE_CONFIGS}"
            )
        require(arguments, "partitions")
    allowed = {
        "config": ("create", "alter"),
        "partitions": ("create", "alter"),
        "replication-factor": ("create",),
        "replica-assignment": ("create", "alter"),
        "if-exists": ("alter", "delete", "describe"),
        "if-not-exists": ("create",),
        "exclude-internal": ("list", "describe"),
        "topics-with-overrides": ("describe",),
        **{report: ("describe",) for report in _REPORTS},
    }
    for name, actions in allowed.items():
        reject_together(arguments, name, [other for other in _ACTIONS if other not in actions])
    if action == "create":
        reject_together(arguments, "replica-assignment", ("partitions", "replication-factor"))
    reject_together(arguments, "topics-with-overrides", _REPORTS)
    return action


def _names(cluster: Cluster, arguments: Arguments) -> list[str]:
    response = cluster.retry(cluster.metadata)
    names = [topic.name or "" for topic in response.topics]
    return matching_topics(names, arguments.text("topic"), exclude_internal=arguments.has("exclude-internal"))


def _existing(cluster: Cluster, arguments: Arguments) -> list[str]:
    names = _names(cluster, arguments)
    if not names and arguments.text("topic") and not arguments.has("if-exists"):
        raise ToolError(f"Topic '{arguments.text('topic')}' does not exist as expected")
    return names


def _list(cluster: Cluster, arguments: Arguments) -> None:
    print("\n".join(_names(cluster, arguments)))


def _describe(cluster: Cluster, arguments: Arguments) -> None:
    from riacho.cli.kafka.text.topic_description import describe

    topic_id = _topic_id(arguments)
    if topic_id is None:
        names = _existing(cluster, arguments)
    else:
        response = cluster.retry(cluster.metadata)
        names = [topic.name or "" for topic in response.topics if topic.topic_id == topic_id]
        if not names and not arguments.has("if-exists"):
            raise ToolError(f"TopicId '{arguments.text('topic-id')}' does not exist as expected")
    describe(cluster, arguments, names)


def _topic_id(arguments: Arguments) -> bytes | None:
    text = arguments.text("topic-id")
    if text is None:
        return None
    try:
        topic_id = uuid_from_text(text)
    except ValueError:
        raise ToolError(f"'{text}' is not a topic id: 22 characters, as --describe prints them") from None
    return None if topic_id == ZERO_UUID else topic_id


def _create(cluster: Cluster, arguments: Arguments) -> None:
    from riacho.wire.messages.create_topics_request import (
        CreatableReplicaAssignment,
        CreatableTopic,
        CreatableTopicConfig,
        CreateTopicsRequest,
    )
    from riacho.wire.messages.create_topics_response import CreateTopicsResponse

    name = arguments.need("topic")
    if "." in name or "_" in name:
        print(_COLLISION_WARNING)
    partitions, replication_factor = arguments.number("partitions"), arguments.number("replication-factor")
    if replication_factor is not None and not 1 <= replication_factor <= _REPLICATION_FACTOR_MAX:
        raise ToolError(f"The replication factor must be between 1 and {_REPLICATION_FACTOR_MAX} inclusive")
    if partitions is not None and partitions < 1:
        raise ToolError("The partitions must be greater than 0")
    assignment = _replica_assignment(arguments)
    # -1: the broker's own default (KIP-464).
    topic = CreatableTopic(
        name=name,
        num_partitions=-1 if assignment or partitions is None else partitions,
        replication_factor=-1 if assignment or replication_factor is None else replication_factor,
        assignments=[CreatableReplicaAssignment(partition_index=i, broker_ids=ids) for i, ids in enumerate(assignment)],
        configs=[CreatableTopicConfig(name=key, value=value) for key, value in _configs(arguments).items()],
    )
    request = CreateTopicsRequest(topics=[topic], timeout_ms=cluster.settings.request_timeout_ms)

    def work() -> None:
        for result in cluster.ask(request, CreateTopicsResponse, cluster.controller()).topics:
            check(result.error_code, result.error_message)

    try:
        cluster.retry(work)
    except KafkaError as error:
        if error.code is ErrorCode.TOPIC_ALREADY_EXISTS and arguments.has("if-not-exists"):
            return
        raise
    print(f"Created topic {name}.")


def _configs(arguments: Arguments) -> dict[str, str]:
    configs = {}
    for word in arguments.all("config"):
        key, equals, value = word.partition("=")
        if not equals or not key.strip() or not value.strip():
            raise ToolError(f"Invalid topic config '{word}': write it as \"key=val\".")
        configs[key.strip()] = value.strip()
    return configs


def _replica_assignment(arguments: Arguments) -> list[list[int]]:
    text = arguments.text("replica-assignment")
    if not text:
        return []
    try:
        lists = [[int32(broker) for broker in part.split(":")] for part in text.split(",")]
    except ValueError:
        raise ToolError(f"'{text}' is not a replica assignment; write broker ids as 1:2,2:3") from None
    for index, brokers in enumerate(lists):
        duplicates = sorted({str(b) for b in brokers if brokers.count(b) > 1})
        if duplicates:
            raise ToolError(f"Partition replica lists may not contain duplicate entries: {','.join(duplicates)}")
        if len(brokers) != len(lists[0]):
            raise ToolError(f"Partition {index} has different replication factor: {brokers}")
    return lists


def _alter(cluster: Cluster, arguments: Arguments) -> None:
    from riacho.wire.messages.create_partitions_request import (
        CreatePartitionsAssignment,
        CreatePartitionsRequest,
        CreatePartitionsTopic,
    )
    from riacho.wire.messages.create_partitions_response import CreatePartitionsResponse

    names = _existing(cluster, arguments)
    if not names:
        return
    count, assignment = arguments.need_number("partitions"), _replica_assignment(arguments)
    present = {name: len(topic.partitions) for name, topic in cluster.topics(names).items()}
    request = CreatePartitionsRequest(timeout_ms=cluster.settings.request_timeout_ms)
    for name in names:
        added = [CreatePartitionsAssignment(broker_ids=ids) for ids in assignment[present[name] :]]
        request.topics.append(CreatePartitionsTopic(name=name, count=count, assignments=added or None))

    def work() -> None:
        for result in cluster.ask(request, CreatePartitionsResponse, cluster.controller()).results:
            check(result.error_code, result.error_message)

    cluster.retry(work)


def _delete(cluster: Cluster, arguments: Arguments) -> None:
    from riacho.wire.messages.delete_topics_request import DeleteTopicsRequest, DeleteTopicState
    from riacho.wire.messages.delete_topics_response import DeleteTopicsResponse

    names = _existing(cluster, arguments)
    if not names:
        return

    def work() -> None:
        connection = cluster.controller()
        request = DeleteTopicsRequest(timeout_ms=cluster.settings.request_timeout_ms)
        if connection.version_for(20) >= 6:
            request.topics = [DeleteTopicState(name=name) for name in names]
        else:
            request.topic_names = names
        for result in cluster.ask(request, DeleteTopicsResponse, connection).responses:
            check(result.error_code, result.error_message)

    cluster.retry(work)

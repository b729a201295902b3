"""kafka-get-offsets: the offsets of topic partitions at a time."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable

from riacho.base.errors import ErrorCode
from riacho.cli.kafka.checks import reject_together
from riacho.cli.kafka.connect import open_cluster
from riacho.cli.kafka.filters import topic_filter, topic_pattern
from riacho.cli.kafka.flags.admin_tools import OFFSET_TIMES
from riacho.cli.kafka.flags.jopt import Arguments
from riacho.cli.kafka.launch import ToolError, launch
from riacho.cli.kafka.text.sentences import words
from riacho.client.offsets import UNKNOWN_OFFSET, list_offsets
from riacho.metadata.image.topic_names import INTERNAL_TOPICS

Allows = Callable[[str, int], bool]

_PATTERN = re.compile(r"([^:,]*)(?::(?:([0-9]*)|(?:([0-9]*)-([0-9]*))))?")


def main() -> None:
    launch("kafka-get-offsets", run)


def run(arguments: Arguments) -> int:
    reject_together(arguments, "topic-partitions", ("topic", "partitions"))
    time = _time(arguments.need("time"))
    allows = _filter(arguments)
    with open_cluster(arguments) as cluster:
        topics = cluster.retry(cluster.metadata).topics
        wanted = [
            (topic.name or "", p.partition_index)
            for topic in topics
            for p in topic.partitions
            if not (arguments.has("exclude-internal-topics") and topic.name in INTERNAL_TOPICS)
            and allows(topic.name or "", p.partition_index)
        ]
        if not wanted:
            raise ToolError("Error occurred: Could not match any topic-partitions with the specified filters")
        found = list_offsets(cluster, dict.fromkeys(wanted, time))
    for topic_partition, offset in sorted(found.items()):
        topic, partition = topic_partition
        if offset.error is not ErrorCode.NONE:
            print(
                f"Skip getting offsets for topic-partition {topic}:{partition} due to error: {words(offset.error)}",
                file=sys.stderr,
            )
        elif offset.offset != UNKNOWN_OFFSET:
            print(f"{topic}:{partition}:{offset.offset}")
    return 0


def _time(text: str) -> int:
    if text in OFFSET_TIMES:
        return OFFSET_TIMES[text]
    try:
        time = int(text)
        if not -(1 << 63) <= time < 1 << 63:
            raise ValueError(text)
        return time
    except ValueError:
        names = " / ".join(f"{number} or {name}" for name, number in OFFSET_TIMES.items())
        raise ToolError(
            f"Error occurred: Malformed time argument {text}. Please use {names}, or a specified long format timestamp"
        ) from None


def _filter(arguments: Arguments) -> Allows:
    patterns = arguments.text("topic-partitions")
    if patterns is not None:
        rules = [_rule(pattern) for pattern in patterns.split(",")]
        return lambda topic, partition: any(rule(topic, partition) for rule in rules)
    is_topic = topic_filter(arguments.text("topic"), exclude_internal=False)
    listed = arguments.text("partitions")
    if listed is None:
        return lambda topic, partition: is_topic(topic)
    try:
        numbers = {int(number) for number in listed.split(",") if number.strip()}
    except ValueError:
        raise ToolError(
            "Error occurred: --partitions expects a comma separated list of numeric partition ids, "
            f"but received: {listed}"
        ) from None
    return lambda topic, partition: is_topic(topic) and partition in numbers


def _rule(pattern: str) -> Allows:
    """`topic:3`, `topic:0-3` (the end left out), `topic:5-`, `topic:-3`, `topic` or `:3`."""
    matched = _PATTERN.fullmatch(pattern.strip())
    if matched is None:
        raise ToolError(f"Error occurred: Invalid rule specification: {pattern}")
    name, single, low, high = matched.groups()
    topic_re = topic_pattern(name) if name else None

    def allows(topic: str, partition: int) -> bool:
        if topic_re is not None and topic_re.fullmatch(topic) is None:
            return False
        if single:
            return partition == int(single)
        return (not low or partition >= int(low)) and (not high or partition < int(high))

    return allows

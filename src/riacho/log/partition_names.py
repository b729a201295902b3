"""What the directory of a partition's log is called, as Apache Kafka calls it.

    orders-0                    in use
    orders-0.<id>-delete        to be removed; the name is free for a topic that is made anew
    orders-0.<id>-future        being filled, to take the place of the one in use (KIP-113)
    orders-0.<id>-stray         set aside by a broker that should not have it

Of a long topic the beginning only stands in those that are set aside: a file system takes names of 255 bytes.
"""

from __future__ import annotations

from riacho.log.checkpoints import TopicPartition

DELETE_SUFFIX = "-delete"
FUTURE_SUFFIX = "-future"
_STRAY_SUFFIX = "-stray"
_NAME_LENGTH_MAX = 255


def directory_name(topic: str, partition: int) -> str:
    return f"{topic}-{partition}"


def set_aside(topic: str, partition: int, unique_id: bytes, suffix: str) -> str:
    end = f"-{partition}.{unique_id.hex()}{suffix}"
    return f"{topic[: _NAME_LENGTH_MAX - len(end)]}{end}"


def partition_of(name: str) -> TopicPartition | None:
    """Of a directory that is in use; None of any other."""
    return None if name.endswith(_STRAY_SUFFIX) else _parsed(name)


def future_partition(name: str) -> TopicPartition | None:
    """Of a directory that was being filled; None of any other."""
    return _parsed(name.removesuffix(FUTURE_SUFFIX).rpartition(".")[0]) if name.endswith(FUTURE_SUFFIX) else None


def _parsed(name: str) -> TopicPartition | None:
    topic, dash, number = name.rpartition("-")
    return (topic, int(number)) if dash and topic and number.isascii() and number.isdecimal() else None

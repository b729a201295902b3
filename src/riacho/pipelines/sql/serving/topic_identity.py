"""What a topic is now: its id, which a topic that is deleted and made again does not keep, and its partitions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from confluent_kafka import KafkaException, TopicCollection
from confluent_kafka.admin import AdminClient

_TIMEOUT_S = 10.0


class TopicNow(NamedTuple):
    topic_id: str
    partitions: int


def topics_now(admin: AdminClient, names: Iterable[str]) -> dict[str, TopicNow | str]:
    """Of each that is there what it is, of others why not, in a sentence. KafkaException where no broker answers."""
    wanted = list(names)
    if not wanted:
        return {}
    found: dict[str, TopicNow | str] = {}
    for name, future in admin.describe_topics(TopicCollection(wanted), request_timeout=_TIMEOUT_S).items():
        try:
            described = future.result()
        except KafkaException as error:
            if error.args[0].name().startswith("_"):
                raise
            found[name] = f"The topic {name} cannot be read: {error.args[0].str()}."
        else:
            found[name] = TopicNow(str(described.topic_id), len(described.partitions))
    return found

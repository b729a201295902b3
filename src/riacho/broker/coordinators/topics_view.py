"""The metadata image as the group coordinator sees it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from riacho.groups.topics_view import TopicChanges

if TYPE_CHECKING:
    from riacho.metadata.image.image import MetadataImage


class ImageTopics:
    __slots__ = ("_has_racks", "_image")

    def __init__(self, image: MetadataImage) -> None:
        self._image = image
        self._has_racks: bool | None = None

    @property
    def version(self) -> int:
        return self._image.end_offset

    def names(self) -> Iterable[str]:
        return self._image.topics.keys()

    def topic_id(self, name: str) -> bytes | None:
        topic = self._image.topics.get(name)
        return None if topic is None else topic.id

    def name_of(self, topic_id: bytes) -> str | None:
        topic = self._image.topics_by_id.get(topic_id)
        return None if topic is None else topic.name

    def partition_count(self, name: str) -> int:
        topic = self._image.topics.get(name)
        return 0 if topic is None else len(topic.partitions)

    def racks(self, name: str, partition: int) -> frozenset[str]:
        if self._has_racks is None:
            self._has_racks = any(broker.rack for broker in self._image.brokers.values())
        found = self._image.partition(name, partition) if self._has_racks else None
        if found is None:
            return frozenset()
        brokers = (self._image.brokers.get(replica) for replica in found.replicas)
        return frozenset(broker.rack for broker in brokers if broker is not None and broker.rack)


def deleted_topics(old: MetadataImage, new: MetadataImage) -> list[str]:
    """Also those whose name has been given to another topic since; in the image's order."""
    return [
        name
        for name, before in old.topics.items()
        if (topic := new.topics.get(name)) is not before and (topic is None or topic.id != before.id)
    ]


def changes_between(old: MetadataImage, new: MetadataImage) -> TopicChanges:
    """A topic that did not change is the same object in both images."""
    before = old.topics
    changed = {name for name, topic in new.topics.items() if before.get(name) is not topic}
    created = any(name not in before or before[name].id != new.topics[name].id for name in changed)
    changed.update(before.keys() - new.topics.keys())
    return TopicChanges(frozenset(changed), created)

"""What the group coordinator sees of the metadata."""

from __future__ import annotations

from riacho.broker.coordinators.topics_view import deleted_topics
from riacho.metadata.image.image import MetadataImage
from riacho.metadata.image.topics import Topic


def _image(**ids: bytes) -> MetadataImage:
    return MetadataImage(topics={name: Topic(name, topic_id, ()) for name, topic_id in ids.items()})


def test_a_topic_that_came_again_within_one_image_was_deleted_all_the_same() -> None:
    old, new = _image(kept=b"1", gone=b"2", again=b"3"), _image(kept=b"1", again=b"4", new=b"5")
    assert deleted_topics(old, new) == ["gone", "again"]
    assert deleted_topics(new, new) == []


def test_deleted_topics_are_in_the_order_of_the_image_whatever_their_names_hash_to() -> None:
    names = [f"t{number}" for number in range(50)]
    assert deleted_topics(_image(**dict.fromkeys(names, b"1")), _image()) == names

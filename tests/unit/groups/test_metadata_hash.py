from __future__ import annotations

from riacho.groups.metadata_hash import NO_TOPICS_HASH, TopicHashes
from riacho.groups.topics_view import FixedTopics

ONE, TWO = b"1" * 16, b"2" * 16


class RackedTopics(FixedTopics):
    def __init__(self, rack: str) -> None:
        super().__init__({"a": (ONE, 2)})
        self._rack = rack

    def racks(self, name: str, partition: int) -> frozenset[str]:
        return frozenset({self._rack, "z"})


def test_no_topics_no_hash() -> None:
    assert TopicHashes().of_group([], FixedTopics({"a": (ONE, 1)})) == NO_TOPICS_HASH
    assert TopicHashes().of_group(["missing"], FixedTopics({"a": (ONE, 1)})) == NO_TOPICS_HASH


def test_the_order_of_names_does_not_matter() -> None:
    topics = FixedTopics({"a": (ONE, 1), "b": (TWO, 1)})
    assert TopicHashes().of_group(["a", "b"], topics) == TopicHashes().of_group(["b", "a"], topics)


def test_whatever_an_assignment_depends_on_changes_it() -> None:
    seen = {
        TopicHashes().of_group(["a"], FixedTopics({"a": (ONE, 1)})),
        TopicHashes().of_group(["a"], FixedTopics({"a": (ONE, 2)})),
        TopicHashes().of_group(["a"], FixedTopics({"a": (TWO, 1)})),
        TopicHashes().of_group(["a"], RackedTopics("r")),
        TopicHashes().of_group(["a"], RackedTopics("s")),
    }
    assert len(seen) == 5


def test_it_is_kept_until_the_topic_is_said_to_have_changed() -> None:
    hashes = TopicHashes()
    before = hashes.of_group(["a"], FixedTopics({"a": (ONE, 1)}))
    assert hashes.of_group(["a"], FixedTopics({"a": (ONE, 2)})) == before
    hashes.forget({"a"})
    assert hashes.of_group(["a"], FixedTopics({"a": (ONE, 2)})) != before

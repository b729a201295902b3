"""Topics as a tree by the words of their names: `orders.eu.new` is under `orders.`, and there under `orders.eu.`."""

from __future__ import annotations

import re
from collections.abc import Iterable

import msgspec
from starlette.responses import Response

from riacho.console.api.topics import TopicRow, listed_topics, topic_row
from riacho.console.clusters.errors import PICTURE_ERRORS
from riacho.console.clusters.picture import TopicFacts
from riacho.console.parts import Parts
from riacho.web.answers import json_answer
from riacho.web.call import Call
from riacho.web.endpoint import Endpoint, Query

_WORD = re.compile(r"[^.\-_]*[.\-_]+")
# More on one level are for the list, which has pages.
_BRANCHES_MAX = 1_000


class Branch(msgspec.Struct):
    prefix: str
    topics: int


class Tree(msgspec.Struct):
    prefixes: list[Branch]
    topics: list[TopicRow]
    # Whether there are more than are told.
    is_cut: bool
    as_of_ms: int
    stale_reason: str | None


def endpoints(parts: Parts) -> list[Endpoint]:
    async def get(call: Call) -> Response:
        cluster = parts.clusters.of(call)
        seen = await cluster.watch.now()
        branches, leaves = split(listed_topics(call, seen), call.text("prefix") or "")
        shown = leaves[:_BRANCHES_MAX]
        tree = Tree(
            prefixes=[Branch(prefix, count) for prefix, count in list(branches.items())[:_BRANCHES_MAX]],
            topics=[topic_row(topic, parts.rates.of_topic(cluster.id, topic.name)) for topic in shown],
            is_cut=max(len(branches), len(leaves)) > _BRANCHES_MAX,
            as_of_ms=seen.picture.as_of_ms,
            stale_reason=seen.stale_reason,
        )
        return json_answer(tree)

    return [
        Endpoint("GET", "/api/v1/clusters/{c}/topics-tree", get, "One level of the tree of topics' names.",
                 query=(Query("prefix", str, "The branch; the root where it is empty."),
                        Query("internal", bool, "Whether internal topics are in it.", False)),
                 tag="topics", errors=PICTURE_ERRORS, answers={200: Tree}),
    ]  # fmt: skip


def split(topics: Iterable[TopicFacts], prefix: str) -> tuple[dict[str, int], list[TopicFacts]]:
    """(branches below the prefix with the number of their topics, topics that hang on the prefix itself). A branch of
    one topic is that topic."""
    below: dict[str, list[TopicFacts]] = {}
    leaves: list[TopicFacts] = []
    for topic in topics:
        word = _WORD.match(topic.name, len(prefix))
        if word is None or word.end() == len(topic.name):
            leaves.append(topic)
        else:
            below.setdefault(topic.name[: word.end()], []).append(topic)
    leaves += [found[0] for found in below.values() if len(found) == 1]
    return {name: len(found) for name, found in below.items() if len(found) > 1}, sorted(leaves)

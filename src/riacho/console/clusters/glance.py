"""A look at one topic or one group, after it was changed here: a list shall show that at once, and a whole look at a
large cluster takes seconds."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cache

from riacho.client.cluster import Cluster
from riacho.client.offsets import EARLIEST, LATEST, TopicPartition
from riacho.console.clusters.assembly import layouts_of, topics_of
from riacho.console.clusters.by_broker import Gaps
from riacho.console.clusters.group_survey import SHARE, group_lags, total
from riacho.console.clusters.partition_ends import by_leader, offsets_at
from riacho.console.clusters.picture import GroupFacts, Picture, TopicFacts
from riacho.console.clusters.topic_settings import read_topic_settings

# How long brokers may take to hear of a change that the controller has made.
_HEARD_TIMEOUT_S = 3.0
_AGAIN_S = 0.03

IsShown = Callable[[TopicFacts | None], bool]


def glance_at_topic(cluster: Cluster, name: str, picture: Picture, is_shown: IsShown) -> TopicFacts | None:
    """The topic as brokers know it once `is_shown` says that they have heard, or time is up. None: it is not there."""
    deadline_s = time.monotonic() + _HEARD_TIMEOUT_S
    while True:
        seen = cluster.retry(lambda: _topic(cluster, name, picture.topics.get(name)))
        if is_shown(seen) or time.monotonic() > deadline_s:
            return seen
        time.sleep(_AGAIN_S)


def _topic(cluster: Cluster, name: str, before: TopicFacts | None) -> TopicFacts | None:
    layouts = layouts_of(topic for topic in cluster.metadata([name]).topics if not topic.error_code)
    if not layouts:
        return None
    led = by_leader((name, p.partition, p.leader) for p in layouts[0].partitions)
    gaps = Gaps()
    sizes = {} if before is None else {(name, p.partition): p.size_bytes for p in before.partitions}
    seen = topics_of(
        layouts,
        offsets_at(cluster, led, LATEST, gaps),
        offsets_at(cluster, led, EARLIEST, gaps),
        {partition: size for partition, size in sizes.items() if size is not None},
        read_topic_settings(cluster, [name], gaps),
        {},
    )[name]
    return seen if before is None else seen._replace(consumers=before.consumers, lag=before.lag)


def glance_at_group(cluster: Cluster, group: GroupFacts, picture: Picture) -> GroupFacts:
    """The group as it stands now; as it was, where that cannot be told."""

    partitions_of = cache(lambda topic: picture.partitions_of([topic]))

    def end_of(partition: TopicPartition) -> int | None:
        found = partitions_of(partition[0]).get(partition)
        return None if found is None else found.next_offset

    told = group_lags(cluster, group.coordinator, [group.id], group.type == SHARE, end_of, Gaps())
    if group.id not in told:
        return group
    topics = told[group.id]
    return group._replace(topics=topics, lag=total(topics.values()))

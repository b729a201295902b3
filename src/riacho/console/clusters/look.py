"""One look at a cluster: few requests, whatever the number of topics and groups, put together into a picture.

Each look asks for metadata, the ends of all partitions, and the groups. What moves slowly (where partitions begin,
settings of topics, the release) is remembered and asked for anew every half minute; what lies on disks more often,
where brokers tell it quickly.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping

from riacho.base.errors import ErrorCode, KafkaError
from riacho.client.cluster import Cluster
from riacho.client.cluster_description import BROKERS, describe_cluster
from riacho.client.configs import describe_configs
from riacho.client.features import describe_features, release_of
from riacho.client.offsets import EARLIEST, LATEST, TopicPartition
from riacho.client.quorum import describe_quorum
from riacho.console.clusters.assembly import Layout, brokers_of, layouts_of, topics_of
from riacho.console.clusters.by_broker import Gaps
from riacho.console.clusters.disks import Disk, add_sizes, read_disks
from riacho.console.clusters.group_survey import GROUPS_OF, survey_groups
from riacho.console.clusters.partition_ends import offsets_at
from riacho.console.clusters.picture import GroupFacts, Heard, Picture, QuorumFacts, TopicFacts, VoterFacts
from riacho.console.clusters.topic_settings import TopicSettings, read_topic_settings
from riacho.metadata.image.config_resource import ResourceType
from riacho.wire.messages.describe_cluster_response import DescribeClusterResponse

_SLOW_MS = 30_000
# Reading the disks takes at most this share of the time: a broker goes through all its logs for it.
_DISKS_SHARE = 1 / 50
_DISKS_MS_MIN = 5_000
UNKNOWN_STATE = "Unknown"
_GROUPS_TOPIC = "__consumer_offsets"
# Only our brokers have it.
_OWN_SETTING = "riacho.metrics.port"


class Look:
    """What is remembered from one look to the next is here; it is one thread's, but for `forget`."""

    def __init__(self) -> None:
        self._settings: dict[str, TopicSettings] = {}
        self._first: dict[TopicPartition, int] = {}
        self._disks: dict[int, Disk] = {}
        self._release: tuple[str | None, bool] = (None, False)
        self._slow_at_ms: int | None = None
        self._disks_due_ms = 0
        self._keys: dict[TopicPartition, TopicPartition] = {}
        # As they were seen last.
        self._topics: Mapping[str, TopicFacts] = {}
        self._groups: dict[str, GroupFacts] = {}
        self._groups_ms = 0
        self._forgotten: set[str] = set()

    def forget(self, topic: str) -> None:
        """What is remembered of it does not hold any more."""
        self._forgotten.add(topic)

    def at(self, cluster: Cluster, now_ms: int) -> Picture:
        """KafkaError when there is nothing to be seen."""
        gaps = Gaps()
        described = cluster.retry(lambda: _describe(cluster))
        layouts = _layouts(cluster)
        alive = sorted(broker.broker_id for broker in described.brokers if not broker.is_fenced)
        led = self._led(layouts, set(alive))
        self._ask_slow(cluster, now_ms, alive, led, layouts, gaps)
        ends = offsets_at(cluster, led, LATEST, gaps)
        surveyed = survey_groups(cluster, alive, ends.get, gaps, self._groups)
        groups = self._with_unheard_of(surveyed, layouts, alive, gaps)
        self._groups_ms = now_ms
        topics = topics_of(layouts, ends, self._first, self._sizes(layouts), self._settings, groups, self._topics)
        self._topics = topics
        return Picture(
            as_of_ms=now_ms,
            cluster_id=described.cluster_id,
            brokers=brokers_of(described, topics.values(), self._disks),
            topics=topics,
            groups=groups,
            quorum=gaps.asked("The quorum is", lambda: _quorum(cluster, now_ms)),
            kafka_version=self._release[0],
            is_riacho=self._release[1],
            gaps=gaps.told(),
        )

    def _led(self, layouts: Iterable[Layout], alive: set[int]) -> dict[int, list[TopicPartition]]:
        """Partitions by leader; their keys are the same objects from look to look, as much is remembered by them."""
        keys: dict[TopicPartition, TopicPartition] = {}
        led: dict[int, list[TopicPartition]] = {}
        for topic in layouts:
            for p in topic.partitions:
                made = (topic.name, p.partition)
                key = keys[made] = self._keys.get(made, made)
                if p.leader in alive:
                    led.setdefault(p.leader, []).append(key)
        self._keys = keys
        return led

    def _ask_slow(
        self,
        cluster: Cluster,
        now_ms: int,
        alive: list[int],
        led: dict[int, list[TopicPartition]],
        layouts: Iterable[Layout],
        gaps: Gaps,
    ) -> None:
        names = [topic.name for topic in layouts]
        self._drop_changed(layouts)
        if self._slow_at_ms is not None and now_ms < self._slow_at_ms + _SLOW_MS:
            new = [name for name in names if name not in self._settings]
            self._settings |= read_topic_settings(cluster, new, gaps)
            self._first |= offsets_at(cluster, _missing(led, self._first), EARLIEST, gaps)
            if now_ms >= self._disks_due_ms:
                self._read_disks(cluster, now_ms, alive, gaps)
            else:
                add_sizes(cluster, self._disks, led, gaps)
            return
        self._slow_at_ms = now_ms
        self._settings = read_topic_settings(cluster, names, gaps)
        self._first = offsets_at(cluster, led, EARLIEST, gaps)
        self._read_disks(cluster, now_ms, alive, gaps)
        self._release = gaps.asked("The release is", lambda: _release(cluster, alive)) or self._release

    def _with_unheard_of(
        self, found: dict[str, GroupFacts], layouts: Iterable[Layout], alive: list[int], gaps: Gaps
    ) -> dict[str, GroupFacts]:
        """Groups whose coordinator is away are still there; only how they fare is not known."""
        coordinators = [p.leader for topic in layouts if topic.name == _GROUPS_TOPIC for p in topic.partitions]
        if all(leader in alive for leader in coordinators) and not gaps.about(GROUPS_OF):
            self._groups = found
            return found
        known = {group_id: _unheard_of(facts, self._groups_ms) for group_id, facts in self._groups.items()}
        self._groups = dict(sorted((known | found).items()))
        return self._groups

    def _read_disks(self, cluster: Cluster, now_ms: int, alive: list[int], gaps: Gaps) -> None:
        is_first = not self._disks
        started_s = time.monotonic()
        self._disks = read_disks(cluster, now_ms, alive, gaps, self._keys)
        # The first time is mostly that of connecting, and of a cluster that may just have begun to fill.
        took_ms = 0.0 if is_first else (time.monotonic() - started_s) * 1000
        self._disks_due_ms = now_ms + max(_DISKS_MS_MIN, int(took_ms / _DISKS_SHARE))

    def _drop_changed(self, layouts: Iterable[Layout]) -> None:
        """Those that were changed, and those that are others of the same name."""
        forgotten, self._forgotten = self._forgotten, set()
        for topic in layouts:
            name = topic.name
            before = self._topics.get(name)
            if name in forgotten or before is None or before.topic_id != topic.topic_id:
                self._settings.pop(name, None)
                for p in topic.partitions:
                    self._first.pop((name, p.partition), None)

    def _sizes(self, layouts: Iterable[Layout]) -> dict[TopicPartition, int]:
        """Of each partition what its leader has."""
        found = {}
        for topic in layouts:
            for p in topic.partitions:
                disk = None if p.leader is None else self._disks.get(p.leader)
                size = None if disk is None else disk.sizes.get(key := (topic.name, p.partition))
                if size is not None:
                    found[key] = size
        return found


def _layouts(cluster: Cluster) -> list[Layout]:
    return layouts_of(t for t in cluster.retry(lambda: cluster.metadata(None)).topics if not t.error_code)


def _unheard_of(facts: GroupFacts, at_ms: int) -> GroupFacts:
    """`at_ms`: when it was looked at last."""
    heard = facts.heard or Heard(at_ms, facts.state, facts.members, facts.topics, facts.lag)
    unknown = dict.fromkeys(facts.topics)
    return facts._replace(state=UNKNOWN_STATE, members=None, lag=None, topics=unknown, heard=heard)


def _missing(
    led: Mapping[int, list[TopicPartition]], known: Mapping[TopicPartition, int]
) -> dict[int, list[TopicPartition]]:
    found = {leader: [p for p in partitions if p not in known] for leader, partitions in led.items()}
    return {leader: partitions for leader, partitions in found.items() if partitions}


def _describe(cluster: Cluster) -> DescribeClusterResponse:
    try:
        return describe_cluster(cluster, BROKERS, fenced=True)
    except KafkaError as error:
        if error.code is not ErrorCode.UNSUPPORTED_VERSION:
            raise
    return describe_cluster(cluster, BROKERS)


def _quorum(cluster: Cluster, now_ms: int) -> QuorumFacts:
    told = describe_quorum(cluster)
    end = max((voter.log_end_offset for voter in told.voters), default=-1)
    voters = tuple(
        VoterFacts(
            voter.replica_id,
            None if voter.log_end_offset < 0 else end - voter.log_end_offset,
            _behind_ms(voter.replica_id == told.leader_id, voter.last_caught_up_timestamp, now_ms),
        )
        for voter in sorted(told.voters, key=lambda each: each.replica_id)
    )
    return QuorumFacts(told.leader_id, told.leader_epoch, voters)


def _behind_ms(is_leader: bool, caught_up_ms: int, now_ms: int) -> int | None:
    if is_leader:
        return 0
    return None if caught_up_ms < 0 else max(now_ms - caught_up_ms, 0)


def _release(cluster: Cluster, alive: list[int]) -> tuple[str | None, bool]:
    """(the release that its metadata is of, whether the brokers are ours)"""
    version = release_of(describe_features(cluster))
    broker = str(alive[0])
    own = describe_configs(cluster, ResourceType.BROKER, [broker], keys=[_OWN_SETTING])[broker]
    return version, any(entry.name == _OWN_SETTING for entry in own)

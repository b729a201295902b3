"""Groups of every kind in one shard half of whose appends fail, and what must hold meanwhile and afterwards.

- What is stored is at any time what the appended records say (`AbandoningWorld`).
- Nobody waits for ever: when appends succeed again, every group settles and all who went are out of it.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from riacho.base.errors import ErrorCode
from riacho.groups.config import GroupConfig
from riacho.groups.consumer.group import ConsumerGroup
from riacho.groups.share.group import ShareGroup
from support.abandoning_world import AbandoningWorld
from support.consumer_world import assigned
from support.group_chaos import GroupChaos
from support.group_world import GROUP

SIMPLE = "simple"
SHARE = "share"
PATTERNS = "patterns"
# A topic that comes and goes; nobody in the group of consumers subscribes to it.
_FLEETING = "v"
# Longer than any session, rebalance or retry may last.
_ALL_OVER_MS = 1_000_000
# Rounds of a second after which those who crashed are out and all patterns have been looked at again.
_QUIET_ROUNDS = 60


class ShareClient:
    def __init__(self, world: AbandoningWorld, member_id: str, topics: list[str]) -> None:
        self.world = world
        self.member_id = member_id
        self.topics = topics
        self.epoch = 0
        self.owned: set[tuple[bytes, int]] = set()

    def step(self) -> None:
        response = self.world.share_beat(SHARE, self.member_id, self.epoch, self.topics)
        if response.error_code == ErrorCode.NONE:
            self.epoch = response.member_epoch
            assert response.assignment is not None
            self.owned = {
                (topic.topic_id, index) for topic in response.assignment.topic_partitions for index in topic.partitions
            }
        elif response.error_code != ErrorCode.NOT_COORDINATOR:
            self.epoch = 0

    def leave(self) -> None:
        self.world.share_beat(SHARE, self.member_id, -1)


class PatternClient:
    """A member of a consumer group that subscribes by a pattern."""

    def __init__(self, world: AbandoningWorld, member_id: str, regex: str) -> None:
        self.world = world
        self.member_id = member_id
        self.regex = regex
        self.epoch = 0
        self.owned: dict[str, set[int]] = {}

    def step(self) -> None:
        response = self.world.beat(
            self.member_id,
            self.epoch,
            regex=self.regex,
            owned=self.owned,
            rebalance_timeout_ms=60_000,
            group_id=PATTERNS,
        )
        if response.error_code == ErrorCode.NONE:
            self.epoch, self.owned = response.member_epoch, assigned(response) or {}
        elif response.error_code != ErrorCode.NOT_COORDINATOR:
            self.epoch, self.owned = 0, {}


class AbandoningChaos(GroupChaos):
    world: AbandoningWorld

    def __init__(self, seed: int, *, cooperative: bool, modern_share: float = 0.5) -> None:
        super().__init__(seed, cooperative=cooperative, modern_share=modern_share)
        self.sharing: list[ShareClient] = []
        self.matching: list[PatternClient] = []
        self._names = 0

    def disturb(self) -> str:
        acts: list[Callable[[], object]] = [super().disturb] * 8
        acts += [self.share_comes, self.share_goes, self.share_crashes, self.pattern_comes, self.pattern_crashes]
        acts += [self.commit_simple, self.commit_in_transaction, self.delete_group, self.delete_offsets]
        acts += [self.alter_share_offsets, self.delete_share_group, self.topic_comes_or_goes]
        act = self.random.choice(acts)
        return str(act() or act.__name__)

    def round(self) -> None:
        for each in self._others():
            each.step()
        self.world.create_share_state()
        self.world.resolve_regexes()
        super().round()

    def share_comes(self) -> None:
        if len(self.sharing) < 5:
            self.sharing.append(
                ShareClient(self.world, self._name("s"), self.random.choice([["t"], ["t", "u"], ["u", _FLEETING]]))
            )

    def share_goes(self) -> None:
        if self.sharing:
            self.sharing.pop().leave()

    def share_crashes(self) -> None:
        if self.sharing:
            self.sharing.pop()

    def pattern_comes(self) -> None:
        if len(self.matching) < 4:
            self.matching.append(PatternClient(self.world, self._name("p"), self.random.choice(["t.*", "u|v", "[tu]"])))

    def pattern_crashes(self) -> None:
        if self.matching:
            self.matching.pop(0)

    def commit_simple(self) -> None:
        self.world.commit({("t", 0): self.random.randrange(100)}, group_id=SIMPLE)

    def commit_in_transaction(self) -> None:
        self.world.commit_in_transaction(SIMPLE, {("t", 1): self.random.randrange(100)})
        if self.random.random() < 0.7:
            self.world.end_transaction(committed=self.random.random() < 0.5)

    def alter_share_offsets(self) -> None:
        self.world.alter_share_offsets(SHARE, self.random.choice(["t", "v"]))

    def delete_share_group(self) -> None:
        """Only once the share coordinator has forgotten it, which this one does at once."""
        self.world.delete_share_group(SHARE)

    def topic_comes_or_goes(self) -> None:
        topics = self.world.topics
        counts = {name: topics.partition_count(name) for name in topics.names()}
        if counts.pop(_FLEETING, None) is None:
            counts[_FLEETING] = 2
        self.world.set_topics(**counts)

    def delete_group(self) -> None:
        group_id = self.random.choice([GROUP, SIMPLE, PATTERNS])
        if self.world.delete_group(group_id) == ErrorCode.NONE and group_id == GROUP:
            self.committed.clear()

    def delete_offsets(self) -> None:
        self.world.delete_offsets({"t": [0]}, SIMPLE)

    def check_end(self) -> None:
        """Everybody falls silent: nobody is left, and nobody waits."""
        self.settle()
        subscribed = {name for client in self.sharing for name in client.topics} & set(self.world.topics.names())
        for _ in range(_QUIET_ROUNDS):
            self.round()
        shared = {where for client in self.sharing for where in client.owned}
        assert {name for name, _ in map(self._named, shared)} == subscribed
        patterns = self.world.shard.groups.get(PATTERNS)
        if self.matching:
            assert isinstance(patterns, ConsumerGroup)
            assert patterns.resolved_regexes.keys() == {client.regex for client in self.matching}
            assert patterns.members.keys() == {client.member_id for client in self.matching}
        self.world.pass_time(_ALL_OVER_MS)
        assert self.world.parked() == set()
        for group in self.world.shard.groups.values():
            assert group.is_empty, group.group_id
        share = self.world.shard.groups.get(SHARE)
        assert share is None or isinstance(share, ShareGroup)
        self.world.check_stored()

    def compact(self) -> None:
        """Left to `GroupChaos`: a group that has lost its last offset is there until its log is compacted."""

    def _others(self) -> list[ShareClient | PatternClient]:
        others = [*self.sharing, *self.matching]
        return self.random.sample(others, len(others))

    def _named(self, where: tuple[bytes, int]) -> tuple[str, int]:
        return where[0].rstrip(b"\0").decode(), where[1]

    def _name(self, prefix: str) -> str:
        self._names += 1
        return f"{prefix}{self._names}"

    def _new_world(self, config: GroupConfig) -> AbandoningWorld:
        return AbandoningWorld(config, t=6, u=4)


def run_abandoning(seed: int) -> AbandoningChaos:
    """One life of a shard; the same for the same seed."""
    choices = random.Random(seed)
    chaos = AbandoningChaos(seed, cooperative=choices.random() < 0.5, modern_share=choices.choice([0.0, 0.3, 0.5, 1.0]))
    chaos.come()
    chaos.share_comes()
    chaos.world.abandons = True
    for _ in range(choices.randint(10, 30)):
        chaos.disturb()
        for _ in range(choices.randint(0, 5)):
            chaos.round()
    chaos.world.abandons = False
    chaos.check_end()
    return chaos

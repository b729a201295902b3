"""Consumers as a group shard sees them, in either protocol: they join, follow their assignment, commit and leave.

Each does one thing a step, as a real client's thread would between two polls. What a client believes to own is `owned`;
it is what it consumes and commits for. Classic ones are eager (they let go of everything to rejoin) or cooperative.
"""

from __future__ import annotations

import itertools
import struct
from typing import Any

from riacho.base.errors import ErrorCode
from riacho.groups.classic.embedded_protocol import read_assignment, read_subscription
from riacho.groups.classic.group import ClassicGroup
from riacho.wire.codec import encode
from riacho.wire.messages.consumer_protocol_assignment import ConsumerProtocolAssignment
from riacho.wire.messages.consumer_protocol_assignment import TopicPartition as AssignedTopic
from riacho.wire.messages.consumer_protocol_subscription import ConsumerProtocolSubscription
from riacho.wire.messages.consumer_protocol_subscription import TopicPartition as OwnedTopic
from support.consumer_world import ConsumerWorld, assigned
from support.group_world import GROUP

Partitions = set[tuple[str, int]]
_VERSION = 3
_numbers = itertools.count(1)


def by_topic(partitions: Partitions) -> dict[str, set[int]]:
    found: dict[str, set[int]] = {}
    for topic, index in partitions:
        found.setdefault(topic, set()).add(index)
    return found


class ModernClient:
    """Speaks the consumer protocol."""

    def __init__(self, world: ConsumerWorld, topics: list[str], instance_id: str | None = None) -> None:
        self.world = world
        self.topics = topics
        self.instance_id = instance_id
        self.member_id = f"m{next(_numbers)}"
        self.epoch = 0
        self.owned: Partitions = set()
        self._tell_owned = True
        self._tell_topics = True

    @property
    def is_settled(self) -> bool:
        return self.epoch > 0 and not self._tell_owned and not self._tell_topics

    def subscribe(self, topics: list[str]) -> None:
        self.topics = topics
        self._tell_topics = True

    def step(self) -> None:
        tells_owned = self._tell_owned or self.epoch == 0
        response = self.world.beat(
            self.member_id,
            self.epoch,
            topics=self.topics if self._tell_topics or self.epoch == 0 else None,
            owned=by_topic(self.owned) if tells_owned else None,
            instance_id=self.instance_id,
        )
        if response.error_code != ErrorCode.NONE:
            self._refused(response.error_code)
            return
        self.epoch, self._tell_owned, self._tell_topics = response.member_epoch, False, False
        told = assigned(response)
        if told is not None:
            now = {(topic, index) for topic, indexes in told.items() for index in indexes}
            # What it has let go of, it says at once.
            self._tell_owned = now != self.owned
            self.owned = now

    def commit(self, offset: int) -> dict[tuple[str, int], int]:
        codes = self.world.commit(dict.fromkeys(self.owned, offset), self.member_id, self.epoch)
        return {where: offset for where, code in codes.items() if code == ErrorCode.NONE}

    def leave(self) -> None:
        if self.epoch > 0:
            self.world.beat(self.member_id, -2 if self.instance_id else -1, instance_id=self.instance_id)
        self.owned = set()

    def _refused(self, code: int) -> None:
        if code == ErrorCode.NOT_COORDINATOR:
            # Nothing has come of it as far as it knows: it says all of it again.
            self._tell_owned = self._tell_topics = True
            return
        assert code in (
            ErrorCode.UNKNOWN_MEMBER_ID,
            ErrorCode.FENCED_MEMBER_EPOCH,
            ErrorCode.GROUP_ID_NOT_FOUND,
            ErrorCode.UNRELEASED_INSTANCE_ID,
        ), code
        self.epoch, self.owned = 0, set()


class ClassicClient:
    """Speaks the classic protocol, whatever the group is."""

    def __init__(
        self, world: ConsumerWorld, topics: list[str], instance_id: str | None = None, *, cooperative: bool = False
    ) -> None:
        self.world = world
        self.topics = topics
        self.instance_id = instance_id
        self.cooperative = cooperative
        self.member_id = ""
        self.generation = -1
        self.owned: Partitions = set()
        self._join: int | None = None
        self._sync: int | None = None
        self._must_join = True
        self._seen = self._partition_counts()

    @property
    def is_settled(self) -> bool:
        return not self._must_join and self._join is None and self._sync is None

    def subscribe(self, topics: list[str]) -> None:
        self.topics = topics
        self._must_join = True

    def step(self) -> None:
        if self._join is not None:
            self._joined(self.world.answers.get(self._join))
        elif self._sync is not None:
            self._synced(self.world.answers.get(self._sync))
        elif self._must_join or self._leads_and_sees_new_partitions():
            self._send_join()
        else:
            code = self.world.heartbeat(self.member_id, self.generation, instance_id=self.instance_id)
            self._refused(code)

    def commit(self, offset: int) -> dict[tuple[str, int], int]:
        codes = self.world.commit(
            dict.fromkeys(self.owned, offset), self.member_id, self.generation, instance_id=self.instance_id
        )
        return {where: offset for where, code in codes.items() if code == ErrorCode.NONE}

    def leave(self) -> None:
        if self.member_id and self.instance_id is None:
            self.world.leave((self.member_id, None))
        self.owned = set()

    def _leads_and_sees_new_partitions(self) -> bool:
        """In a classic group it is for the leader's client to notice, and to ask for a rebalance."""
        group = self.world.shard.groups.get(GROUP)
        if not isinstance(group, ClassicGroup) or not group.member_list.is_leader(self.member_id):
            return False
        return self._seen != self._partition_counts()

    def _partition_counts(self) -> dict[str, int]:
        topics = self.world.topics
        return {name: topics.partition_count(name) for name in topics.names()}

    def _send_join(self) -> None:
        self._seen = self._partition_counts()
        if not self.cooperative:
            self.owned = set()
        protocol = "cooperative-sticky" if self.cooperative else "range"
        metadata = ConsumerProtocolSubscription(
            topics=self.topics,
            owned_partitions=[
                OwnedTopic(topic=topic, partitions=sorted(indexes)) for topic, indexes in by_topic(self.owned).items()
            ],
            generation_id=self.generation,
        )
        data = struct.pack(">h", _VERSION) + bytes(encode(metadata, _VERSION))
        self._must_join = False
        self._join = self.world.join(self.member_id, instance_id=self.instance_id, protocols={protocol: data})

    def _joined(self, response: Any) -> None:
        if response is None:
            return
        self._join = None
        if response.error_code == ErrorCode.MEMBER_ID_REQUIRED:
            self.member_id, self._must_join = response.member_id, True
            return
        if self._refused(response.error_code):
            return
        self.member_id, self.generation = response.member_id, response.generation_id
        plan = None
        if response.leader == self.member_id and response.skip_assignment:
            # A leader that comes back under its static name keeps the plan of its last run. Java's client does not ask
            # what that was made on, and misses partitions that came in between; this one does ask.
            self._seen = self.world.planned_on
        elif response.leader == self.member_id:
            self.world.planned_on = self._seen
            plan = self._plan(response.members)
        self._sync = self.world.sync(self.member_id, self.generation, plan, instance_id=self.instance_id)

    def _synced(self, response: Any) -> None:
        if response is None:
            return
        self._sync = None
        if self._refused(response.error_code):
            return
        now: Partitions = set()
        if response.assignment:
            for topic in read_assignment(response.assignment).assigned_partitions:
                now |= {(topic.topic, index) for index in topic.partitions}
        # Cooperative: whatever it had to let go of goes to another in the next round.
        self._must_join = self._must_join or (self.cooperative and bool(self.owned - now))
        self.owned = now

    def _refused(self, code: int) -> bool:
        if code == ErrorCode.NONE:
            return False
        self._must_join = True
        if code in (ErrorCode.UNKNOWN_MEMBER_ID, ErrorCode.FENCED_INSTANCE_ID):
            self.member_id, self.generation, self.owned = "", -1, set()
        elif code == ErrorCode.ILLEGAL_GENERATION:
            self.generation, self.owned = -1, set()
        else:
            assert code in (ErrorCode.REBALANCE_IN_PROGRESS, ErrorCode.NOT_COORDINATOR), code
        return True

    def _plan(self, members: list[Any]) -> dict[str, bytes]:
        """By range; a cooperative leader keeps back what another still owns."""
        subscriptions = {member.member_id: read_subscription(member.metadata) for member in members}
        plan: dict[str, Partitions] = {member_id: set() for member_id in subscriptions}
        for topic in sorted({name for each in subscriptions.values() for name in each.topics}):
            takers = sorted(member_id for member_id, each in subscriptions.items() if topic in each.topics)
            for index in range(self.world.topics.partition_count(topic)):
                plan[takers[index % len(takers)]].add((topic, index))
        if self.cooperative:
            owners = {
                (topic.topic, index): member_id
                for member_id, each in subscriptions.items()
                for topic in each.owned_partitions
                for index in topic.partitions
            }
            for member_id, partitions in plan.items():
                plan[member_id] = {where for where in partitions if owners.get(where, member_id) == member_id}
                if plan[member_id] != partitions:
                    # Not the whole of it: a leader that comes back in between has to go on with it.
                    self.world.planned_on = {}
        return {member_id: _encode(partitions) for member_id, partitions in plan.items()}


def _encode(partitions: Partitions) -> bytes:
    assignment = ConsumerProtocolAssignment(
        assigned_partitions=[
            AssignedTopic(topic=topic, partitions=sorted(indexes)) for topic, indexes in by_topic(partitions).items()
        ]
    )
    return struct.pack(">h", _VERSION) + bytes(encode(assignment, _VERSION))

"""A group in which consumers of both protocols come, go, crash and change their minds, and what must hold meanwhile.

- No partition is held by two members at one time: neither by the records nor by what live clients believe.
- When nothing happens any more, every partition that somebody subscribes to is owned, by exactly one.
- An accepted commit is there until a later one is accepted.
- A shard loaded from the log is the live one.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from riacho.groups.classic.group import ClassicGroup
from riacho.groups.config import GroupConfig
from riacho.groups.consumer.group import ConsumerGroup
from riacho.groups.consumer_config import Bounded, ConsumerGroupConfig
from support.consumer_world import ConsumerWorld, held_by
from support.group_clients import ClassicClient, ModernClient
from support.group_world import GROUP, durable_state

Client = ModernClient | ClassicClient
_ROUND_MS = 1_000
_ROUNDS_MAX = 400


class GroupChaos:
    def __init__(self, seed: int, *, cooperative: bool, modern_share: float = 0.5, replay_every: int = 25) -> None:
        self.random = random.Random(seed)
        self.cooperative = cooperative
        self.modern_share = modern_share
        self._replay_every = replay_every
        config = GroupConfig(
            initial_rebalance_delay_ms=0,
            consumer=ConsumerGroupConfig(session_timeout_ms=Bounded(10_000, 10_000, 60_000)),
        )
        self.world = self._new_world(config)
        self.clients: list[Client] = []
        self.silent: list[Client] = []
        self.committed: dict[tuple[str, int], int] = {}
        # How many assignments the group has gone through, as consumer or as classic group.
        self.rebalances = 0
        self.kinds_seen: set[str] = set()
        self._last_seen = ("", 0)
        self._offset = 0
        self._instances = 0

    # What happens

    def disturb(self) -> str:
        acts: list[Callable[[], None]] = [self.come, self.come, self.go, self.crash, self.resubscribe, self.grow]
        acts += [self.restart_static, self.fail_over]
        act = self.random.choice(acts)
        if len(self.clients) > 6:
            act = self.go
        act()
        return act.__name__

    def come(self) -> None:
        topics = self.random.choice([["t"], ["t", "u"], ["u"]])
        instance_id = None
        if self.random.random() < 0.25:
            self._instances += 1
            instance_id = f"i{self._instances}"
        self.clients.append(self._client(topics, instance_id))

    def go(self) -> None:
        if self.clients:
            client = self.clients.pop(self.random.randrange(len(self.clients)))
            client.leave()

    def crash(self) -> None:
        """It falls silent; the coordinator finds out by itself."""
        if self.clients:
            self.silent.append(self.clients.pop(self.random.randrange(len(self.clients))))

    def resubscribe(self) -> None:
        if self.clients:
            self.random.choice(self.clients).subscribe(self.random.choice([["t"], ["u"], ["t", "u"]]))

    def grow(self) -> None:
        topics = self.world.topics
        counts = {name: topics.partition_count(name) for name in topics.names()}
        name = self.random.choice(sorted(counts))
        if counts[name] < 12:
            counts[name] += self.random.randint(1, 2)
        self.world.set_topics(**counts)

    def restart_static(self) -> None:
        """A static member goes and comes back, in the one protocol or the other."""
        statics = [client for client in self.clients if client.instance_id is not None]
        if statics:
            client = self.random.choice(statics)
            client.leave()
            self.clients.remove(client)
            self.clients.append(self._client(client.topics, client.instance_id))

    def fail_over(self) -> None:
        self.world.restart()

    def round(self) -> None:
        """Everyone does one thing, in some order; then time passes."""
        for client in self.random.sample(self.clients, len(self.clients)):
            client.step()
            self._see()
            if client.owned and self.random.random() < 0.3:
                self.commit(client)
            self.check()
        self.world.pass_time(_ROUND_MS)
        self.check()

    def commit(self, client: Client) -> None:
        self._offset += 1
        self.committed.update(client.commit(self._offset))

    def settle(self) -> None:
        for _ in range(_ROUNDS_MAX):
            if self.is_settled():
                break
            self.round()
        assert self.is_settled(), self.story()
        for client in self.clients:
            if client.owned:
                self._offset += 1
                accepted = client.commit(self._offset)
                assert accepted.keys() == client.owned, f"{client.member_id} may not commit for what it owns"
                self.committed.update(accepted)
        self.check()
        self.check_replay()
        self.compact()
        self.check_replay()

    def compact(self) -> None:
        """As the log cleaner does: of each key the last record stays, and tombstones go some time later."""
        last = {record.key: position for position, record in enumerate(self.world.log)}
        self.world.log = [
            record
            for position, record in enumerate(self.world.log)
            if last[record.key] == position and record.value is not None
        ]

    def is_settled(self) -> bool:
        wanted = {
            (topic, index)
            for topic in {name for client in self.clients for name in client.topics}
            for index in range(self.world.topics.partition_count(topic))
        }
        owned = [where for client in self.clients for where in client.owned]
        return (
            len(owned) == len(set(owned))
            and set(owned) == wanted
            and all(client.is_settled for client in self.clients)
            and self._state() in ("Stable", "Empty", "none")
            and len(self._members()) == len(self.clients)
        )

    # What must hold

    def check(self) -> None:
        group = self.world.shard.groups.get(GROUP)
        if isinstance(group, ConsumerGroup):
            holders = held_by(group)
            for client in self.clients:
                member = group.members.get(client.member_id)
                # One that was put out and does not know it yet may think what it likes.
                if member is not None and _epoch(client) == member.member_epoch:
                    for where in client.owned:
                        assert holders.get(where) == client.member_id, f"{where}: {holders} {client.owned}"
        for (topic, index), offset in self.committed.items():
            found = self.world.shard.offsets.of_group(GROUP)[topic][index]
            assert found.offset == offset, f"{topic}-{index}: {found.offset} is not {offset}"

    def check_replay(self) -> None:
        assert durable_state(self.world.reloaded()) == durable_state(self.world.shard)

    def story(self) -> str:
        members = {member_id: repr(member) for member_id, member in self._members().items()}
        mine = {client.member_id: (type(client).__name__, sorted(client.owned)) for client in self.clients}
        return f"state {self._state()}; members {members}; clients {mine}"

    def _see(self) -> None:
        group = self.world.shard.groups.get(GROUP)
        if isinstance(group, ConsumerGroup):
            now = ("consumer", group.assignment_epoch)
        elif isinstance(group, ClassicGroup):
            now = ("classic", group.generation)
        else:
            return
        self.rebalances += now != self._last_seen
        self._last_seen = now
        self.kinds_seen.add(now[0])

    def _new_world(self, config: GroupConfig) -> ConsumerWorld:
        return ConsumerWorld(config, t=6, u=4)

    def _client(self, topics: list[str], instance_id: str | None) -> Client:
        if self.random.random() < self.modern_share:
            return ModernClient(self.world, topics, instance_id)
        return ClassicClient(self.world, topics, instance_id, cooperative=self.cooperative)

    def _state(self) -> str:
        group = self.world.shard.groups.get(GROUP)
        return "none" if group is None else group.state_name

    def _members(self) -> dict[str, object]:
        group = self.world.shard.groups.get(GROUP)
        return {} if group is None else dict(group.members)  # type: ignore[attr-defined]


def _epoch(client: Client) -> int:
    return client.epoch if isinstance(client, ModernClient) else client.generation

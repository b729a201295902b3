"""Conversations with the controller, as text: see `metadata/*.txt`.

There is one topic of one partition. After each line the conversation tells what it was answered, which brokers changed
their state, and what became of the partition: `leader 2 epoch 1 isr 2,3 elr 1 last 1`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from riacho.base.errors import ErrorCode, KafkaError
from riacho.metadata.image.brokers import Broker
from riacho.metadata.image.config_resource import ResourceType
from riacho.metadata.image.topics import RECOVERING, Partition
from riacho.wire.messages.alter_partition_reassignments_request import (
    AlterPartitionReassignmentsRequest,
    ReassignablePartition,
    ReassignableTopic,
)
from riacho.wire.messages.elect_leaders_request import ElectLeadersRequest, TopicPartitions
from riacho.wire.messages.unregister_broker_request import UnregisterBrokerRequest
from support.conversation import replay
from support.metadata_world import MetadataWorld, topic

FILES = sorted((Path(__file__).parent / "metadata").glob("*.txt"))


class Conversation:
    def __init__(self) -> None:
        self.world = MetadataWorld(0)
        self.configs: dict[str, str | None] = {}
        self.shown: dict[str, str] = {}

    def perform(self, keyword: str, text: str) -> list[str]:
        if keyword == "given":
            self._given(text.split())
            self._changes()
            return []
        try:
            answers = self._when(text.split())
        except KafkaError as error:
            answers = [ErrorCode(error.code).name]
        return [*answers, *self._changes()]

    def _given(self, words: list[str]) -> None:
        match words:
            case ["brokers", count]:
                for id in range(1, int(count) + 1):
                    self.world.start_broker(id)
            case ["replicas", *ids]:
                self.world.create(topic("a", configs=self.configs, assignments={0: [int(id) for id in ids]}))
            case [name, value]:
                self.configs[name] = value
            case _:
                raise AssertionError(words)

    def _when(self, words: list[str]) -> list[str]:
        world = self.world
        match words:
            case ["session", "of", *ids, "ends"]:
                world.fence(*map(int, ids))
            case ["broker", id, "dies"]:
                # Nobody has noticed; what is left of its session is not waited for here.
                world.heartbeats.remove(int(id))
            case ["broker", id, "registers", "after", how]:
                before = world.image.brokers.get(int(id))
                previous = before.epoch if before is not None and how == "stop" else -1
                world.register(int(id), previous_broker_epoch=previous)
            case ["broker", id, "beats", *wishes]:
                reply = world.beat(int(id), **{f"want_{wish}": True for wish in wishes})
                return ["may shut down"] if reply.should_shut_down else []
            case ["broker", id, "is", "unregistered"]:
                world.submit(world.controller.unregister_broker(UnregisterBrokerRequest(broker_id=int(id))))
            case ["leader", "wants", "isr", *ids]:
                return self._answer(world.alter_isr([int(id) for id in ids]))
            case ["leader", "of", "epoch", epoch, "wants", "isr", *ids]:
                return self._answer(
                    world.alter_isr([int(id) for id in ids], broker_id=int(ids[0]), leader_epoch=int(epoch))
                )
            case ["leader", "has", "recovered"]:
                return self._answer(world.alter_isr([world.partition().leader], leader_recovery_state=0))
            case ["replicas", "shall", "be", *ids]:
                return self._reassign([int(id) for id in ids])
            case ["reassignment", "is", "cancelled"]:
                return self._reassign(None)
            case [("preferred" | "unclean") as kind, "election"]:
                return self._elect(int(kind == "unclean"))
            case ["in-contact", *ids]:
                world.in_contact = {int(id) for id in ids if id != "none"}
                world.submit(world.controller.release_absent(world.in_contact))
            case ["log", "ends", *ends]:
                told = {int(id): (0, int(end)) for id, _, end in (each.partition(":") for each in ends)}
                world.recover(told, is_patient=True)
            case ["time", "is", "up,", "log", "ends", *ends]:
                told = {int(id): (0, int(end)) for id, _, end in (each.partition(":") for each in ends)}
                world.recover(told)
            case ["leaders", "are", "balanced"]:
                world.submit(world.controller.balance_leaders())
            case ["set", name, value]:
                world.set_configs(ResourceType.TOPIC, "a", {name: value})
            case _:
                raise AssertionError(words)
        return []

    def _answer(self, result: Any) -> list[str]:
        return [ErrorCode(result.error_code).name] if result.error_code else []

    def _reassign(self, replicas: list[int] | None) -> list[str]:
        asked = ReassignableTopic(name="a", partitions=[ReassignablePartition(partition_index=0, replicas=replicas)])
        request = AlterPartitionReassignmentsRequest(topics=[asked])
        reply = self.world.submit(self.world.controller.alter_partition_reassignments(request, 1))
        return self._answer(reply.responses[0].partitions[0])

    def _elect(self, kind: int) -> list[str]:
        request = ElectLeadersRequest(election_type=kind, topic_partitions=[TopicPartitions(topic="a", partitions=[0])])
        reply = self.world.submit(self.world.controller.elect_leaders(request, 2))
        return self._answer(reply.replica_election_results[0].partition_result[0])

    def _changes(self) -> list[str]:
        now = {f"broker {id}": f"broker {id} {_state(broker)}" for id, broker in self.world.image.brokers.items()}
        if "a" in self.world.image.topics:
            now["partition"] = _text(self.world.partition())
        gone = [f"{name} gone" for name in self.shown if name not in now]
        changed = [line for name, line in now.items() if self.shown.get(name) != line]
        self.shown = now
        return gone + changed


def _state(broker: Broker) -> str:
    if broker.is_fenced:
        return "fenced"
    return "shutting down" if broker.in_controlled_shutdown else "up"


def _text(partition: Partition) -> str:
    fields = [
        ("leader", str(partition.leader) if partition.leader != -1 else "none"),
        ("epoch", str(partition.leader_epoch)),
        ("isr", _ids(partition.isr) or "none"),
        ("elr", _ids(partition.eligible_leader_replicas)),
        ("last", _ids(partition.last_known_elr)),
        ("adding", _ids(partition.adding_replicas)),
        ("removing", _ids(partition.removing_replicas)),
        ("recovering", "yes" if partition.leader_recovery_state == RECOVERING else ""),
        ("of", _ids(partition.replicas)),
    ]
    return " ".join(f"{name} {value}" for name, value in fields if value)


def _ids(ids: tuple[int, ...]) -> str:
    return ",".join(map(str, ids))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_conversation(path: Path, rewrite: bool) -> None:
    replay(path, Conversation().perform, rewrite)

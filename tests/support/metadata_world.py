"""A cluster in memory for tests of the metadata core: an image, a controller on it, requests by the handful."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

from riacho.base.decision import Decision
from riacho.metadata.controller import Controller
from riacho.metadata.image.config_resource import CLUSTER_DEFAULT, ResourceType
from riacho.metadata.image.features import SUPPORTED
from riacho.metadata.image.image import MetadataImage
from riacho.metadata.image.topics import Partition
from riacho.metadata.members.heartbeats import BrokerHeartbeats
from riacho.metadata.partitions.leadership import LogEnd
from riacho.metadata.partitions.recovery_election import Asked, pending_elections
from riacho.metadata.settings.broker_values import BrokerValues
from riacho.wire.messages import assign_replicas_to_dirs_request as assign
from riacho.wire.messages import incremental_alter_configs_request as incremental
from riacho.wire.messages.allocate_producer_ids_request import AllocateProducerIdsRequest
from riacho.wire.messages.allocate_producer_ids_response import AllocateProducerIdsResponse
from riacho.wire.messages.alter_partition_request import AlterPartitionRequest, BrokerState, PartitionData, TopicData
from riacho.wire.messages.broker_heartbeat_request import BrokerHeartbeatRequest
from riacho.wire.messages.broker_heartbeat_response import BrokerHeartbeatResponse
from riacho.wire.messages.broker_registration_request import BrokerRegistrationRequest, Feature, Listener
from riacho.wire.messages.create_topics_request import (
    CreatableReplicaAssignment,
    CreatableTopic,
    CreatableTopicConfig,
    CreateTopicsRequest,
)
from riacho.wire.messages.create_topics_response import CreatableTopicResult

CLUSTER_ID = "AAAAAAAAAAAAAAAAAAAAAA"


def log_dir(node_id: int, number: int = 0) -> bytes:
    return b"\xd0" * 14 + bytes([number, node_id])


class MetadataWorld:
    """`records` is everything that was ever applied, so a test can replay it. `now_ms` is the world's clock."""

    def __init__(self, brokers: int = 1, static: Mapping[str, str] | None = None, racks: str = "") -> None:
        self.static = dict(static or {})
        self.records: list[Any] = []
        self.image = MetadataImage(cluster_id=CLUSTER_ID)
        self.heartbeats = BrokerHeartbeats(session_timeout_ms=9_000)
        self.now_ms = 1_000
        # None: every broker on record as up is taken to be there.
        self.in_contact: set[int] | None = None
        self._numbers = itertools.count(1)
        self.submit(self.controller.bootstrap())
        for node_id in range(1, brokers + 1):
            self.start_broker(node_id, rack=racks[node_id - 1] if racks else None)

    # Brokers

    def registration(self, node_id: int, **changes: Any) -> BrokerRegistrationRequest:
        known: dict[str, Any] = {
            "broker_id": node_id,
            "cluster_id": self.image.cluster_id,
            "incarnation_id": self.new_uuid(),
            "listeners": [Listener(name="PLAINTEXT", host=f"host{node_id}", port=9092)],
            "features": [
                Feature(name=name, min_supported_version=low, max_supported_version=high)
                for name, (low, high) in SUPPORTED.items()
            ],
            "rack": None,
            "log_dirs": [log_dir(node_id)],
        }
        return BrokerRegistrationRequest(**{**known, **changes})

    def register(self, node_id: int, **changes: Any) -> int:
        """A new incarnation, fenced; its broker epoch."""
        request = self.registration(node_id, **changes)
        decision = self.controller.register_broker(request, 4, self.heartbeats, self.now_ms, self.in_contact)
        epoch: int = self.submit(decision).broker_epoch
        return epoch

    def beat(self, node_id: int, **changes: Any) -> BrokerHeartbeatResponse:
        """A heartbeat of a broker that has read all there is."""
        known: dict[str, Any] = {
            "broker_id": node_id,
            "broker_epoch": self.image.brokers[node_id].epoch,
            "current_metadata_offset": self.image.end_offset - 1,
        }
        request = BrokerHeartbeatRequest(**{**known, **changes})
        reply: BrokerHeartbeatResponse = self.submit(self.controller.heartbeat(request, self.heartbeats, self.now_ms))
        return reply

    def start_broker(self, node_id: int, *, after_clean_stop: bool = True, **changes: Any) -> None:
        """Registered and unfenced; `after_clean_stop` says whether it found the mark of an orderly stop."""
        before = self.image.brokers.get(node_id)
        if before is not None and after_clean_stop:
            changes.setdefault("previous_broker_epoch", before.epoch)
        self.heartbeats.remove(node_id)
        self.register(node_id, **changes)
        self.beat(node_id)

    def fence(self, *node_ids: int) -> None:
        for node_id in node_ids:
            self.heartbeats.remove(node_id)
        self.submit(self.controller.fence_brokers(node_ids, self.in_contact))

    def recover(self, log_ends: Mapping[int, tuple[int, int]], topic: str = "a", *, is_patient: bool = False) -> None:
        """Brokers tell (epoch, end) of partition 0; `is_patient` goes on waiting for those who are not there."""
        brokers = self.image.brokers
        told = {id: Asked(brokers[id].epoch, {(topic, 0): LogEnd(*end)}) for id, end in log_ends.items()}
        waiting = [each for each in pending_elections(self.controller.rules) if each.is_complete or not is_patient]
        self.submit(self.controller.recover_leaders(waiting, told))

    # Partitions

    def partition(self, topic: str = "a", partition_id: int = 0) -> Partition:
        return self.image.topics[topic].partitions[partition_id]

    def alter_isr(self, isr: Sequence[int], topic: str = "a", partition_id: int = 0, **changes: Any) -> Any:
        """What the partition's leader asks for, being up to date unless `changes` say otherwise; its answer."""
        partition = self.partition(topic, partition_id)
        broker_id = changes.pop("broker_id", partition.leader)
        broker = self.image.brokers.get(broker_id)
        broker_epoch = changes.pop("broker_epoch", -1 if broker is None else broker.epoch)
        version = changes.pop("version", 3)
        known: dict[str, Any] = {
            "partition_index": partition_id,
            "leader_epoch": partition.leader_epoch,
            "partition_epoch": partition.partition_epoch,
            "new_isr": list(isr),
            "new_isr_with_epochs": [
                BrokerState(broker_id=id, broker_epoch=self.image.brokers[id].epoch if id in self.image.brokers else -1)
                for id in isr
            ],
        }
        topic_id = changes.pop("topic_id", self.image.topics[topic].id)
        data = TopicData(topic_id=topic_id, partitions=[PartitionData(**{**known, **changes})])
        request = AlterPartitionRequest(broker_id=broker_id, broker_epoch=broker_epoch, topics=[data])
        return self.submit(self.controller.alter_partition(request, version)).topics[0].partitions[0]

    def place(self, node_id: int, directory: bytes, topic: str = "a", partition_id: int = 0) -> int:
        """The broker tells where it put a replica; the error code."""
        partition = assign.PartitionData(partition_index=partition_id)
        data = assign.TopicData(topic_id=self.image.topics[topic].id, partitions=[partition])
        request = assign.AssignReplicasToDirsRequest(
            broker_id=node_id,
            broker_epoch=self.image.brokers[node_id].epoch,
            directories=[assign.DirectoryData(id=directory, topics=[data])],
        )
        reply = self.submit(self.controller.assign_replicas_to_dirs(request))
        code: int = reply.directories[0].topics[0].partitions[0].error_code
        return code

    def set_configs(self, resource_type: int, name: str, entries: Mapping[str, str | None]) -> tuple[int, str | None]:
        configs = [
            incremental.AlterableConfig(name=key, config_operation=0 if value is not None else 1, value=value)
            for key, value in entries.items()
        ]
        resource = incremental.AlterConfigsResource(resource_type=resource_type, resource_name=name, configs=configs)
        request = incremental.IncrementalAlterConfigsRequest(resources=[resource])
        result = self.submit(self.controller.incremental_alter_configs(request)).responses[0]
        return result.error_code, result.error_message

    def allocate_producer_ids(self, broker_id: int) -> AllocateProducerIdsResponse:
        """As the broker asks for its next block."""
        request = AllocateProducerIdsRequest(broker_id=broker_id, broker_epoch=self.image.brokers[broker_id].epoch)
        reply: AllocateProducerIdsResponse = self.submit(self.controller.allocate_producer_ids(request))
        return reply

    def new_uuid(self) -> bytes:
        """Counts up, so that tests repeat; the top byte keeps clear of reserved ids."""
        return b"\x42" + next(self._numbers).to_bytes(15, "big")

    def take(self, records: list[Any]) -> None:
        self.image = self.image.apply(records)
        self.records += records

    def submit(self, decision: Decision[Any, Any]) -> Any:
        self.take(decision.records)
        return decision.reply

    @property
    def values(self) -> BrokerValues:
        return BrokerValues(self.static, self.image.overrides(ResourceType.BROKER, CLUSTER_DEFAULT))

    @property
    def controller(self) -> Controller:
        return Controller(self.image, self.values, self.new_uuid)

    def create(self, *topics: CreatableTopic, validate_only: bool = False) -> list[CreatableTopicResult]:
        request = CreateTopicsRequest(topics=list(topics), validate_only=validate_only)
        results: list[CreatableTopicResult] = self.submit(self.controller.create_topics(request)).topics
        return results


def topic(
    name: str,
    partitions: int = 1,
    factor: int = 1,
    configs: Mapping[str, str | None] | None = None,
    assignments: Mapping[int, list[int]] | None = None,
) -> CreatableTopic:
    return CreatableTopic(
        name=name,
        num_partitions=-1 if assignments else partitions,
        replication_factor=-1 if assignments else factor,
        assignments=[
            CreatableReplicaAssignment(partition_index=p, broker_ids=b) for p, b in (assignments or {}).items()
        ],
        configs=[CreatableTopicConfig(name=key, value=value) for key, value in (configs or {}).items()],
    )

"""A cluster in memory for tests of the metadata core: an image, a controller on it, requests by the handful."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any

from riacho.base.decision import Decision
from riacho.metadata.broker_values import BrokerValues
from riacho.metadata.brokers import Endpoint
from riacho.metadata.config_resource import CLUSTER_DEFAULT, ResourceType
from riacho.metadata.controller import Controller
from riacho.metadata.image import MetadataImage
from riacho.metadata.registration import Registration, decide_bootstrap, decide_register
from riacho.wire.messages.create_topics_request import (
    CreatableReplicaAssignment,
    CreatableTopic,
    CreatableTopicConfig,
    CreateTopicsRequest,
)
from riacho.wire.messages.create_topics_response import CreatableTopicResult


class MetadataWorld:
    """`records` is everything that was ever applied, so a test can replay it."""

    def __init__(self, brokers: int = 1, static: Mapping[str, str] | None = None, racks: str = "") -> None:
        self.static = dict(static or {})
        self.records: list[Any] = []
        self.image = MetadataImage(cluster_id="AAAAAAAAAAAAAAAAAAAAAA")
        self._numbers = itertools.count(1)
        self.take(decide_bootstrap(self.image))
        for node_id in range(1, brokers + 1):
            self.register(node_id, rack=racks[node_id - 1] if racks else None)

    def register(self, node_id: int, rack: str | None = None) -> None:
        me = Registration(
            node_id=node_id,
            incarnation_id=self.new_uuid(),
            endpoints=(Endpoint("PLAINTEXT", f"host{node_id}", 9092),),
            rack=rack,
            log_dirs=(bytes([0xD0]) * 15 + bytes([node_id]),),
        )
        self.take(decide_register(self.image, me))

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

"""The controller: what a request on the cluster's metadata comes to, as records and a reply.

It reads an image and changes nothing; whoever drives it appends the records, applies them, and only then lets the
reply go. The rules live beside their nouns (`topic_creation`, `topic_deletion`, `partition_creation`,
`config_changes`, `producer_ids`, `registration`); this is the one door to them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from riacho.base.decision import Decision
from riacho.metadata.broker_values import BrokerValues
from riacho.metadata.config_changes import Change, ChangeResult, Operation, ResourceChange, decide_config_changes
from riacho.metadata.image import MetadataImage
from riacho.metadata.partition_creation import decide_create_partitions
from riacho.metadata.producer_ids import ProducerIdBlock, decide_allocate_producer_ids
from riacho.metadata.records import MetadataRecord
from riacho.metadata.topic_creation import TopicCreation
from riacho.metadata.topic_deletion import decide_delete_topics
from riacho.wire.messages import alter_configs_response, incremental_alter_configs_response
from riacho.wire.messages.alter_configs_request import AlterConfigsRequest
from riacho.wire.messages.alter_configs_response import AlterConfigsResponse
from riacho.wire.messages.create_partitions_request import CreatePartitionsRequest
from riacho.wire.messages.create_partitions_response import CreatePartitionsResponse
from riacho.wire.messages.create_topics_request import CreateTopicsRequest
from riacho.wire.messages.create_topics_response import CreateTopicsResponse
from riacho.wire.messages.delete_topics_request import DeleteTopicsRequest
from riacho.wire.messages.delete_topics_response import DeleteTopicsResponse
from riacho.wire.messages.incremental_alter_configs_request import IncrementalAlterConfigsRequest
from riacho.wire.messages.incremental_alter_configs_response import IncrementalAlterConfigsResponse


@dataclass(frozen=True, slots=True)
class Controller:
    image: MetadataImage
    values: BrokerValues
    new_uuid: Callable[[], bytes]

    def create_topics(self, request: CreateTopicsRequest) -> Decision[MetadataRecord, CreateTopicsResponse]:
        return TopicCreation(self.image, self.values, self.new_uuid, self._start()).decide(request)

    def delete_topics(
        self, request: DeleteTopicsRequest, version: int
    ) -> Decision[MetadataRecord, DeleteTopicsResponse]:
        return decide_delete_topics(self.image, self.values, request, version)

    def create_partitions(self, request: CreatePartitionsRequest) -> Decision[MetadataRecord, CreatePartitionsResponse]:
        return decide_create_partitions(self.image, request, self._start())

    def allocate_producer_ids(self, broker_id: int) -> Decision[MetadataRecord, ProducerIdBlock]:
        return decide_allocate_producer_ids(self.image, broker_id, self.image.brokers[broker_id].epoch)

    def alter_configs(self, request: AlterConfigsRequest) -> Decision[MetadataRecord, AlterConfigsResponse]:
        asked = [
            ResourceChange(
                resource.resource_type,
                resource.resource_name,
                [Change(config.name, Operation.SET, config.value) for config in resource.configs],
                replaces=True,
            )
            for resource in request.resources
        ]
        records, results = decide_config_changes(self.image, self.values, asked)
        reply = AlterConfigsResponse(
            responses=[alter_configs_response.AlterConfigsResourceResponse(*_told(result)) for result in results]
        )
        return Decision(reply=reply, records=[] if request.validate_only else records)

    def incremental_alter_configs(
        self, request: IncrementalAlterConfigsRequest
    ) -> Decision[MetadataRecord, IncrementalAlterConfigsResponse]:
        asked = [
            ResourceChange(
                resource.resource_type,
                resource.resource_name,
                [Change(config.name, config.config_operation, config.value) for config in resource.configs],
            )
            for resource in request.resources
        ]
        records, results = decide_config_changes(self.image, self.values, asked)
        reply = IncrementalAlterConfigsResponse(
            responses=[
                incremental_alter_configs_response.AlterConfigsResourceResponse(*_told(result)) for result in results
            ]
        )
        return Decision(reply=reply, records=[] if request.validate_only else records)

    def _start(self) -> int:
        return int.from_bytes(self.new_uuid()[:4], "big")


def _told(result: ChangeResult) -> tuple[int, str | None, int, str]:
    """(error code, error message, resource type, resource name): the fields of both responses, in their order."""
    error = result.error
    if error is None:
        return 0, None, result.resource_type, result.name
    return error.code, error.detail or None, result.resource_type, result.name

"""DescribeProducers, v0 (KIP-664): the producers a partition remembers, for finding hanging transactions.

Every replica answers from its own log: who looks for what hangs on one broker asks that broker, leader or not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from riacho.base.errors import KafkaError
from riacho.security.denials import denied
from riacho.security.operations import AclOperation, AclResourceType
from riacho.wire.messages.describe_producers_response import (
    DescribeProducersResponse,
    PartitionResponse,
    ProducerState,
    TopicResponse,
)

if TYPE_CHECKING:
    from riacho.broker.parts.request_contexts import BrokerRequestContext
    from riacho.wire.messages.describe_producers_request import DescribeProducersRequest


def handle(ctx: BrokerRequestContext, request: DescribeProducersRequest) -> DescribeProducersResponse:
    return DescribeProducersResponse(
        topics=[
            TopicResponse(
                name=topic.name, partitions=[_describe(ctx, topic.name, index) for index in topic.partition_indexes]
            )
            for topic in request.topics
        ]
    )


def _describe(ctx: BrokerRequestContext, topic: str, index: int) -> PartitionResponse:
    answer = PartitionResponse(partition_index=index)
    try:
        if not ctx.allows(AclOperation.READ, AclResourceType.TOPIC, topic):
            raise denied(AclResourceType.TOPIC)
        hosted = ctx.hosting.replicas.find(topic, index)
    except KafkaError as error:
        answer.error_code = error.code
        answer.error_message = error.detail or None
        return answer
    answer.active_producers = [
        ProducerState(
            producer_id=producer.producer_id,
            producer_epoch=producer.epoch,
            last_sequence=producer.last_sequence,
            last_timestamp=producer.last_timestamp,
            coordinator_epoch=producer.coordinator_epoch,
            current_txn_start_offset=producer.transaction_first_offset,
        )
        for producer in hosted.log.producers()
    ]
    return answer

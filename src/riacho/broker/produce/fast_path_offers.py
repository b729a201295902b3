"""When the next requests of a producer may take the fast path (`produce_fast_path.py`), and how that is made."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from riacho.broker.counters.client_counts import PRODUCED
from riacho.broker.produce.produce_fast_path import (
    BASE_OFFSET_MARK,
    EMPTY_TAGS,
    FLEXIBLE_VERSION,
    LOG_START_MARK,
    ProduceFastPath,
    response_of,
)
from riacho.broker.requests.later import Later, Outcome
from riacho.wire.batch import read_header
from riacho.wire.codec import encoder
from riacho.wire.messages.produce_response import PartitionProduceResponse, ProduceResponse

if TYPE_CHECKING:
    from riacho.broker.counters.client_counts import ClientCounts, ClientMetrics
    from riacho.broker.logs import Logs
    from riacho.broker.partitions.hosted_partition import HostedPartition
    from riacho.broker.partitions.replicas import Replicas
    from riacho.broker.produce.produce_refusals import ProduceRefusals
    from riacho.broker.quotas.quotas import Quotas
    from riacho.broker.requests.api import Answer
    from riacho.broker.requests.request_context import RequestContext
    from riacho.wire.messages.produce_request import ProduceRequest

_SIZE_AND_CORRELATION = struct.Struct(">ii")


class FastPathOffers:
    def __init__(
        self, replicas: Replicas, quotas: Quotas, logs: Logs, refusals: ProduceRefusals, clients: ClientMetrics
    ) -> None:
        self._clients = clients
        self._replicas = replicas
        self._quotas = quotas
        self._logs = logs
        self._refusals = refusals

    def offer(
        self, ctx: RequestContext, frame: bytearray, request: ProduceRequest, outcome: Outcome[Answer]
    ) -> ProduceFastPath | None:
        """A fast path for the next requests, when this one went to a single partition and was taken."""
        if len(request.topic_data) != 1 or len(request.topic_data[0].partition_data) != 1:
            return None
        if self._logs.logs_data_path or self._quotas.limits_producer(ctx):
            return None
        topic = request.topic_data[0]
        index = topic.partition_data[0].index
        if type(outcome) is Later:
            if outcome.is_exclusive:
                # It is put before its transaction's coordinator first: neither written yet nor allowed.
                return None
            # It was written and waits for its commit; what the answer looks like is known all the same.
            response = response_of(topic.name, topic.topic_id, PartitionProduceResponse(index=index))
        elif type(outcome) is ProduceResponse and not outcome.responses[0].partition_responses[0].error_code:
            response = outcome
        else:
            return None
        partition = self._replicas.known(topic.name or topic.topic_id, index)
        if partition is None:
            return None
        client = self._clients.of(PRODUCED, ctx.principal, ctx.client_id, partition.topic)
        return fast_path_for(frame, request, response, ctx.version, partition, self._refusals, client)


def fast_path_for(
    frame: bytearray,
    request: ProduceRequest,
    response: ProduceResponse,
    version: int,
    partition: HostedPartition,
    refusals: ProduceRefusals,
    client: ClientCounts,
) -> ProduceFastPath | None:
    """A fast path for requests like this one, which was just served; None when it has not the simple shape."""
    data = request.topic_data[0].partition_data[0]
    if data.records is None or request.acks == 0 or partition.is_internal or partition.rules.appends_time:
        return None
    size = len(data.records)
    is_flexible = version >= FLEXIBLE_VERSION
    tail = len(EMPTY_TAGS) if is_flexible else 0
    if is_flexible and frame[-tail:] != EMPTY_TAGS:
        return None
    start = len(frame) - tail - size
    prefix_end = start - (_varint_size(size + 1) if is_flexible else 4)
    answered = response.responses[0].partition_responses[0]
    kept = answered.base_offset, answered.log_start_offset
    answered.base_offset, answered.log_start_offset = BASE_OFFSET_MARK, LOG_START_MARK
    out = bytearray(9 if is_flexible else 8)
    encoder(ProduceResponse, version)(response, out, None)
    answered.base_offset, answered.log_start_offset = kept
    _SIZE_AND_CORRELATION.pack_into(out, 0, len(out) - 4, 0)
    # Only a batch of a transaction was asked whether its client may write under the transactional id.
    is_transactional = request.transactional_id is not None and read_header(data.records).is_transactional
    fast_path = ProduceFastPath(
        partition,
        frame,
        prefix_end,
        version,
        bytes(out),
        request.acks,
        request.timeout_ms,
        is_transactional,
        refusals,
        client,
    )
    return fast_path if fast_path.records_range(frame) == (start, start + size) else None


def _varint_size(value: int) -> int:
    return (value.bit_length() + 6) // 7

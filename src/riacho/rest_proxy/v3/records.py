"""POST /v3/clusters/{cluster_id}/topics/{topic_name}/records, a stream of records; and records:batch, a few at once.

The stream's body is JSON objects one after the other, its answer a receipt for each, in order: `record_stream.py`. A
record that cannot be written has a receipt with an error code, and the status of the answer is 200 all the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
from starlette.responses import Response

from riacho.rest_proxy.context import Proxy
from riacho.rest_proxy.kafka_errors import is_unknown_topic
from riacho.rest_proxy.v3.record_request import (
    Prepared,
    Receipt,
    RecordRequest,
    prepare,
    read_request,
    receipt,
    refusal,
)
from riacho.rest_proxy.v3.record_stream import RecordStream
from riacho.web.answers import json_answer
from riacho.web.call import Call
from riacho.web.endpoint import Endpoint
from riacho.web.errors import ApiError

_PATH = "/v3/clusters/{cluster_id}/topics/{topic_name}/records"
_ID_CHARACTERS_MAX = 80
_ERRORS = {
    400: "The body is not JSON.",
    40002: "The topic's name is not one.",
    404: "There is no such cluster.",
    40403: "There is no such topic.",
    42206: "There is no body.",
    50302: "Kafka cannot be reached.",
}
_BATCH_ERRORS = _ERRORS | {
    413: "The request is too large.",
    42208: "The batch is empty or too large, or its ids are not distinct.",
    429: "Too much is on its way to Kafka; try again later.",
}


class BatchEntry(RecordRequest, kw_only=True):
    """`id` tells the entries of a batch apart: 1 to 80 characters."""

    id: str


class BatchRequest(msgspec.Struct):
    entries: list[BatchEntry]


class BatchAnswer(msgspec.Struct):
    successes: list[Receipt]
    failures: list[Receipt]


def endpoints(proxy: Proxy) -> list[Endpoint]:
    async def produce(call: Call) -> Response:
        cluster_id, topic = await _place(proxy, call)
        return RecordStream(proxy, call, cluster_id, topic)

    async def produce_batch(call: Call) -> Response:
        cluster_id, topic = await _place(proxy, call)
        body = await call.body()
        entries = _entries(body, proxy.config.batch_entries_max)
        return json_answer(await _batch(proxy, cluster_id, topic, entries, len(body)), status=207)

    common: dict[str, Any] = {"tag": "Records (v3)"}
    return [
        Endpoint(
            "POST", _PATH, produce, "Write a stream of records.", body=RecordRequest, is_stream=True,
            answers={200: Receipt}, errors=_ERRORS, **common,
        ),
        Endpoint(
            "POST", f"{_PATH}:batch", produce_batch, "Write a few records.", body=BatchRequest,
            answers={207: BatchAnswer}, errors=_BATCH_ERRORS, **common,
        ),
    ]  # fmt: skip


async def _place(proxy: Proxy, call: Call) -> tuple[str, str]:
    cluster_id, topic = call.segment("cluster_id"), call.segment("topic_name")
    if cluster_id != await proxy.admin.cluster_id():
        raise ApiError(404, 404, f"Cluster {cluster_id} cannot be found.")
    if await proxy.topics.partition_count(topic) is None:
        raise ApiError(404, 40403, "This server does not host this topic-partition.")
    return cluster_id, topic


def _entries(body: bytes, count_max: int) -> Sequence[BatchEntry]:
    if not body.strip():
        raise ApiError(422, 42206, "Payload error. Null input provided. Data is required.")
    try:
        request: BatchRequest = read_request(body, BatchRequest)
    except msgspec.DecodeError as error:
        raise ApiError(400, 400, f"The request body is not valid JSON: {error}") from None
    entries = request.entries
    if not entries:
        raise ApiError(422, 42208, "The batch has no entries.")
    if len(entries) > count_max:
        raise ApiError(422, 42208, f"The batch has {len(entries)} entries; at most {count_max} are allowed.")
    if len({entry.id for entry in entries}) < len(entries):
        raise ApiError(422, 42208, "The ids of the batch's entries are not distinct.")
    if not all(1 <= len(entry.id) <= _ID_CHARACTERS_MAX for entry in entries):
        raise ApiError(422, 42208, f"The id of an entry must have 1 to {_ID_CHARACTERS_MAX} characters.")
    return entries


async def _batch(
    proxy: Proxy, cluster_id: str, topic: str, entries: Sequence[BatchEntry], size_bytes: int
) -> BatchAnswer:
    answer = BatchAnswer([], [])
    ready: list[tuple[str, Prepared]] = []
    for entry in entries:
        try:
            ready.append((entry.id, await prepare(proxy.encoders, topic, entry)))
        except ApiError as error:
            failed = refusal(error)
            failed.id = entry.id
            answer.failures.append(failed)
    if ready:
        proxy.producer.check_room(len(ready), size_bytes)
        outcomes = await proxy.producer.send(topic, [prepared.record for _, prepared in ready], size_bytes).wait()
        if is_unknown_topic(outcomes):
            proxy.topics.forget(topic)
        for (entry_id, prepared), outcome in zip(ready, outcomes, strict=True):
            given = receipt(cluster_id, topic, prepared, outcome)
            given.id = entry_id
            (answer.successes if given.error_code == 200 else answer.failures).append(given)
    return answer

"""Records of a consumer instance, and the offsets that its group has committed.

A call for records answers at once when records are there. Without any it waits `timeout`, at most the instance's
`consumer.request.timeout.ms`; joining the group does not count, unless one of the two was given. A record that cannot
be read in the instance's format is answered as an error once, when those before it are handed out, and then passed
over.
"""

from __future__ import annotations

from collections.abc import Sequence

from starlette.requests import ClientDisconnect
from starlette.responses import Response

from riacho.rest_proxy.consumers.buffer import Run
from riacho.rest_proxy.consumers.errors import format_mismatch, partition_not_found
from riacho.rest_proxy.consumers.instance import ConsumerInstance
from riacho.rest_proxy.consumers.records import array_text, include_of, json_texts
from riacho.rest_proxy.context import Proxy
from riacho.rest_proxy.embedded.decoders import Unreadable
from riacho.rest_proxy.forwarding import FORWARDED_WAIT_MS_MAX, HOP
from riacho.rest_proxy.v2.consumer_bodies import Commit, Committed, CommittedEntry, ConsumedRecord, Partitions
from riacho.rest_proxy.v2.instance_endpoint import InstanceEndpoints, instance_endpoint
from riacho.rest_proxy.v2.media_types import JSON, V2
from riacho.web.answers import json_answer, raw_json
from riacho.web.call import Call
from riacho.web.endpoint import Endpoint, Query
from riacho.web.errors import ApiError
from riacho.web.media_types import answer_type

_QUERY = (
    Query("timeout", int, "Milliseconds to wait for records.", -1),
    Query("max_bytes", int, "Most bytes of keys and values; one record at least is answered.", -1),
    Query("include", list, "`headers`, `timestamp`: shown in addition."),
)


def endpoints(proxy: Proxy, known: InstanceEndpoints) -> list[Endpoint]:
    async def records(call: Call, instance: ConsumerInstance) -> Response:
        return await _records(proxy, call, instance)

    async def commit(call: Call, instance: ConsumerInstance) -> Response:
        body: Commit = await call.read(Commit) if await call.body() else Commit()
        entries = body.offsets
        await instance.commit(
            None if entries is None else [(e.topic, e.partition, e.offset + 1, e.metadata) for e in entries]
        )
        return raw_json(b"[]")

    async def committed(call: Call, instance: ConsumerInstance) -> Response:
        if not await call.body():
            raise partition_not_found()
        wanted: Partitions = await call.read(Partitions)
        found = await proxy.admin.group_offsets(instance.config.group)
        entries = [
            CommittedEntry(*each.key, found[each.key].offset, found[each.key].metadata)
            for each in wanted.partitions
            if each.key in found
        ]
        return json_answer(Committed(entries))

    return [
        instance_endpoint(
            known,
            "GET",
            "/records",
            records,
            "Records, in the instance's format, which `Accept` may name.",
            {200: list[ConsumedRecord]},
            errors={
                40601: "Accept names another format than the instance's.",
                40801: "A record cannot be read.",
                422: "There is nothing of that name to include.",
            },
            query=_QUERY,
        ),
        instance_endpoint(
            known,
            "POST",
            "/offsets",
            commit,
            "Commits: offsets of the last records processed, or without a body all that was handed out.",
            {200: list[int]},
            Commit,
            {40402: "Partition not found."},
            optional_body=True,
            query=(Query("async", str, "Taken, and without effect: the answer comes when it is done."),),
        ),
        instance_endpoint(
            known,
            "GET",
            "/offsets",
            committed,
            "What the group has committed, of the partitions in the body.",
            {200: Committed},
            Partitions,
            {40402: "There is no body."},
            optional_body=True,
        ),
    ]


async def _records(proxy: Proxy, call: Call, instance: ConsumerInstance) -> Response:
    config = instance.config
    kind = answer_type(call.headers.get("accept"), (config.format.media_type, V2, JSON))
    if kind is None:
        raise format_mismatch()
    include = include_of(call.texts("include"))
    bytes_max = proxy.config.consumer_request_bytes_max
    asked_bytes = call.integer("max_bytes", -1)
    timeout_ms, is_explicit = _timeout_ms(proxy, call, instance)
    bytes_max = min(asked_bytes, bytes_max) if asked_bytes > 0 else bytes_max
    await instance.wait_for_records(timeout_s=timeout_ms / 1000, bytes_max=bytes_max, joins_first=not is_explicit)
    async with instance.reading:
        if call.is_gone:
            # It went away while it waited: what it is given now nobody would ever see.
            raise ClientDisconnect
        text = await _taken(proxy, instance, bytes_max, include)
    return raw_json(text, media_type=config.format.media_type if kind == V2 else kind)


async def _taken(proxy: Proxy, instance: ConsumerInstance, bytes_max: int, include: frozenset[str]) -> bytes:
    batch = instance.take(bytes_max)
    records = batch.records
    # Whatever goes wrong on the way, records that are not in an answer wait for the next call.
    runs: Sequence[Run] = ()
    try:
        keys, values, unread = await json_texts(proxy.decoders, instance.config.format, records)
        if unread is not None and not values:
            # The reader gets it and goes on behind it. Where only the registry is missing, it stays where it is.
            runs = batch.runs(1 if isinstance(unread, Unreadable) else 0)
            where = f"{records[0].topic()}-{records[0].partition()} at offset {records[0].offset()}"
            raise ApiError(unread.status, unread.error_code, f"{unread.message} ({where})", headers=unread.headers)
        read = batch.runs(len(values))
        text = await array_text(batch, read, keys, values, include)
        runs = read
        return text
    finally:
        instance.hand_out(batch, runs)


def _timeout_ms(proxy: Proxy, call: Call, instance: ConsumerInstance) -> tuple[int, bool]:
    """And whether somebody chose it."""
    asked = call.integer("timeout", -1)
    own = instance.config.request_timeout_ms
    limit = proxy.config.consumer_request_timeout_ms if own is None else own
    if HOP in call.headers:
        # The proxy that asks for its caller does not wait for ever, and records that come later would be lost.
        limit = min(limit, FORWARDED_WAIT_MS_MAX)
    return (min(asked, limit), True) if asked >= 0 else (limit, own is not None)

"""GET /v3/clusters/{cluster_id}/topics/{topic_name}/records: records as a stream, which the original does not have.

One JSON object a line (`application/x-ndjson`), server-sent events (`text/event-stream`), or one array
(`application/json`). Without `follow` it ends where the partitions end. The next records are read when the client has
taken the last ones; a client that goes away closes its consumer. An event's id is where to go on: browsers send it when
they connect again. What goes wrong after the first byte is the last object, with `error_code` and `message`.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

import msgspec
from confluent_kafka import KafkaException
from starlette.responses import Response

from riacho.rest_proxy.consumers.errors import too_many
from riacho.rest_proxy.consumers.topic_reader import TopicReader
from riacho.rest_proxy.context import Proxy
from riacho.rest_proxy.kafka_errors import api_error
from riacho.rest_proxy.v3.consume_request import QUERY, ConsumeRequest, consume_request
from riacho.rest_proxy.v3.consumed_record import ConsumedRecord, record_texts
from riacho.rest_proxy.v3.resource import NO_TOPIC, cluster_links
from riacho.rest_proxy.v3.topics import PATH as TOPICS
from riacho.web.answers import stream_answer
from riacho.web.call import Call
from riacho.web.endpoint import Endpoint
from riacho.web.errors import ApiError

logger = logging.getLogger(__name__)

NDJSON: Final = "application/x-ndjson"
EVENTS: Final = "text/event-stream"
JSON: Final = "application/json"
_POLL_S: Final = 0.25
# Proxies in between close what is silent for a minute.
_KEEP_ALIVE_S: Final = 15.0


class StreamFailure(msgspec.Struct):
    error_code: int
    message: str


class _Form:
    """How objects stand in the stream."""

    def __init__(self, media_type: str) -> None:
        self.media_type = media_type
        self.opening = b"[" if media_type == JSON else b""
        self.closing = b"]" if media_type == JSON else b""
        self.keep_alive = b":\n\n" if media_type == EVENTS else b""
        self._count = 0
        self._next: dict[int, int] = {}

    def records(self, records: list[Any], texts: list[bytes]) -> bytes:
        if self.media_type == NDJSON:
            return b"".join(text + b"\n" for text in texts)
        if self.media_type == JSON:
            before = b"," if self._count else b""
            self._count += len(texts)
            return before + b",".join(texts)
        return b"".join(self._event(record, text) for record, text in zip(records, texts, strict=True))

    def _event(self, record: Any, text: bytes) -> bytes:
        self._next[record.partition()] = record.offset() + 1
        position = ",".join(f"{partition}:{offset}" for partition, offset in sorted(self._next.items()))
        return b"id: %b\nevent: record\ndata: %b\n\n" % (position.encode(), text)

    def failure(self, error: ApiError) -> bytes:
        text = msgspec.json.encode(StreamFailure(error.error_code, error.message))
        if self.media_type == EVENTS:
            return b"event: error\ndata: " + text + b"\n\n"
        return (b"," if self.media_type == JSON and self._count else b"") + text + b"\n"


def endpoints(proxy: Proxy) -> list[Endpoint]:
    streams = _Streams(proxy)

    async def consume(call: Call) -> Response:
        await cluster_links(proxy, call)
        topic = call.segment("topic_name")
        wanted = await consume_request(call, proxy.admin, topic, proxy.config.stream_duration_ms_max)
        return await streams.open(call.answer_type, wanted)

    return [
        Endpoint(
            "GET",
            TOPICS + "/{topic_name}/records",
            consume,
            "Records of a topic, as a stream.",
            QUERY,
            answers={200: list[ConsumedRecord]},
            errors={
                **NO_TOPIC,
                40402: "There is no such partition.",
                400: "The query makes no sense.",
                429: "There are too many streams.",
            },
            answer_types=(NDJSON, EVENTS, JSON),
        )
    ]


class _Streams:
    """Bounded in number: each has a consumer, and a thread while it waits for records."""

    def __init__(self, proxy: Proxy) -> None:
        self._proxy = proxy
        self._open = 0
        self._threads: ThreadPoolExecutor | None = None

    async def open(self, media_type: str, wanted: ConsumeRequest) -> Response:
        limit = self._proxy.config.consume_streams_max
        if self._open >= limit:
            raise too_many("streams of records", limit)
        if self._threads is None:
            self._threads = ThreadPoolExecutor(limit, thread_name_prefix="rest-proxy-stream")
        # Counted when it runs: what never runs, since the client went away, would never be uncounted.
        return stream_answer(
            self._written(_Form(media_type), wanted), media_type=media_type, headers={"Cache-Control": "no-cache"}
        )

    async def _written(self, form: _Form, wanted: ConsumeRequest) -> AsyncIterator[bytes]:
        reader = TopicReader(self._proxy.config.consumer, wanted.starts, is_following=wanted.is_following)
        self._open += 1
        try:
            if form.opening:
                yield form.opening
            if wanted.records_max:
                async for chunk in self._chunks(reader, form, wanted):
                    yield chunk
        except ApiError as error:
            yield form.failure(error)
        except KafkaException as error:
            yield form.failure(api_error(error))
        finally:
            self._open -= 1
            assert self._threads is not None, "made when the first stream was opened"
            self._threads.submit(reader.close)
        if form.closing:
            yield form.closing

    async def _chunks(self, reader: TopicReader, form: _Form, wanted: ConsumeRequest) -> AsyncIterator[bytes]:
        loop = asyncio.get_running_loop()
        deadline = loop.time() + wanted.timeout_ms / 1000
        silent_since = loop.time()
        left = wanted.records_max
        await loop.run_in_executor(self._threads, reader.open)
        while left > 0 and (wanted.is_following or not reader.is_at_end):
            rest_s = deadline - loop.time()
            if rest_s <= 0:
                return
            records = await loop.run_in_executor(self._threads, reader.read, left, min(_POLL_S, rest_s))
            if records:
                left -= len(records)
                silent_since = loop.time()
                texts = await record_texts(self._proxy.decoders, wanted.format, records)
                yield form.records(records, texts)
            elif form.keep_alive and loop.time() - silent_since > _KEEP_ALIVE_S:
                silent_since = loop.time()
                yield form.keep_alive

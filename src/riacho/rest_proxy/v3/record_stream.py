"""The answer to a stream of records: receipts in the order of the records, while further records are still coming in.

One half reads objects and gives the records to the producer, the other writes receipts as they come due. Between them
is a short queue: whoever does not read its receipts is not read from either, and holds nobody else. When Kafka is slow
the sender is slowed down, not refused, as there is no status left to refuse it with.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

import msgspec
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from riacho.rest_proxy.context import Proxy
from riacho.rest_proxy.embedded.json_text import JsonError
from riacho.rest_proxy.kafka_errors import is_unknown_topic
from riacho.rest_proxy.producing.sending import Sending
from riacho.rest_proxy.v3.json_stream import JsonStream
from riacho.rest_proxy.v3.record_request import Prepared, Receipt, prepare, read_request, receipt, refusal
from riacho.web.answers import error_answer
from riacho.web.call import Call
from riacho.web.errors import ApiError

_GROUPS_MAX = 16
_GROUP_RECORDS_MAX = 500
_SLICE_RECORDS = 50
_RECORD_BYTES_MAX = 16 << 20
_TYPE = (b"content-type", b"application/json")
_encode = msgspec.json.Encoder().encode
_EMPTY = (422, 42206, "Payload error. Null input provided. Data is required.")
_TOO_LONG = Receipt(408, "Streaming connection open for longer than allowed: Connection will be closed.")


@dataclass(slots=True)
class _Group:
    """What came in one piece: records that were sent, and receipts of those that were refused, in order."""

    items: list[Prepared | Receipt]
    sending: Sending | None


class RecordStream(Response):
    def __init__(self, proxy: Proxy, call: Call, cluster_id: str, topic: str) -> None:
        self.status_code = 200
        self.background = None
        self._proxy = proxy
        self._call = call
        self._cluster_id = cluster_id
        self._topic = topic
        self._groups: asyncio.Queue[_Group | None] = asyncio.Queue(_GROUPS_MAX)
        self._failure: Exception | None = None
        self._has_begun = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if "content-length" not in self._call.headers:
            # Nobody knows how long it will be: the sender may wait for the answer to begin before it sends anything.
            await self._begin(send)
        reading = asyncio.ensure_future(self._read())
        try:
            await self._write(send)
        finally:
            reading.cancel()
        if self._failure is not None:
            raise self._failure
        if self._has_begun:
            await send({"type": "http.response.body", "body": b""})
        else:
            self.status_code = _EMPTY[0]
            await error_answer(*_EMPTY)(scope, receive, send)

    async def _begin(self, send: Send) -> None:
        self._has_begun = True
        await send({"type": "http.response.start", "status": 200, "headers": [_TYPE]})

    # Reading

    async def _read(self) -> None:
        try:
            await self._read_all()
        except Exception as error:
            self._failure = error
        await self._groups.put(None)

    async def _read_all(self) -> None:
        config = self._proxy.config
        loop = asyncio.get_running_loop()
        ends_at = loop.time() + config.stream_duration_ms_max / 1000
        stream = JsonStream(_RECORD_BYTES_MAX)
        try:
            async with asyncio.timeout_at(ends_at + config.stream_grace_ms / 1000):
                async for piece in self._call.stream():
                    texts = stream.feed(piece)
                    self._call.hold(stream.size_bytes + sum(map(len, texts)))
                    if loop.time() > ends_at:
                        await self._groups.put(_Group([_TOO_LONG] * len(texts), None))
                    else:
                        await self._take(texts)
                    if stream.error is not None:
                        break
                stream.finish()
            if stream.error is not None:
                raise stream.error
        except TimeoutError:
            await self._groups.put(_Group([_TOO_LONG], None))
        except ApiError as error:
            await self._groups.put(_Group([refusal(error)], None))
        except (JsonError, msgspec.DecodeError) as error:
            await self._groups.put(_Group([Receipt(400, f"Error processing JSON: {error}")], None))

    async def _take(self, texts: Sequence[bytes]) -> None:
        count_max = min(_GROUP_RECORDS_MAX, self._proxy.producer.records_max)
        for start in range(0, len(texts), count_max):
            items: list[Prepared | Receipt] = []
            try:
                for number, text in enumerate(texts[start : start + count_max], 1):
                    items.append(await self._prepared(text))
                    if number % _SLICE_RECORDS == 0:
                        # One piece of the body may be thousands of records, and nothing above need wait.
                        await asyncio.sleep(0)
            finally:
                # What came before a record that is no JSON is sent all the same.
                if items:
                    await self._groups.put(await self._sent(items))

    async def _prepared(self, text: bytes) -> Prepared | Receipt:
        try:
            return await prepare(self._proxy.encoders, self._topic, read_request(text))
        except ApiError as error:
            return refusal(error)

    async def _sent(self, items: list[Prepared | Receipt]) -> _Group:
        records = [item.record for item in items if isinstance(item, Prepared)]
        if not records:
            return _Group(items, None)
        producer = self._proxy.producer
        size_bytes = sum(record.size_bytes for record in records)
        await producer.room(len(records), size_bytes)
        return _Group(items, producer.send(self._topic, records, size_bytes))

    # Writing

    async def _write(self, send: Send) -> None:
        while (group := await self._groups.get()) is not None:
            receipts = await self._receipts(group)
            if not self._has_begun:
                await self._begin(send)
            body = b"".join([_encode(each) + b"\r\n" for each in receipts])
            await send({"type": "http.response.body", "body": body, "more_body": True})

    async def _receipts(self, group: _Group) -> list[Receipt]:
        outcomes = [] if group.sending is None else await group.sending.wait()
        if is_unknown_topic(outcomes):
            self._proxy.topics.forget(self._topic)
        remaining = iter(outcomes)
        return [
            item if isinstance(item, Receipt) else receipt(self._cluster_id, self._topic, item, next(remaining))
            for item in group.items
        ]

"""Messages of a topic: searched and followed over SSE, one as a whole, written, exported."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator
from contextlib import aclosing
from datetime import UTC, datetime

import msgspec
from starlette.responses import Response

from riacho.console.api.new_records import (
    MS_MAX,
    NewRecords,
    ProducedRecord,
    ProducedRecords,
    Replay,
    encoded,
    produced,
    shown,
    wrong,
)
from riacho.console.clusters.cluster import ConsoleCluster
from riacho.console.clusters.errors import api_error
from riacho.console.door.audit_log import note
from riacho.console.door.door import caller_of
from riacho.console.messages.browsing import Browsing, Search
from riacho.console.messages.decode import AUTO, FORMATS
from riacho.console.messages.encode import Encoder
from riacho.console.messages.export import EXPORT_S_MAX, ROWS_MAX, WRITERS, ExportError, exported
from riacho.console.messages.expression import ExpressionError
from riacho.console.messages.filters import Filter, FilterError, parse_filter
from riacho.console.messages.message import Message
from riacho.console.messages.produce import RECORDS_MAX, produce
from riacho.console.messages.ranges import PARTITIONS_MAX, Start
from riacho.console.messages.row import View
from riacho.console.messages.sse import HEADERS, MEDIA_TYPE
from riacho.console.parts import Parts
from riacho.web.answers import json_answer, raw_json, stream_answer
from riacho.web.call import Call
from riacho.web.endpoint import Endpoint, Query
from riacho.web.errors import ApiError

LIMIT_DEFAULT = 50
LIMIT_MAX = 5_000
_TOPIC = "/api/v1/clusters/{c}/topics/{t}"
_NAME = re.compile(r"[a-zA-Z0-9._-]{1,249}")
_ORIGINS = ("newest", "oldest", "offset", "time")
_ISOLATIONS = {"read_committed": True, "read_uncommitted": False}
_BODY_BYTES_MAX = 10 * 1024 * 1024
_PIECE_BYTES = 64 * 1024
# How headers begin that Connect adds to dead letters.
CONNECT_ERRORS = "__connect.errors."

_FORMAT_QUERY = (
    Query("key_format", str, f"How keys are read: {', '.join(FORMATS)}.", AUTO),
    Query("value_format", str, "How values are read.", AUTO),
)
_SEARCH_QUERY = (
    Query("from", str, "newest, oldest, offset or time.", "newest"),
    Query("offset", int, "Where from=offset begins."),
    Query("time", str, "Where from=time begins: milliseconds since 1970, or ISO 8601."),
    Query("partitions", str, "Numbers of partitions, with commas; all without it."),
    Query("key", str, "A text that the key has."),
    Query("value", str, "A text that the value has."),
    Query("header", str, "A text that a header has, or name=text."),
    Query("field", list, "A field of the value and what it is: $.a.b=x. May be repeated."),
    Query("where", str, 'An expression: value.amount > 100 and key startswith "a".'),
    Query("isolation", str, "read_committed or read_uncommitted.", "read_committed"),
    *_FORMAT_QUERY,
)


class _Messages:
    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._browsing = Browsing(follows_each_max=parts.config.follows_each_max)

    async def search(self, call: Call) -> Response:
        cluster, search, view = self._asked(call, LIMIT_DEFAULT, LIMIT_MAX, is_page=True)
        self._browsing.admit(call, search)
        plan = await self._browsing.plan(cluster, search)
        return stream_answer(self._browsing.events(cluster, plan, search, view), media_type=MEDIA_TYPE, headers=HEADERS)

    async def export(self, call: Call) -> Response:
        cluster, search, view = self._asked(call, ROWS_MAX, ROWS_MAX, is_page=False)
        name = call.text("format") or "ndjson"
        if name not in WRITERS:
            raise wrong(f"format can be {', '.join(WRITERS)}, not {shown(name)}.")
        self._browsing.exports.take(call)
        make, media_type = WRITERS[name]
        try:
            writer = await self._browsing.in_thread(make)
        except ExportError as error:
            raise ApiError(501, 50103, str(error)) from None
        plan = await self._browsing.plan(cluster, search)
        scan = self._browsing.scan(cluster, plan, search, view, cuts=False, time_s_max=EXPORT_S_MAX)

        async def pieces() -> AsyncGenerator[bytes, None]:
            async with aclosing(exported(scan, writer, self._browsing.in_thread)) as made:
                async for piece in made:
                    yield piece

        headers = {
            "Content-Disposition": f'attachment; filename="{search.topic}.{name}"',
            "Cache-Control": "no-store",
            "X-Content-Type-Options": "nosniff",
        }
        return stream_answer(pieces(), media_type=media_type, headers=headers)

    async def one(self, call: Call) -> Response:
        topic = _topic(call)
        cluster = self._parts.clusters.of(call)
        view = self._view(call, cluster, topic, *_formats(call))
        partition, offset = _place(call)
        with self._browsing.wholes.taken():
            row = await self._browsing.one(cluster, topic, partition, offset, view)
            # Hex is twice as long.
            call.hold(2 * row.size_bytes)
            body = await self._browsing.in_thread(lambda: msgspec.json.encode(row.whole()))
        return _piecewise(body)

    async def produce(self, call: Call) -> Response:
        topic = _topic(call)
        cluster = self._parts.clusters.of(call)
        given: NewRecords = await call.read(NewRecords)
        if not 0 < len(given.records) <= RECORDS_MAX:
            raise wrong(f"A call brings between 1 and {RECORDS_MAX} records, not {len(given.records)}.")
        note(call, records=len(given.records))
        encoder = Encoder(self._browsing.of(cluster).registry)
        records = await self._browsing.in_thread(encoded, encoder, topic, given.records)
        outcomes = await cluster.kafka.ask(lambda client: produce(client, topic, records))
        failures = [outcome.error for outcome in outcomes if outcome.error is not None]
        if len(failures) == len(outcomes):
            raise api_error(failures[0])
        note(call, failed=len(failures))
        return json_answer(ProducedRecords([produced(outcome) for outcome in outcomes]))

    async def replay(self, call: Call) -> Response:
        """As raw bytes: what is decoded and encoded again may be another record."""
        topic, cluster = _topic(call), self._parts.clusters.of(call)
        given: Replay = await call.read(Replay)
        target = topic if given.topic is None else _checked(given.topic)
        note(call, to=target)
        view = self._view(call, cluster, topic, AUTO, AUTO)
        with self._browsing.wholes.taken():
            row = await self._browsing.one(cluster, topic, *_place(call), view)
            if row.is_hidden:
                raise ApiError(403, 40304, "Part of the message is hidden from you, so it cannot be sent on.")
            call.hold(row.size_bytes)
            record = row.again(given.partition, drops=CONNECT_ERRORS if given.drop_error_headers else None)
            [outcome] = await cluster.kafka.ask(lambda client: produce(client, target, [record]))
        if outcome.error is not None:
            raise api_error(outcome.error)
        return json_answer(produced(outcome))

    def _asked(
        self, call: Call, limit_default: int, limit_max: int, *, is_page: bool
    ) -> tuple[ConsoleCluster, Search, View]:
        topic = _topic(call)
        cluster = self._parts.clusters.of(call)
        follow = is_page and call.flag("follow")
        isolation = call.text("isolation") or "read_committed"
        if isolation not in _ISOLATIONS:
            raise wrong(f"isolation can be {' or '.join(_ISOLATIONS)}, not {shown(isolation)}.")
        search = Search(
            topic=topic,
            start=_start(call),
            partitions=_partitions(call),
            filter=_filter(call),
            limit=_whole(call, "limit", limit_default, 0 if follow else 1, limit_max),
            follow=follow,
            committed_only=_ISOLATIONS[isolation],
        )
        return cluster, search, self._view(call, cluster, topic, *_formats(call))

    def _view(self, call: Call, cluster: ConsoleCluster, topic: str, key_format: str, value_format: str) -> View:
        masker = self._parts.masking.of(topic, caller_of(call).role)
        return View(self._browsing.of(cluster).decoder, key_format, value_format, masker)


def endpoints(parts: Parts) -> list[Endpoint]:
    messages = _Messages(parts)
    page = (
        *_SEARCH_QUERY,
        Query("limit", int, f"How many messages at most, up to {LIMIT_MAX}.", LIMIT_DEFAULT),
        Query("follow", bool, "Whether to go on with what comes; then limit may be 0.", False),
    )
    file = (
        *_SEARCH_QUERY,
        Query("limit", int, f"How many messages at most, up to {ROWS_MAX}.", ROWS_MAX),
        Query("format", str, f"{', '.join(WRITERS)}.", "ndjson"),
    )
    return [
        Endpoint("GET", f"{_TOPIC}/messages", messages.search,
                 "Messages that match, as server-sent events: message, progress, problem and done.",
                 query=page, answers={200: Message}, answer_types=(MEDIA_TYPE,), tag="messages", is_followed=True,
                 errors={40001: "A parameter cannot be used.", 42901: "Too many searches or followers."}),
        Endpoint("POST", f"{_TOPIC}/messages", messages.produce, "Write records.", body=NewRecords,
                 answers={200: ProducedRecords}, tag="messages", body_bytes_max=_BODY_BYTES_MAX,
                 errors={40001: "A record cannot be written so."}),
        Endpoint("GET", f"{_TOPIC}/messages/{{partition}}/{{offset}}", messages.one, "One message as a whole.",
                 query=_FORMAT_QUERY, answers={200: Message}, tag="messages",
                 segments={"partition": int, "offset": int},
                 errors={40403: "There is no such message.", 42901: "Too many are read at a time."}),
        Endpoint("POST", f"{_TOPIC}/messages/{{partition}}/{{offset}}/replay", messages.replay,
                 "Write a message once more, its bytes as they are.", body=Replay, answers={200: ProducedRecord},
                 tag="messages", segments={"partition": int, "offset": int},
                 errors={40304: "Part of it is hidden from who asks.", 40403: "There is no such message."}),
        Endpoint("GET", f"{_TOPIC}/export", messages.export, "Messages that match, as a file.",
                 query=file, answers={200: None}, tag="messages",
                 answer_types=("application/octet-stream", *(kind.partition(";")[0] for _, kind in WRITERS.values())),
                 errors={50103: "Parquet cannot be written here."}),
    ]  # fmt: skip


def _piecewise(body: bytes) -> Response:
    """As it is read, so that a slow reader of something large is noticed."""
    headers = {"Cache-Control": "no-store"}
    if len(body) <= _PIECE_BYTES:
        return raw_json(body, headers=headers)

    async def pieces() -> AsyncGenerator[bytes, None]:
        for first in range(0, len(body), _PIECE_BYTES):
            yield body[first : first + _PIECE_BYTES]

    return stream_answer(pieces(), headers={**headers, "Content-Length": str(len(body))})


# --- what a call asks for


def _topic(call: Call) -> str:
    return _checked(call.segment("t"))


def _checked(name: str) -> str:
    """Before it reaches a header or the wire."""
    if _NAME.fullmatch(name) is None:
        raise ApiError(404, 40402, "There is no topic of that name.")
    return name


def _whole(call: Call, name: str, default: int, least: int, most: int) -> int:
    text = call.text(name)
    if text is None or text == "":
        return default
    if not text.isascii() or not text.isdecimal() or len(text) > 19 or not least <= int(text) <= most:
        raise wrong(f"{name} has to be a whole number from {least} to {most}, not {shown(text)}.")
    return int(text)


def _place(call: Call) -> tuple[int, int]:
    """(partition, offset)"""
    partition, offset = call.number("partition"), call.number("offset", 62)
    if partition < 0 or offset < 0:
        raise ApiError(404, 40403, "There is no message at a negative offset or partition.")
    return partition, offset


def _formats(call: Call) -> tuple[str, str]:
    """(of keys, of values)"""
    return _format(call, "key_format"), _format(call, "value_format")


def _format(call: Call, name: str) -> str:
    format = call.text(name) or AUTO
    if format not in FORMATS:
        raise wrong(f"{name} can be {', '.join(FORMATS)}, not {shown(format)}.")
    return format


def _partitions(call: Call) -> tuple[int, ...] | None:
    text = call.text("partitions")
    if not text:
        return None
    parts = text.split(",")
    if len(parts) > PARTITIONS_MAX or not all(
        part.strip().isascii() and part.strip().isdecimal() and len(part) < 10 for part in parts
    ):
        raise wrong(f"partitions has to be numbers with commas between them, not {shown(text)}.")
    return tuple(sorted({int(part) for part in parts}))


def _start(call: Call) -> Start:
    origin = call.text("from") or "newest"
    if origin not in _ORIGINS:
        raise wrong(f"from can be {', '.join(_ORIGINS)}, not {shown(origin)}.")
    if origin == "offset":
        if not call.text("offset"):
            raise wrong("from=offset needs offset.")
        return Start(origin, _whole(call, "offset", 0, 0, MS_MAX))
    if origin == "time":
        return Start(origin, _time_ms(call.text("time") or ""))
    return Start(origin)


def _time_ms(text: str) -> int:
    if text.isascii() and text.isdecimal() and len(text) < 19:
        return int(text)
    try:
        # A plus sign in a URL is a space.
        moment = datetime.fromisoformat(text.strip().replace(" ", "+") if "T" in text else text)
        milliseconds = int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() * 1000)
    except (ValueError, OverflowError):
        raise wrong(f"time has to be milliseconds or ISO 8601, not {shown(text)}.") from None
    if milliseconds < 0:
        raise wrong("time lies before 1970.")
    return milliseconds


def _filter(call: Call) -> Filter:
    try:
        return parse_filter(
            key=call.text("key") or "",
            value=call.text("value") or "",
            header=call.text("header") or "",
            fields=call.texts("field"),
            where=call.text("where") or "",
        )
    except ExpressionError as error:
        raise ApiError(400, 40002, f"where: {error}", fields={"position": error.position}) from None
    except FilterError as error:
        raise wrong(str(error)) from None

"""The work of one Spark task of an HTTP sink: its records as requests, in their order.

A request that the API refuses (4xx, or 5xx when tries are used up) has its records reported as refused; an answer with
a status for each record (a JSON list, as with 207 Multi-Status) has only the refused ones reported. Each request
carries an `Idempotency-Key` made of where its first and last records are, so that an API that minds it takes none
twice.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, islice
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from riacho.client.http_client import HttpAnswer
from riacho.pipelines.connectors.http.exchange import HttpExchange, HttpSettings, shown_url

if TYPE_CHECKING:
    import pyarrow as pa

_MESSAGE_LENGTH_MAX = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestSettings:
    url: str
    http: HttpSettings
    method: str = "POST"
    batch_size: int = 1
    prefix: str = ""
    suffix: str = ""
    separator: str = ","
    as_array: bool = False
    content_type: str = "application/json"
    on_null: str = "ignore"
    id_header: str = "Idempotency-Key"


@dataclass(frozen=True, slots=True)
class Outgoing:
    """`topic` is the one that the record came from, `routed` the one that transforms have given it."""

    topic: str
    partition: int
    offset: int
    key: str | None
    value: str | None
    routed: str


class TaskRequests:
    """Called by Spark with the Arrow batches of one task; gives back what was refused."""

    def __init__(self, settings: RequestSettings) -> None:
        self.settings = settings

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        exchange = HttpExchange(self.settings.http)
        try:
            for batch in batches:
                records = [
                    Outgoing(*row) for row in zip(*(column.to_pylist() for column in batch.columns), strict=True)
                ]
                refused = list(self.send(exchange, records))
                if refused:
                    types = (pa.string(), pa.int32(), pa.int64(), pa.string())
                    columns = zip(
                        *((each.topic, each.partition, each.offset, text) for each, text in refused), strict=True
                    )
                    arrays = [pa.array(column, kind) for column, kind in zip(columns, types, strict=True)]
                    yield pa.RecordBatch.from_arrays(arrays, ["topic", "partition", "offset", "message"])
        finally:
            exchange.close()

    def send(self, exchange: HttpExchange, records: Sequence[Outgoing]) -> Iterator[tuple[Outgoing, str]]:
        for is_delete, group in groupby(records, key=lambda each: each.value is None):
            if is_delete:
                yield from self._send_nulls(exchange, list(group))
                continue
            for url, same in groupby(group, key=self._url):
                while part := list(islice(same, self.settings.batch_size)):
                    answer = self._call(exchange, self.settings.method, url, part, self.body(part).encode())
                    yield from refusals(part, url, answer)

    def _send_nulls(self, exchange: HttpExchange, records: Sequence[Outgoing]) -> Iterator[tuple[Outgoing, str]]:
        for record in records:
            if self.settings.on_null == "fail":
                yield record, "The value is null and behavior.on.null.values is fail"
            elif self.settings.on_null == "delete":
                url = self._url(record)
                yield from refusals([record], url, self._call(exchange, "DELETE", url, [record], None))

    def _call(
        self, exchange: HttpExchange, method: str, url: str, part: Sequence[Outgoing], body: bytes | None
    ) -> HttpAnswer:
        headers = {"Content-Type": self.settings.content_type} if body is not None else {}
        if self.settings.id_header:
            headers[self.settings.id_header] = request_id(part)
        return exchange.call(method, url, headers, body)

    def _url(self, record: Outgoing) -> str:
        url = self.settings.url.replace("${topic}", quote(record.routed, safe=""))
        return url.replace("${key}", quote(record.key or "", safe=""))

    def body(self, part: Sequence[Outgoing]) -> str:
        texts = [record.value or "" for record in part]
        if self.settings.as_array:
            return "[" + ",".join(texts) + "]"
        return self.settings.prefix + self.settings.separator.join(texts) + self.settings.suffix


def request_id(part: Sequence[Outgoing]) -> str:
    """`topic-partition-offset`, of a batch with the last offset and how many."""
    first = f"{quote(part[0].topic, safe='')}-{part[0].partition}-{part[0].offset}"
    return first if len(part) == 1 else f"{first}-{part[-1].partition}-{part[-1].offset}-{len(part)}"


def refusals(part: Sequence[Outgoing], url: str, answer: HttpAnswer) -> Iterator[tuple[Outgoing, str]]:
    if not answer.is_good:
        detail = " ".join(answer.body.decode("utf-8", "replace").split())[:_MESSAGE_LENGTH_MAX]
        text = f"{shown_url(url)} answered {answer.status}" + (f": {detail}" if detail else "")
        yield from ((record, text) for record in part)
        return
    for record, (status, detail) in zip(part, _each_status(answer, len(part)), strict=False):
        if status >= 400:
            shown = f": {detail}"[:_MESSAGE_LENGTH_MAX] if detail else ""
            yield record, f"{shown_url(url)} answered {status} for this record{shown}"


def _each_status(answer: HttpAnswer, count: int) -> list[tuple[int, str]]:
    """One for each record, or none where the answer is not of that kind."""
    if count == 1 and answer.status != 207:
        return []
    try:
        content: Any = json.loads(answer.body)
    except ValueError:
        return []
    if isinstance(content, dict):
        content = next((each for each in content.values() if isinstance(each, list)), [])
    items = content
    if not isinstance(items, list) or len(items) != count or not all(isinstance(item, dict) for item in items):
        return []
    found = [(item.get("status"), str(item.get("message") or item.get("error") or "")) for item in items]
    return found if all(isinstance(status, int) for status, _ in found) else []

"""Pages of an HTTP API: what to ask for next, and which records of the answer are new.

Modes (`http.offset.mode`), each a rule from one position to the next:

    SNAPSHOT              every poll gives all records, if the answer has changed (ETag, else its digest)
    SIMPLE_INCREMENTING   ${offset} is the number of records so far
    CHAINING              ${offset} is a field of the last record (http.offset.json.pointer): an id, a timestamp
    CURSOR_PAGINATION     ${offset} is what the answer gives for the next page (http.next.page.json.pointer)
    LINK_PAGINATION       the answer gives the address of the next page: Link header, or that pointer

A last page is asked for again until it grows or a next one appears; `seen` of its records are old by then.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any
from urllib.parse import quote, urljoin

from riacho.client.http_client import HttpAnswer
from riacho.pipelines.connectors.http.exchange import HttpExchange, HttpSettings, shown_url
from riacho.pipelines.plugin import ConnectError

SNAPSHOT = "SNAPSHOT"
INCREMENTING = "SIMPLE_INCREMENTING"
CHAINING = "CHAINING"
CURSOR = "CURSOR_PAGINATION"
LINK = "LINK_PAGINATION"
MODES = (SNAPSHOT, INCREMENTING, CHAINING, CURSOR, LINK)
_NEXT_LINK = re.compile(r'<([^>]*)>\s*(?:;[^,]*)?;\s*rel="?next"?', re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class PageOffset:
    """Where the next request goes. `offset` fills ${offset}, or is the address itself with LINK_PAGINATION."""

    offset: str = ""
    seen: int = 0
    etag: str = ""
    digest: str = ""

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> PageOffset:
        return cls(
            str(given.get("offset", "")), int(given.get("seen", 0)), given.get("etag", ""), given.get("digest", "")
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class PageSettings:
    url: str
    http: HttpSettings
    mode: str = SNAPSHOT
    method: str = "GET"
    parameters: str = ""
    body: str = ""
    initial: str = ""
    records_pointer: str = ""
    offset_pointer: str = ""
    next_pointer: str = ""
    key_pointer: str = ""


@dataclass(frozen=True, slots=True)
class Page:
    """New records as (key, JSON text), and the position after them."""

    position: PageOffset
    records: list[tuple[str | None, str]] = field(default_factory=list)


def fetch_page(settings: PageSettings, exchange: HttpExchange, position: PageOffset) -> Page:
    """ConnectError when the API refuses, or what it says cannot be read."""
    url = _address(settings, position)
    headers = {"Accept": "application/json"}
    if position.etag:
        headers["If-None-Match"] = position.etag
    body = settings.body.replace("${offset}", position.offset).encode() if settings.body else None
    if body is not None:
        headers.setdefault("Content-Type", "application/json")
    answer = exchange.call(settings.method, url, headers, body)
    if answer.status == 304:
        return Page(position)
    if not answer.is_good:
        raise ConnectError(f"{shown_url(url)} answered {answer.status}")
    try:
        content = json.loads(answer.body) if answer.body.strip() else []
    except ValueError:
        raise ConnectError(f"{shown_url(url)} answered with something that is not JSON") from None
    return _page(settings, position, url, answer, content)


def _page(settings: PageSettings, position: PageOffset, url: str, answer: HttpAnswer, content: Any) -> Page:
    records = _records(settings, url, content)
    # An ETag belongs to one address: it is of use only while the address stays.
    same = PageOffset(position.offset, len(records), answer.headers.get("etag", ""), _digest(answer.body))
    match settings.mode:
        case "SNAPSHOT":
            return Page(same, _texts(settings, records) if same.digest != position.digest else [])
        case "SIMPLE_INCREMENTING":
            new, reached = records, PageOffset(str(int(position.offset or "0") + len(records)))
        case "CHAINING":
            last = pointed(records[-1], settings.offset_pointer) if records else None
            if records and last is None:
                raise ConnectError(f"A record of {shown_url(url)} has nothing at {settings.offset_pointer}")
            new, reached = records, PageOffset(_plain(last))
        case _:
            following = _following(settings, url, answer, content)
            new = records[position.seen :]
            reached = PageOffset(following) if following and following != position.offset else same
            return Page(reached, _texts(settings, new))
    return Page(reached, _texts(settings, new)) if new else Page(position)


def _following(settings: PageSettings, url: str, answer: HttpAnswer, content: Any) -> str:
    found = _plain(pointed(content, settings.next_pointer)) if settings.next_pointer else ""
    if settings.mode == LINK:
        linked = _NEXT_LINK.search(answer.headers.get("link", ""))
        target = linked[1] if linked else found
        return urljoin(url, target) if target else ""
    return found


def _address(settings: PageSettings, position: PageOffset) -> str:
    if settings.mode == LINK and position.offset:
        return position.offset
    offset = position.offset or settings.initial
    url = settings.url.replace("${offset}", quote(offset, safe=""))
    pairs = [pair for pair in settings.parameters.split("&") if pair]
    filled = "&".join(pair.replace("${offset}", quote(offset, safe="")) for pair in pairs)
    return url + (("&" if "?" in url else "?") + filled if filled else "")


def _records(settings: PageSettings, url: str, content: Any) -> list[Any]:
    found = pointed(content, settings.records_pointer)
    if found is None:
        return []
    if not isinstance(found, list):
        if settings.records_pointer and not isinstance(found, dict):
            raise ConnectError(f"{shown_url(url)} has no list of records at {settings.records_pointer}")
        return [found]
    return found


def _texts(settings: PageSettings, records: list[Any]) -> list[tuple[str | None, str]]:
    return [
        (
            (_plain(pointed(record, settings.key_pointer)) or None) if settings.key_pointer else None,
            json.dumps(record, ensure_ascii=False, separators=(",", ":")),
        )
        for record in records
    ]


def pointed(content: Any, pointer: str) -> Any:
    """What a JSON pointer (RFC 6901) leads to, None where it leads nowhere."""
    for part in pointer.split("/")[1:]:
        name = part.replace("~1", "/").replace("~0", "~")
        if isinstance(content, dict):
            content = content.get(name)
        elif isinstance(content, list) and name.isdecimal() and int(name) < len(content):
            content = content[int(name)]
        else:
            return None
    return content


def _plain(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value)


def _digest(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()

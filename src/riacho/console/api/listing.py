"""Pages of lists: `?page=1&page_size=50&q=text&sort=-lag`, cut from rows that are at hand."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import attrgetter
from typing import Any, Generic, NamedTuple, TypeVar

import msgspec

from riacho.console.clusters.watch import Seen
from riacho.web.call import Call
from riacho.web.endpoint import Query
from riacho.web.errors import ApiError

T = TypeVar("T")
R = TypeVar("R")
PAGE_SIZE = 50
PAGE_SIZE_MAX = 500
_PAGE_MAX = 1_000_000
_Q_CHARACTERS_MAX = 500

PAGE_QUERY = (
    Query("page", int, "Which page, from 1.", 1),
    Query("page_size", int, f"Rows a page, at most {PAGE_SIZE_MAX}.", PAGE_SIZE),
    Query("q", str, "Only rows whose name has this text in it, in any case."),
    Query("sort", str, "The field to sort by; a dash before it turns the order round."),
)


class Page(msgspec.Struct, Generic[T]):
    items: list[T]
    total: int
    page: int
    page_size: int
    as_of_ms: int
    # Why the rows are older than they should be, or have gaps.
    stale_reason: str | None


class Cut(NamedTuple, Generic[R]):
    rows: Sequence[R]
    total: int
    page: int
    page_size: int

    def page_of(self, items: list[T], seen: Seen) -> Page[T]:
        return Page(items, self.total, self.page, self.page_size, seen.picture.as_of_ms, seen.stale_reason)


def cut(
    call: Call, rows: Iterable[R], name: Callable[[R], str], fields: Mapping[str, Callable[[R], Any]], sort: str
) -> Cut[R]:
    """`rows` come sorted by name. `fields` are those that can be sorted by; rows without a value come last."""
    page, page_size = _number(call, "page", 1, _PAGE_MAX), _number(call, "page_size", PAGE_SIZE, PAGE_SIZE_MAX)
    text = (call.text("q") or "").strip().casefold()
    if len(text) > _Q_CHARACTERS_MAX:
        raise ApiError(400, 40001, f"q is longer than {_Q_CHARACTERS_MAX} characters.")
    kept = [row for row in rows if text in name(row).casefold()] if text else list(rows)
    kept = _sorted(kept, call.text("sort") or sort, fields)
    start = (page - 1) * page_size
    return Cut(kept[start : start + page_size], len(kept), page, page_size)


def fields_of(*names: str) -> dict[str, Callable[[Any], Any]]:
    """Those that can be sorted by, where rows have them by these names."""
    return {name: attrgetter(name) for name in names}


def _sorted(rows: list[R], sort: str, fields: Mapping[str, Callable[[R], Any]]) -> list[R]:
    field = fields.get(sort.removeprefix("-"))
    if field is None:
        raise ApiError(400, 40001, f"sort is one of {', '.join(fields)}, with or without a dash before it.")
    known = [row for row in rows if field(row) is not None]
    # Rows of the same value stay in the order of their names.
    known.sort(key=field, reverse=sort.startswith("-"))
    return known + [row for row in rows if field(row) is None]


def _number(call: Call, name: str, default: int, most: int) -> int:
    text = call.text(name)
    if not text:
        return default
    if not (text.isascii() and text.isdecimal() and len(text) < 10 and 1 <= int(text) <= most):
        raise ApiError(400, 40001, f"{name} is a number from 1 to {most}.")
    return int(text)

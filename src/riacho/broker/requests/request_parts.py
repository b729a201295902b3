"""Requests whose elements have nothing to do with each other, cut into parts that are served one after another.

A cut may fall into an element that itself has many: a topic with its partitions, say. The part then has the topic once
more, with other partitions. Answers are joined in the order of the parts, and where the cut fell, the two halves of an
element become one again if all else in them is equal.

What one part does is seen by the next: an element that is named twice is refused as such only within a part. What makes
partitions and access rules is not in here: the controller bounds it by request, as Kafka does. Topics are, up to that
bound.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol, TypeVar, cast

import msgspec

from riacho.wire.schema import Message, WireStruct

M = TypeVar("M", bound=Message)

# By API key: the arrays of the request that may be cut, and the array of the answer that has their elements' answers.
SPLIT: dict[int, tuple[tuple[str, ...], str]] = {
    2: (("topics",), "topics"),
    8: (("topics",), "topics"),
    9: (("groups",), "groups"),
    10: (("coordinator_keys",), "coordinators"),
    13: (("members",), "members"),
    15: (("groups",), "groups"),
    19: (("topics",), "topics"),
    20: (("topics", "topic_names"), "responses"),
    21: (("topics",), "topics"),
    23: (("topics",), "topics"),
    28: (("topics",), "topics"),
    32: (("resources",), "results"),
    33: (("resources",), "responses"),
    34: (("dirs",), "results"),
    42: (("groups_names",), "results"),
    44: (("resources",), "responses"),
    45: (("topics",), "responses"),
    47: (("topics",), "topics"),
    49: (("entries",), "entries"),
    50: (("users",), "results"),
    51: (("deletions", "upsertions"), "results"),
    61: (("topics",), "topics"),
    65: (("transactional_ids",), "transaction_states"),
    69: (("group_ids",), "groups"),
    77: (("group_ids",), "groups"),
    83: (("topics",), "results"),
    84: (("topics",), "results"),
    85: (("topics",), "results"),
    86: (("topics",), "results"),
    87: (("topics",), "results"),
    90: (("groups",), "groups"),
    91: (("topics",), "responses"),
    92: (("topics",), "responses"),
}


_OFFSET_FETCH, _GROUPS_VERSION = 9, 8


def split_of(key: int, version: int) -> tuple[tuple[str, ...], str] | None:
    """None for a request that is served in one go."""
    if key == _OFFSET_FETCH and version < _GROUPS_VERSION:
        return ("topics",), "topics"
    return SPLIT.get(key)


_ARRAYS: dict[type, tuple[tuple[str, bool], ...]] = {}


def _arrays(cls: type) -> tuple[tuple[str, bool], ...]:
    """Names of a struct's arrays, and whether their elements are structs."""
    found = _ARRAYS.get(cls)
    if found is None:
        fields = getattr(cls, "FIELDS", ())
        found = tuple((field.name, not isinstance(field.type, str)) for field in fields if field.array)
        _ARRAYS[cls] = found
    return found


def weight(message: WireStruct | None) -> int:
    """How many elements are in all arrays of a message."""
    total = 0
    for name, is_of_structs in _arrays(type(message)):
        elements = getattr(message, name)
        if elements:
            total += len(elements)
            if is_of_structs and _arrays(type(elements[0])):
                total += sum(map(weight, elements))
    return total


def parts(names: tuple[str, ...], request: M, weight_max: int) -> Iterator[M]:
    """Requests that together ask what this one does, none heavier than that, but for what cannot be cut."""
    blank = msgspec.structs.replace(request, **{name: [] for name in names})
    for name in names:
        elements = getattr(request, name)
        for some in _cut(elements or [], weight_max):
            yield msgspec.structs.replace(blank, **{name: some})


def _cut(elements: list[object], weight_max: int) -> Iterator[list[object]]:
    some: list[object] = []
    held = 0
    for element in elements:
        for piece, its_weight in _pieces(element, weight_max):
            if some and held + its_weight > weight_max:
                yield some
                some, held = [], 0
            some.append(piece)
            held += its_weight
    if some:
        yield some


def _pieces(element: object, weight_max: int) -> Iterator[tuple[object, int]]:
    """The element, or several that have its first array's elements among them."""
    own = 1 + weight(element) if isinstance(element, WireStruct) else 1
    arrays = _arrays(type(element)) if own > weight_max else ()
    if not arrays or not isinstance(element, WireStruct):
        yield element, own
        return
    name = max((name for name, _ in arrays), key=lambda name: len(getattr(element, name) or ()))
    inner = getattr(element, name) or []
    for some in _cut(inner, weight_max):
        piece = msgspec.structs.replace(element, **{name: some})
        yield piece, 1 + weight(piece)


class _Answer(Protocol):
    """What many answers have, each beside its array."""

    throttle_time_ms: int
    error_code: int


def join(name: str, whole: M | None, response: M) -> M:
    """Add the answer to the next part; gives the answer to all so far."""
    if whole is None:
        return response
    answered, more = getattr(whole, name) or [], getattr(response, name) or []
    if answered and more and _joined(answered[-1], more[0]):
        more = more[1:]
    answered.extend(more)
    setattr(whole, name, answered)
    joined, added = cast("_Answer", whole), cast("_Answer", response)
    if hasattr(whole, "throttle_time_ms"):
        joined.throttle_time_ms = max(joined.throttle_time_ms, added.throttle_time_ms)
    if getattr(response, "error_code", 0):
        joined.error_code = added.error_code
    return whole


def _joined(first: object, second: object) -> bool:
    """Whether the second's arrays were added to the first's: the cut fell between them."""
    if not isinstance(first, WireStruct) or not isinstance(second, WireStruct) or not _arrays(type(first)):
        return False
    names = [name for name, _ in _arrays(type(first))]
    nothing: dict[str, list[object]] = {name: [] for name in names}
    if msgspec.structs.replace(first, **nothing) != msgspec.structs.replace(second, **nothing):
        return False
    for name in names:
        present, added = getattr(first, name), getattr(second, name)
        if present and added and _joined(present[-1], added[0]):
            added = added[1:]
        setattr(first, name, [*(present or ()), *(added or ())])
    return True

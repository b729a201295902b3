"""Media types: which answer a caller wants (`Accept`), which body it sends (`Content-Type`).

Both are decided against the types that an endpoint names, in the endpoint's order. Parameters (`charset=utf-8`) are
let pass, but for `q`. The headers of real clients are few, so what was decided is remembered; long ones are not.
"""

from __future__ import annotations

from functools import lru_cache

_ANY = "*/*"
_FORMS = frozenset({"text/plain", "application/x-www-form-urlencoded", "multipart/form-data"})
_OCTETS = "application/octet-stream"
_REMEMBERED_CHARACTERS_MAX = 256


def answer_type(accept: str | None, offered: tuple[str, ...]) -> str | None:
    """The best of `offered`; None when the caller takes none of them."""
    if not accept or accept == _ANY:
        return offered[0]
    if len(accept) <= _REMEMBERED_CHARACTERS_MAX:
        return _remembered_answer_type(accept, offered)
    return _answer_type(accept, offered)


def request_type(content_type: str | None, taken: tuple[str, ...]) -> str | None:
    """Which of `taken` the body is; None when it is none. A body without a type is octets, as HTTP says."""
    sent = (content_type or _OCTETS).partition(";")[0].strip().lower()
    if sent in taken:
        return sent
    return sent if _ANY in taken else None


def is_form(content_type: str | None) -> bool:
    """Whether it is one of the types that a browser sends for a page of any site without asking first (Fetch, "simple
    headers"): nothing that changes anything takes these."""
    return content_type is not None and content_type.partition(";")[0].strip().lower() in _FORMS


def _answer_type(accept: str, offered: tuple[str, ...]) -> str | None:
    ranges = [parsed for part in accept.split(",") if (parsed := _range(part)) is not None]
    best: str | None = None
    best_rank = (0.0, -1)
    for each in offered:
        # The most specific range that fits says how much this type is wanted (RFC 9110, 12.5.1).
        fitting = max(((specific, quality) for kind, specific, quality in ranges if _fits(kind, each)), default=None)
        if fitting is None:
            continue
        specific, quality = fitting
        if quality > 0 and (quality, specific) > best_rank:
            best, best_rank = each, (quality, specific)
    return best


_remembered_answer_type = lru_cache(maxsize=512)(_answer_type)


def _range(text: str) -> tuple[str, int, float] | None:
    """(`type/subtype`, how specific, quality); None where it is not one."""
    kind, *parameters = (part.strip().lower() for part in text.split(";"))
    if kind == "*":
        # What Java's URLConnection sends for "anything".
        kind = _ANY
    if "/" not in kind:
        return None
    quality = 1.0
    for parameter in parameters:
        name, _, value = parameter.partition("=")
        if name.strip() == "q":
            quality = _quality(value.strip())
    specific = 0 if kind == _ANY else 1 if kind.endswith("/*") else 2
    return kind, specific, quality


def _quality(text: str) -> float:
    try:
        return min(max(float(text), 0.0), 1.0)
    except ValueError:
        return 0.0


def _fits(wanted: str, offered: str) -> bool:
    if wanted in (_ANY, offered):
        return True
    return wanted.endswith("/*") and offered.startswith(wanted[:-1])

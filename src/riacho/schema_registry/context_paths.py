"""Paths under `/contexts/{context}/`: the same endpoints, within a context.

    /contexts/ctx/subjects/s/versions     ->  /subjects/:.ctx:s/versions
    /contexts/ctx/config                  ->  /config/:.ctx:
    /contexts/ctx/subjects                ->  /subjects?subjectPrefix=:.ctx:
    /contexts/ctx/schemas/ids/1           ->  /schemas/ids/1?subject=:.ctx:

`/contexts` itself lists them, and `DELETE /contexts/{context}` stays as it is.
"""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import parse_qsl, quote, unquote, urlencode

from riacho.schema_registry.naming import ANY_CONTEXT, normalize_context

PREFIX = "/contexts/"
_SUBJECT_FOLLOWS = frozenset({"subjects"})
_SETTINGS = frozenset({"config", "mode"})


class Target(NamedTuple):
    path: str
    query: str


def rewrite(path: str, query: str) -> Target:
    """Of a raw path that begins with `/contexts/`. ValueError, one sentence, when the context is none."""
    _, _, rest = path.strip("/").partition("/")
    raw_context, *segments = rest.split("/")
    context = normalize_context(unquote(raw_context))
    if not segments:
        return Target(path, query)
    changed = list(segments)
    for at, segment in enumerate(segments[:-1]):
        if segment in _SUBJECT_FOLLOWS or (at == 0 and segment in _SETTINGS):
            changed[at + 1] = _qualified(segments[at + 1], context)
            break
    if segments[0] in _SETTINGS and len(segments) == 1 and context:
        changed.append(quote(context, safe=":"))
    return Target("/" + "/".join(changed), _query(segments, query, context))


def _qualified(segment: str, context: str) -> str:
    return segment if _has_context(unquote(segment)) else quote(context, safe=":") + segment


def _query(segments: list[str], query: str, context: str) -> str:
    if segments[:2] == ["schemas", "ids"]:
        return _prefixed(query, "subject", context)
    if segments in (["schemas"], ["subjects"]):
        return _prefixed(query, "subjectPrefix", context)
    return query


def _prefixed(query: str, name: str, context: str) -> str:
    pairs = parse_qsl(query, keep_blank_values=True)
    values = [value for key, value in pairs if key == name] or [""]
    prefixed = [(name, value if _has_context(value) else context + value) for value in values]
    return urlencode([pair for pair in pairs if pair[0] != name] + prefixed)


def _has_context(name: str) -> bool:
    return name.startswith((":.", ANY_CONTEXT))

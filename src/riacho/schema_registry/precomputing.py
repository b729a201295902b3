"""Parsing and comparing large schemas ahead of a decision, outside the event loop.

A decision runs on the loop and reads the state, so it cannot leave it. But what costs time in it, parsing and
comparing, depends on texts only: a thread does that first and leaves what it found in `ParsedSchemas`, where the
decision finds it. Should the state change in between, the decision works out what is missing by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from riacho.schema_registry.entities import Config, Content, Version
from riacho.schema_registry.parsing import ParsedSchemas
from riacho.schema_registry.references import resolve
from riacho.schema_registry.registering import compared
from riacho.schema_registry.registry import Registry
from riacho.schemas.parsed import ParsedSchema, SchemaError, SchemaSource

# Below this the loop is held up for a few milliseconds at most.
LARGE_CHARACTERS = 32 * 1024
Work = tuple[str, SchemaSource]


def precomputation(
    registry: Registry, subject: str, content: Content, *, normalize: bool, against: Sequence[Version] | None = None
) -> Callable[[], None] | None:
    """What to run in a thread; None where it is not worth one. `against` are the versions, those of the subject when
    None."""
    if against is None:
        live = [version for version in registry.state.versions(subject) if not version.deleted]
        against = compared(registry, subject, live)
    try:
        new = _work(registry, subject, content)
        old = [_work(registry, version.subject, version.content) for version in against]
    except SchemaError:
        # The decision will say so.
        return None
    if _size(new) + sum(map(_size, old)) < LARGE_CHARACTERS:
        return None
    config = registry.config(subject)
    return lambda: _run(registry.schemas, new, old, normalize, config)


def _run(schemas: ParsedSchemas, new: Work, old: Sequence[Work], normalize: bool, config: Config) -> None:
    try:
        parsed = _parse(schemas, new)
        if normalize:
            parsed = parsed.normalized()
        if config.is_logical:
            schemas.validity_differences(parsed)
        for work in old:
            other = _parse(schemas, work)
            schemas.differences(parsed, other, is_lenient=config.is_lenient)
            schemas.differences(other, parsed, "old", "new", is_lenient=config.is_lenient)
            if config.is_logical:
                schemas.logical_differences(parsed, other)
                schemas.logical_differences(other, parsed)
    except SchemaError:
        return


def _parse(schemas: ParsedSchemas, work: Work) -> ParsedSchema:
    kind, source = work
    return schemas.parse(kind, source.text, source.references, source.resolved, is_new=False)


def _work(registry: Registry, subject: str, content: Content) -> Work:
    references, resolved = resolve(registry.state, subject, content.references, is_new=False)
    return content.schema_type, SchemaSource(content.text, references, resolved)


def _size(work: Work) -> int:
    return len(work[1].text) + sum(map(len, (work[1].resolved or {}).values()))

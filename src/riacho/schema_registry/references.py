"""References of a schema: the versions they name, and the texts of all that these need in turn."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from riacho.schema_registry.entities import Version
from riacho.schema_registry.naming import qualify_with_parent
from riacho.schema_registry.state import State
from riacho.schemas.parsed import Reference, SchemaError

LATEST = -1
# A schema that needs more others than this is not resolved: each costs a parse at every change.
_RESOLVED_MAX = 10_000


def resolve(
    state: State, subject: str, references: Sequence[Reference], *, is_new: bool
) -> tuple[tuple[Reference, ...], dict[str, str]]:
    """The references with `latest` resolved to a number, and name -> text, in the order in which they build on each
    other.

    A new schema may not refer to a deleted version; one that is stored may, it was not deleted then. SchemaError where
    a version is missing.
    """
    resolved: dict[str, str] = {}
    fixed = tuple(_fixed(state, subject, reference, is_new) for reference in references)
    visited: set[str] = set()
    # Depth first, with a stack of our own: chains of references may be longer than Python's.
    stack: list[tuple[str, list[Reference], Version | None, str]] = [(subject, list(fixed), None, "")]
    while stack:
        parent, pending, version, name = stack[-1]
        if pending:
            reference = pending.pop(0)
            if reference.name in visited:
                continue
            visited.add(reference.name)
            if len(visited) > _RESOLVED_MAX:
                raise SchemaError(f"A schema may need at most {_RESOLVED_MAX} others")
            found = _find(state, parent, reference, is_new)
            stack.append((found.subject, list(found.content.references), found, reference.name))
        else:
            stack.pop()
            if version is not None:
                resolved[name] = version.content.text
    return fixed, resolved


def qualified(references: Iterable[Reference], subject: str) -> tuple[Reference, ...]:
    """With the context in every subject (`referenceFormat=qualified`)."""
    return tuple(replace(each, subject=qualify_with_parent(each.subject, subject)) for each in references)


def _fixed(state: State, subject: str, reference: Reference, is_new: bool) -> Reference:
    if reference.version != LATEST:
        return reference
    return replace(reference, version=_find(state, subject, reference, is_new).version)


def _find(state: State, parent: str, reference: Reference, is_new: bool) -> Version:
    subject = qualify_with_parent(reference.subject, parent)
    if reference.version == LATEST:
        live = [version for version in state.versions(subject) if not version.deleted]
        found = live[-1] if live else None
    else:
        found = state.version(subject, reference.version)
    if found is None or (found.deleted and is_new):
        raise SchemaError(f'No schema reference found for subject "{subject}" and version {reference.version}')
    return found

"""Questions to the state: versions by number, id, GUID, content or metadata, and lists of subjects and versions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum, auto

from riacho.schema_registry import errors
from riacho.schema_registry.entities import NUMBER_MAX, Version
from riacho.schema_registry.identity import digest_of
from riacho.schema_registry.naming import (
    ANY_CONTEXT,
    DEFAULT_CONTEXT,
    QualifiedSubject,
    in_scope,
    parse_subject,
    qualify_with_parent,
)
from riacho.schema_registry.state import State

LATEST = -1


class Deleted(Enum):
    """Which versions a question is about."""

    NO = auto()
    TOO = auto()
    ONLY = auto()

    def takes(self, is_deleted: bool) -> bool:
        return self is Deleted.TOO or is_deleted is (self is Deleted.ONLY)


@dataclass(frozen=True, slots=True)
class IdInContext:
    context: str
    id: int


def version_number(text: str) -> int:
    """A version as it stands in a path: `latest` and -1 are the newest one. ApiError 42202 otherwise."""
    trimmed = text.strip()
    if trimmed.lower() == "latest":
        return LATEST
    digits = trimmed.removeprefix("-").removeprefix("+")
    if not (digits.isascii() and digits.isdecimal()) or len(digits) > 10 or trimmed.startswith("-+"):
        raise errors.invalid_version(text)
    number = int(trimmed)
    if number != LATEST and not 0 < number <= NUMBER_MAX:
        raise errors.invalid_version(str(number) if abs(number) <= NUMBER_MAX else text)
    return number


def latest(state: State, subject: str) -> Version | None:
    live = [version for version in state.versions(subject) if not version.deleted]
    return live[-1] if live else None


def find_version(state: State, subject: str, number: int, *, deleted: bool) -> Version | None:
    if number == LATEST:
        return latest(state, subject)
    found = state.version(subject, number)
    return found if found is not None and (deleted or not found.deleted) else None


def has_subjects(state: State, scope: str | None, *, deleted: bool) -> bool:
    """Whether there is a version in the scope: a subject, a context, or None for everything."""
    if scope is not None and not parse_subject(scope).is_context:
        return any(deleted or not version.deleted for version in state.subjects.get(scope, {}).values())
    return any(
        in_scope(subject, scope) and any(deleted or not version.deleted for version in versions.values())
        for subject, versions in state.subjects.items()
    )


def get_version(state: State, subject: str, number: int, *, deleted: bool) -> Version:
    """ApiError 40401 or 40402. A subject without a context is looked for in all of them."""
    for name in _names_in_contexts(state, subject):
        found = find_version(state, name, number, deleted=deleted)
        if found is not None:
            return found
    if not has_subjects(state, subject, deleted=deleted):
        raise errors.subject_not_found(subject)
    raise errors.version_not_found(number)


def by_id(state: State, schema_id: int, subject: str | None) -> Version | None:
    """A version that has the id: of the subject where one is named, else any of the context."""
    if subject is None:
        subject = ""
    asked = parse_subject(subject)
    if asked.is_context:
        key = state.context(asked.context).first_holder(schema_id)
        return None if key is None else state.version(*key)
    for name in _names_in_contexts(state, subject):
        key = state.index_of(name).holder_in(schema_id, name)
        if key is not None:
            return state.version(*key)
    if asked.context != DEFAULT_CONTEXT:
        return None
    # No subject of that name has it in any context: then whatever the default context knows by that id.
    return by_id(state, schema_id, None)


def versions_of_id(state: State, schema_id: int, subject: str | None, *, deleted: bool) -> list[Version] | None:
    """All that share the id; None where nobody has it."""
    found = by_id(state, schema_id, subject)
    if found is None:
        return None
    keys = state.index_of(found.subject).holders[schema_id]
    versions = (version for key in keys if (version := state.version(*key)) is not None)
    return [version for version in versions if deleted or not version.deleted]


def ids_of_guid(state: State, guid: str) -> list[IdInContext]:
    digest = digest_of(guid)
    if digest is None:
        return []
    contexts = (DEFAULT_CONTEXT, *state.context_names)
    found = ((name, state.context(name).id_of(digest)) for name in contexts)
    ids = [IdInContext(name, schema_id) for name, schema_id in found if schema_id is not None]
    return sorted(ids, key=lambda each: each.context)


def versions_of_guid(state: State, guid: str) -> list[Version]:
    """All that have it, deleted ones too, context by context."""
    keys = (key for each in ids_of_guid(state, guid) for key in state.context(each.context).holders.get(each.id, ()))
    return [version for key in keys if (version := state.version(*key)) is not None]


def with_metadata(state: State, subject: str, wanted: Mapping[str, str], *, deleted: bool) -> Version | None:
    """The newest version whose properties have all of `wanted`."""
    for version in reversed(state.versions(subject)):
        metadata = version.content.metadata
        if (deleted or not version.deleted) and metadata is not None:
            properties = metadata.properties or {}
            if wanted.items() <= properties.items():
                return version
    return None


def subjects_with_prefix(state: State, prefix: str) -> list[str]:
    """Sorted. `:*:` before the prefix means in any context."""
    if not prefix.startswith(ANY_CONTEXT):
        return sorted(subject for subject in state.subjects if subject.startswith(prefix))
    rest = prefix.removeprefix(ANY_CONTEXT)
    return sorted(subject for subject in state.subjects if parse_subject(subject).subject.startswith(rest))


def list_subjects(state: State, prefix: str, which: Deleted) -> list[str]:
    """A subject counts as deleted when all of its versions are."""
    return [
        subject
        for subject in subjects_with_prefix(state, prefix)
        if which.takes(all(version.deleted for version in state.subjects[subject].values()))
    ]


def aliases_by_subject(state: State, prefix: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, config in state.configs.items():
        if name is not None and config.alias and (prefix.startswith(ANY_CONTEXT) or name.startswith(prefix)):
            found.setdefault(qualify_with_parent(config.alias, name), []).append(name)
    return found


def list_versions(
    state: State, prefix: str, which: Deleted, *, latest_only: bool = False, more: Mapping[str, object] | None = None
) -> Iterator[Version]:
    """By subject and version; `more` are subjects to be listed besides those with the prefix."""
    for subject in sorted({*subjects_with_prefix(state, prefix), *(more or ())}):
        versions = [version for version in state.versions(subject) if which.takes(version.deleted)]
        yield from versions[-1:] if latest_only else versions


def _names_in_contexts(state: State, subject: str) -> Iterator[str]:
    yield subject
    asked = parse_subject(subject)
    if asked.context == DEFAULT_CONTEXT:
        for context in state.context_names:
            yield str(QualifiedSubject(context, asked.subject))

"""Deleting versions, subjects and contexts.

In two steps: a soft delete hides a version, whose id can still be read; a permanent one of what was hidden before
removes it from the log. What others refer to is not deleted. With the last version of a subject go its config and mode.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from riacho.base.decision import Decision
from riacho.schema_registry import errors, records
from riacho.schema_registry.entities import Version
from riacho.schema_registry.lookups import find_version, has_subjects, version_number
from riacho.schema_registry.naming import DEFAULT_CONTEXT, context_of, parse_subject
from riacho.schema_registry.registry import Registry
from riacho.schema_registry.state import State
from riacho.single_writer.record import Append


def decide_delete_version(registry: Registry, subject: str, version: str, *, permanent: bool) -> Decision[Append, int]:
    """`version` as it stands in the path; replies its number."""
    state = registry.state
    number = version_number(version)
    found = find_version(state, subject, number, deleted=True)
    if found is None:
        if not has_subjects(state, subject, deleted=True):
            raise errors.subject_not_found(subject)
        raise errors.version_not_found(number)
    if found.deleted and not permanent:
        raise errors.version_soft_deleted(subject, version)
    registry.check_writable(subject)
    _check_unreferenced(state, found)
    if not permanent:
        written = records.schema_record(replace(found, deleted=True))
        assert written.key is not None, "schemas have keys"
        return Decision(found.version, [Append(state.key_as_written(written.key), written.value)])
    if not found.deleted:
        raise errors.version_not_soft_deleted(subject, found.version)
    return Decision(found.version, remove_for_good(state, [found]))


def decide_delete_subject(registry: Registry, subject: str, *, permanent: bool) -> Decision[Append, list[int]]:
    """Replies the versions deleted."""
    state = registry.state
    versions = state.versions(subject)
    if not versions:
        raise errors.subject_not_found(subject)
    live = [version for version in versions if not version.deleted]
    if not live and not permanent:
        raise errors.subject_soft_deleted(subject)
    registry.check_writable(subject)
    chosen = versions if permanent else live
    for version in chosen:
        _check_unreferenced(state, version)
        if permanent and not version.deleted:
            raise errors.subject_not_soft_deleted(subject)
    numbers = [version.version for version in chosen]
    if permanent:
        return Decision(numbers, remove_for_good(state, chosen))
    return Decision(numbers, [records.delete_subject_record(subject, numbers[-1])])


def decide_delete_context(registry: Registry, context: str) -> Decision[Append, None]:
    """`context` as `:.name:`. One that does not exist is deleted already."""
    name = context_of(context)
    if has_subjects(registry.state, context or None, deleted=True) or name == DEFAULT_CONTEXT:
        raise errors.context_not_empty(context or DEFAULT_CONTEXT)
    registry.check_writable(context)
    state = registry.state
    settings = [
        Append(state.key_as_written(records.subject_key(kind, scope)), None)
        for kind, table in (("CONFIG", state.configs), ("MODE", state.modes))
        for scope in table
        if scope is not None and parse_subject(scope).context == name
    ]
    known = [Append(state.key_as_written(records.context_key(name)), None)] if name in state.context_names else []
    return Decision(None, [*settings, *known])


def remove_for_good(state: State, versions: Sequence[Version]) -> list[Append]:
    """Tombstones; the settings of subjects that have nothing left; the highest ids where they would be forgotten."""
    removed = {version.key for version in versions}
    tombstones = [Append(state.key_as_written(records.schema_key(*version.key)), None) for version in versions]
    settings: list[Append] = []
    for subject in dict.fromkeys(version.subject for version in versions):
        if all((subject, number) in removed for number in state.subjects.get(subject, ())):
            settings += _settings(state, subject)
    top = any(version.id == state.index_of(version.subject).max_id for version in versions)
    return [*([records.max_ids_record(state.max_ids())] if top else []), *tombstones, *settings]


def _settings(state: State, subject: str) -> list[Append]:
    kinds = [kind for kind, table in (("MODE", state.modes), ("CONFIG", state.configs)) if subject in table]
    return [Append(state.key_as_written(records.subject_key(kind, subject)), None) for kind in kinds]


def _check_unreferenced(state: State, version: Version) -> None:
    if state.referring_ids(*version.key):
        raise errors.reference_exists(*version.key)

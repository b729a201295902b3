"""Changing the mode of a subject, a context or all."""

from __future__ import annotations

from riacho.base.decision import Decision
from riacho.schema_registry import errors, records
from riacho.schema_registry.deleting import remove_for_good
from riacho.schema_registry.entities import Mode
from riacho.schema_registry.lookups import has_subjects
from riacho.schema_registry.naming import in_scope
from riacho.schema_registry.registry import Registry
from riacho.schema_registry.scopes import mode_of
from riacho.single_writer.record import Append


def parse_mode(text: str) -> Mode:
    """ApiError 42204."""
    try:
        return Mode[text.upper()]
    except KeyError:
        raise errors.invalid_mode() from None


def decide_mode(registry: Registry, subject: str | None, mode: Mode | None, *, force: bool) -> Decision[Append, None]:
    """None takes the mode away. To import, nothing live may be in the scope unless `force`; what is deleted goes."""
    _check_mutable(registry)
    state = registry.state
    written = records.mode_record(subject, mode or Mode.READWRITE)
    assert written.key is not None, "modes have keys"
    setting = Append(state.key_as_written(written.key), written.value if mode is not None else None)
    if mode is not Mode.IMPORT or registry.mode(subject) is Mode.IMPORT or force:
        return Decision(None, [setting])
    if has_subjects(state, subject, deleted=False):
        raise errors.not_permitted("Cannot import since found existing subjects")
    deleted = [version for version in state.all_versions() if in_scope(version.subject, subject)]
    for version in deleted:
        if state.referring_ids(*version.key):
            raise errors.reference_exists(*version.key)
    # Confluent's readers keep deleted schemas in caches, which this record clears.
    return Decision(None, [*remove_for_good(state, deleted), records.clear_subject_record(subject), setting])


def decide_delete_mode(registry: Registry, subject: str | None, *, recursive: bool) -> Decision[Append, Mode]:
    """Replies what was set. `recursive`: with a context go the modes of its subjects."""
    _check_mutable(registry)
    state = registry.state
    old = mode_of(state, subject)
    if old is None:
        assert subject is not None, "the default context always has a mode"
        raise errors.subject_not_found(subject)
    scopes = [subject, *(scope for scope in state.modes if scope and scope != subject and in_scope(scope, subject))]
    chosen = scopes if recursive else scopes[:1]
    return Decision(old, [Append(state.key_as_written(records.subject_key("MODE", scope)), None) for scope in chosen])


def _check_mutable(registry: Registry) -> None:
    if not registry.defaults.mode_mutability:
        raise errors.not_permitted("Mode changes are not allowed")

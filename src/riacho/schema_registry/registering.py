"""Registering a schema: the decision that gives ids and versions.

In this order: the mode allows it; what is not sent comes from the version before and from the config; the text takes
its canonical form; content that is known keeps its id, and its version where the subject has it; else it must be
compatible, and gets the next version and the next id of its context. Versions count deleted ones too. In the modes that
import, id and version come with the request, and nothing is compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from riacho.base.decision import Decision
from riacho.schema_registry import errors, records
from riacho.schema_registry.compatibility import Candidate, check
from riacho.schema_registry.content_lookup import is_same, look_up
from riacho.schema_registry.entities import NUMBER_MAX, Content, Version
from riacho.schema_registry.fields import entities_of, tags_of, with_tags
from riacho.schema_registry.naming import DEFAULT_CONTEXT, context_of
from riacho.schema_registry.populating import tells_version, with_contracts, with_previous_text
from riacho.schema_registry.registry import Registry
from riacho.schemas.parsed import ParsedSchema
from riacho.single_writer.record import Append


@dataclass(frozen=True, slots=True)
class Registration:
    """A request. `id` -1: give one; `version` 0: the next one, -1: the next one and write it into the metadata."""

    subject: str
    content: Content
    id: int = -1
    version: int = 0
    normalize: bool = False
    force: bool = False
    # Bring along the tags that the version before has in its text.
    propagate_tags: bool = False


def find_registered(registry: Registry, asked: Registration) -> Version | None:
    """The version that a request would come to without a write, so that any instance can answer it."""
    if asked.version != 0 or asked.propagate_tags or not asked.content.text.strip():
        return None
    if registry.config(asked.subject).changes_contracts:
        return None
    found = look_up(registry, asked.subject, asked.content, normalize=asked.normalize, deleted=False)
    return found if found is not None and asked.id in (-1, found.id) else None


def decide_register(registry: Registry, asked: Registration) -> Decision[Append, Version]:
    _check_mode(registry, asked)
    versions = registry.state.versions(asked.subject)
    live = [version for version in versions if not version.deleted]
    next_version = versions[-1].version + 1 if versions else 1
    content = _populated(registry, asked, live, next_version)
    is_import = registry.mode(asked.subject).takes_ids
    is_new = registry.checks_new(asked.subject)
    content, parsed = registry.canonical(asked.subject, content, normalize=asked.normalize, is_new=is_new)
    known = _known_id(registry, asked, content)
    if asked.version == 0:
        present = _present(registry, asked, content, parsed, live, known)
        if present is not None:
            return Decision(present)
    if not is_import and not asked.force:
        _check_compatible(registry, asked.subject, Candidate(lambda: parsed, content.metadata), live)
    number = _version_number(asked, next_version, is_import)
    schema_id = _schema_id(registry, asked, content, known)
    version = Version(asked.subject, number, schema_id, content, content.digest())
    before = [*_context(registry, asked.subject), *_replaced(registry, version), *_outlived(registry, version)]
    return Decision(version, [*before, _record(registry, version)])


def _check_mode(registry: Registry, asked: Registration) -> None:
    registry.check_writable(asked.subject)
    mode = registry.mode(asked.subject)
    if asked.id >= 0 and not mode.takes_ids:
        raise errors.not_in_import_mode(asked.subject)
    if asked.id < 0 and mode.value != "READWRITE":
        raise errors.not_in_read_write_mode(asked.subject)


def _populated(registry: Registry, asked: Registration, live: Sequence[Version], next_version: int) -> Content:
    content = asked.content
    if registry.mode(asked.subject).takes_ids:
        return Content(
            content.schema_type,
            content.text,
            content.references,
            None if content.metadata is None else content.metadata.sorted(),
            None if content.rule_set is None else content.rule_set.sorted(),
        )
    previous = live[-1].content if live else None
    config = registry.config(asked.subject)
    content = with_previous_text(content, previous)
    if asked.propagate_tags and live:
        content = _with_tags_of(registry, asked, content, live[-1])
    merged = with_contracts(config, content, previous, None)
    if asked.version != 0 or tells_version(merged):
        return with_contracts(config, content, previous, next_version)
    return merged


def _with_tags_of(registry: Registry, asked: Registration, content: Content, previous: Version) -> Content:
    """Tags of what is not in the new schema any more are gone."""
    is_new = registry.checks_new(asked.subject)
    content, parsed = registry.canonical(asked.subject, content, normalize=False, is_new=is_new)
    if parsed.schema_type != previous.content.schema_type:
        return content
    wanted = tags_of(registry.parsed_version(previous))
    present = entities_of(parsed)
    return replace(content, text=with_tags(parsed, {key: tags for key, tags in wanted.items() if key in present}, {}))


def _known_id(registry: Registry, asked: Registration, content: Content) -> int:
    """The id that this content has in its context, or the one asked for; -1 where a new one is to be given."""
    if asked.id >= 0:
        return asked.id
    known = registry.state.index_of(asked.subject).id_of(content.digest())
    return -1 if known is None else known


def _present(
    registry: Registry,
    asked: Registration,
    content: Content,
    parsed: ParsedSchema,
    live: Sequence[Version],
    known: int,
) -> Version | None:
    """The subject's version that has this content already, the newest first."""
    digest = content.digest()
    for version in reversed(live):
        if version.digest == digest and asked.id in (-1, version.id):
            return version
    for version in reversed(live):
        if known in (-1, version.id) and is_same(content, parsed, version, registry):
            return version
    return None


def _check_compatible(registry: Registry, subject: str, new: Candidate, live: Sequence[Version]) -> None:
    config = registry.config(subject)
    earlier = registry.candidates(compared(registry, subject, live))
    messages = check(new, earlier, config, registry.schemas, validate_fields=registry.validate_fields(config))
    if messages:
        raise errors.incompatible(subject, messages, registry.defaults.incompatible_code)


def compared(registry: Registry, subject: str, live: Sequence[Version]) -> Sequence[Version]:
    """Those of the live versions that a check at the subject's level can come to look at: others are not parsed."""
    config = registry.config(subject)
    level = config.compatibility_level
    if config.compatibility_group is None and level is not None and not level.value.endswith("_TRANSITIVE"):
        needs_none = level.value == "NONE" and not registry.validate_fields(config)
        return () if needs_none else live[-1:]
    return live


def _version_number(asked: Registration, next_version: int, is_import: bool) -> int:
    if asked.version <= 0:
        number = next_version
    elif is_import or asked.version == next_version:
        number = asked.version
    else:
        raise errors.invalid_schema("Version is not one more than previous version")
    if number > NUMBER_MAX:
        raise errors.not_permitted(f"Subject {asked.subject} has no version numbers left")
    return number


def _schema_id(registry: Registry, asked: Registration, content: Content, known: int) -> int:
    index = registry.state.index_of(asked.subject)
    if known < 0:
        if index.max_id >= NUMBER_MAX:
            raise errors.not_permitted(f"Context {context_of(asked.subject)} has no ids left")
        return index.max_id + 1
    key = index.first_holder(known)
    holder = None if key is None else registry.state.version(*key)
    if holder is not None and holder.content != content:
        raise errors.id_taken(known, asked.subject)
    return known


def _context(registry: Registry, subject: str) -> list[Append]:
    name = context_of(subject)
    if name == DEFAULT_CONTEXT or name in registry.state.context_names:
        return []
    return [records.context_record(name)]


def _replaced(registry: Registry, version: Version) -> list[Append]:
    """An import may write over a version, unless others refer to it and would break: the id that it had must not be
    forgotten with it."""
    old = registry.state.version(*version.key)
    if old is None:
        return []
    if old.content.text != version.content.text and registry.state.referring_ids(*old.key):
        raise errors.reference_exists(*old.key)
    if old.id == version.id or old.id != registry.state.index_of(version.subject).max_id:
        return []
    return [records.max_ids_record(registry.state.max_ids())]


def _outlived(registry: Registry, version: Version) -> list[Append]:
    """Deleted versions with the id that is registered again: it can be read by the new one from now on."""
    state = registry.state
    return [
        Append(state.key_as_written(records.schema_key(*old.key)), None)
        for old in state.versions(version.subject)
        if old.deleted
        and old.id == version.id
        and old.version < version.version
        and not state.referring_ids(*old.key, deleted=True)
    ]


def _record(registry: Registry, version: Version) -> Append:
    written = records.schema_record(version)
    assert written.key is not None, "schemas have keys"
    return Append(registry.state.key_as_written(written.key), written.value)

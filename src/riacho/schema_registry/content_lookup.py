"""Whether a schema is registered under a subject, asked with the schema itself.

Equal content is found by its digest. Besides, a schema is taken for one that is there when it differs only in how it is
written: with its references' types in place, or without the version in its metadata.
"""

from __future__ import annotations

from dataclasses import replace

from riacho.schema_registry.contracts import CONFLUENT_VERSION, Metadata, without_version
from riacho.schema_registry.entities import Content, Version
from riacho.schema_registry.lookups import latest
from riacho.schema_registry.naming import DEFAULT_CONTEXT, QualifiedSubject, parse_subject
from riacho.schema_registry.populating import with_contracts
from riacho.schema_registry.registry import Registry
from riacho.schemas.parsed import ParsedSchema
from riacho.web.errors import ApiError


def look_up(registry: Registry, subject: str, content: Content, *, normalize: bool, deleted: bool) -> Version | None:
    """ApiError 42201 where the content is no schema."""
    if not content.text.strip():
        return None
    found = _look_up(registry, subject, content, normalize, deleted)
    previous = latest(registry.state, subject)
    if found is not None or previous is None:
        return found
    # As registering does it: what is not sent is what the previous version has.
    populated = with_contracts(registry.config(subject), content, previous.content, None)
    return None if populated == content else _look_up(registry, subject, populated, normalize, deleted)


def look_up_in_contexts(
    registry: Registry, subject: str, content: Content, *, normalize: bool, deleted: bool
) -> Version | None:
    """A subject without a context is looked for in all of them."""
    found = look_up(registry, subject, content, normalize=normalize, deleted=deleted)
    asked = parse_subject(subject)
    if found is not None or asked.context != DEFAULT_CONTEXT:
        return found
    for context in registry.state.context_names:
        name = str(QualifiedSubject(context, asked.subject))
        try:
            found = look_up(registry, name, content, normalize=normalize, deleted=deleted)
        except ApiError:
            # In that context its references do not resolve: then it is not there either.
            continue
        if found is not None:
            return found
    return None


def is_same(content: Content, parsed: ParsedSchema, other: Version, registry: Registry) -> bool:
    """Whether a schema that is not equal to a version still means it."""
    own, others = _version_in(content.metadata), _version_in(other.content.metadata)
    metadata, stored = content.metadata, other.content.metadata
    if own is None and others is not None:
        metadata, stored = metadata or Metadata(), without_version(stored)
    elif own is not None and others is None:
        if own != str(other.version):
            return False
        metadata, stored = without_version(metadata), stored or Metadata()
    if metadata != stored or content.rule_set != other.content.rule_set:
        return False
    if content.text == other.content.text:
        return content.references == other.content.references
    if content.references or not other.content.references or content.schema_type != other.content.schema_type:
        return False
    return registry.parsed_version(other).formatted("resolved") == parsed.text


def _look_up(registry: Registry, subject: str, content: Content, normalize: bool, deleted: bool) -> Version | None:
    stored, parsed = registry.canonical(subject, _sorted(content), normalize=normalize, is_new=False)
    state = registry.state
    index = state.index_of(subject)
    schema_id = index.id_of(stored.digest())
    key = None if schema_id is None else index.holder_in(schema_id, subject)
    found = None if key is None else state.version(*key)
    if found is not None and (deleted or not found.deleted):
        return found
    for version in reversed(state.versions(subject)):
        if (deleted or not version.deleted) and is_same(stored, parsed, version, registry):
            return version
    return None


def _sorted(content: Content) -> Content:
    return replace(
        content,
        metadata=None if content.metadata is None else content.metadata.sorted(),
        rule_set=None if content.rule_set is None else content.rule_set.sorted(),
    )


def _version_in(metadata: Metadata | None) -> str | None:
    return None if metadata is None else metadata.property(CONFLUENT_VERSION)

"""Tags within a schema's text, and the request that makes a new version with other tags, metadata or rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from riacho.base.decision import Decision
from riacho.schema_registry import errors
from riacho.schema_registry.contracts import Metadata, RuleSet, merge_rules, with_version, without_rules
from riacho.schema_registry.entities import Content, Version
from riacho.schema_registry.fields import Entity, with_tags
from riacho.schema_registry.lookups import LATEST, find_version, has_subjects
from riacho.schema_registry.registering import Registration, decide_register
from riacho.schema_registry.registry import Registry
from riacho.schemas.parsed import SchemaError
from riacho.single_writer.record import Append

Tags = Mapping[Entity, Sequence[str]]


@dataclass(frozen=True, slots=True)
class TagChange:
    """`new_version` 0: not said. Rules to merge and to remove change those of the version before the new one."""

    new_version: int = 0
    add: Tags = field(default_factory=dict)
    remove: Tags = field(default_factory=dict)
    metadata: Metadata | None = None
    rule_set: RuleSet | None = None
    rules_to_merge: RuleSet | None = None
    rules_to_remove: Sequence[str] | None = None


def decide_tags(registry: Registry, subject: str, number: int, change: TagChange) -> Decision[Append, Version]:
    base = find_version(registry.state, subject, number, deleted=False)
    if base is None:
        known = has_subjects(registry.state, subject, deleted=False)
        raise errors.version_not_found(number) if known else errors.subject_not_found(subject)
    content = replace(
        retagged(registry, subject, base.content, change.add, change.remove),
        metadata=with_version(change.metadata or base.content.metadata, change.new_version),
        rule_set=_rules(registry, subject, change),
    )
    return decide_register(registry, Registration(subject, content, version=change.new_version))


def retagged(registry: Registry, subject: str, content: Content, add: Tags, remove: Tags) -> Content:
    """ApiError 42201 where an entity is not in the schema."""
    canonical, parsed = registry.canonical(subject, content, normalize=False, is_new=False)
    if not add and not remove:
        return canonical
    try:
        return replace(canonical, text=with_tags(parsed, add, remove))
    except SchemaError as error:
        raise errors.invalid_schema(str(error)) from None


def _rules(registry: Registry, subject: str, change: TagChange) -> RuleSet | None:
    if change.rules_to_merge is None and change.rules_to_remove is None:
        return change.rule_set
    number = change.new_version - 1 if change.new_version > 1 else LATEST
    before = find_version(registry.state, subject, number, deleted=False)
    rule_set = merge_rules(None if before is None else before.content.rule_set, change.rules_to_merge)
    if rule_set is not None and change.rules_to_remove:
        rule_set = without_rules(rule_set, change.rules_to_remove)
    return rule_set

"""What a schema gets besides what it was sent with: from the version before it and from the config of its subject.

Metadata and rules that are not sent are those of the previous version. The config's defaults are laid under them, its
overrides over them.
"""

from __future__ import annotations

from dataclasses import replace

from riacho.schema_registry import errors
from riacho.schema_registry.contracts import CONFLUENT_VERSION, merge_metadata, merge_rules, with_version
from riacho.schema_registry.entities import Config, Content


def with_previous_text(content: Content, previous: Content | None) -> Content:
    """A request without a schema means the one before, with other metadata or rules; 42201 if there is none."""
    if content.text.strip():
        return content
    if previous is None:
        raise errors.invalid_schema("Empty schema")
    return replace(content, schema_type=previous.schema_type, text=previous.text, references=previous.references)


def with_contracts(config: Config, content: Content, previous: Content | None, new_version: int | None) -> Content:
    """`new_version`: write it into the metadata; None where the metadata shall have it only if it has it already.

    A version that stands there already is brought up to date by the caller, who knows it.
    """
    metadata, rule_set = content.metadata, content.rule_set
    if previous is not None:
        metadata = previous.metadata if metadata is None else metadata
        rule_set = previous.rule_set if rule_set is None else rule_set
    metadata = merge_metadata(merge_metadata(config.default_metadata, metadata), config.override_metadata)
    rule_set = merge_rules(merge_rules(config.default_rule_set, rule_set), config.override_rule_set)
    if new_version is not None:
        metadata = with_version(metadata, new_version)
    return replace(
        content,
        metadata=None if metadata is None else metadata.sorted(),
        rule_set=None if rule_set is None else rule_set.sorted(),
    )


def tells_version(content: Content) -> bool:
    return content.metadata is not None and content.metadata.property(CONFLUENT_VERSION) is not None

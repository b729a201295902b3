"""Data contracts: metadata and rules that travel with a schema.

The registry keeps, checks, merges and answers them; to execute a rule is the client's part. Fields and their order are
those of Confluent's JSON, sets and maps are kept sorted, as they enter the digest of a schema (`identity.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import Enum

import msgspec

CONFLUENT_VERSION = "confluent:version"
RESERVED = "confluent:reserved"


class RuleError(ValueError):
    """A rule set that cannot be accepted, said in one sentence."""


class RuleKind(Enum):
    TRANSFORM = "TRANSFORM"
    CONDITION = "CONDITION"


class RuleMode(Enum):
    UPGRADE = "UPGRADE"
    DOWNGRADE = "DOWNGRADE"
    UPDOWN = "UPDOWN"
    WRITE = "WRITE"
    READ = "READ"
    WRITEREAD = "WRITEREAD"


class EnableAt(Enum):
    ALL = "ALL"
    CLIENT = "CLIENT"
    GATEWAY = "GATEWAY"
    SERVER = "SERVER"
    NONE = "NONE"


_MIGRATION_MODES = frozenset({RuleMode.UPGRADE, RuleMode.DOWNGRADE, RuleMode.UPDOWN})


class Metadata(msgspec.Struct, frozen=True, omit_defaults=True):
    """Tags by path, free properties, and the names of those properties that are secret."""

    tags: dict[str, list[str]] | None = None
    properties: dict[str, str] | None = None
    sensitive: list[str] | None = None

    def property(self, name: str) -> str | None:
        return (self.properties or {}).get(name)

    def sorted(self) -> Metadata:
        """The one form in which equal metadata is equal."""
        tags = {path: _unique(names) for path, names in sorted((self.tags or {}).items())}
        properties = dict(sorted((self.properties or {}).items()))
        return Metadata(tags or None, properties or None, _unique(self.sensitive or ()) or None)


class Rule(msgspec.Struct, frozen=True, omit_defaults=True, rename="camel"):
    """One rule. Kind, mode and `disabled` have defaults, which `sorted` writes out."""

    name: str | None = None
    doc: str | None = None
    kind: RuleKind | None = None
    mode: RuleMode | None = None
    type: str | None = None
    tags: list[str] | None = None
    params: dict[str, str] | None = None
    expr: str | None = None
    on_success: str | None = None
    on_failure: str | None = None
    disabled: bool | None = None

    def sorted(self) -> Rule:
        return msgspec.structs.replace(
            self,
            kind=self.kind or RuleKind.TRANSFORM,
            mode=self.mode or RuleMode.WRITEREAD,
            tags=_unique(self.tags or ()) or None,
            params=dict(sorted((self.params or {}).items())) or None,
            disabled=bool(self.disabled),
        )


class RuleSet(msgspec.Struct, frozen=True, omit_defaults=True, rename="camel"):
    """Rules for moving between versions, for the domain, and for the encoding."""

    migration_rules: list[Rule] | None = None
    domain_rules: list[Rule] | None = None
    encoding_rules: list[Rule] | None = None
    enable_at: EnableAt | None = None

    def all_rules(self) -> list[Rule]:
        return [*(self.migration_rules or ()), *(self.domain_rules or ()), *(self.encoding_rules or ())]

    def sorted(self) -> RuleSet:
        return RuleSet(
            _sorted_rules(self.migration_rules),
            _sorted_rules(self.domain_rules),
            _sorted_rules(self.encoding_rules),
            self.enable_at,
        )


def validate_rules(rule_set: RuleSet) -> None:
    """RuleError for the first thing wrong."""
    names: set[str | None] = set()
    groups = (
        ("Migration rules can only be UPGRADE, DOWNGRADE, UPDOWN", rule_set.migration_rules, True),
        ("Domain rules can only be WRITE, READ, WRITEREAD", rule_set.domain_rules, False),
        ("Encoding rules can only be WRITE, READ, WRITEREAD", rule_set.encoding_rules, False),
    )
    for wrong_mode, rules, is_migration in groups:
        for rule in rules or ():
            if rule.name in names:
                raise RuleError(f"Found rule with duplicate name '{rule.name}'")
            names.add(rule.name)
            _validate_rule(rule)
            if ((rule.mode or RuleMode.WRITEREAD) in _MIGRATION_MODES) is not is_migration:
                raise RuleError(wrong_mode)


def merge_metadata(old: Metadata | None, new: Metadata | None) -> Metadata | None:
    """What `new` says wins, name by name."""
    if old is None or new is None:
        return new if old is None else old
    return Metadata(
        {**(old.tags or {}), **(new.tags or {})},
        {**(old.properties or {}), **(new.properties or {})},
        [*(old.sensitive or ()), *(new.sensitive or ())],
    ).sorted()


def merge_rules(old: RuleSet | None, new: RuleSet | None) -> RuleSet | None:
    """A rule of `new` takes the place of the old one of its name."""
    if old is None or new is None:
        return new if old is None else old
    return RuleSet(
        _merged(old.migration_rules, new.migration_rules),
        _merged(old.domain_rules, new.domain_rules),
        _merged(old.encoding_rules, new.encoding_rules),
        new.enable_at or old.enable_at,
    )


def without_rules(rule_set: RuleSet, names: Iterable[str]) -> RuleSet:
    gone = frozenset(names)

    def kept(rules: list[Rule] | None) -> list[Rule] | None:
        return [rule for rule in rules or () if rule.name not in gone] or None

    return RuleSet(
        kept(rule_set.migration_rules), kept(rule_set.domain_rules), kept(rule_set.encoding_rules), rule_set.enable_at
    )


def with_version(metadata: Metadata | None, version: int) -> Metadata:
    """The version of the schema, written into it: so two versions of equal text can differ."""
    merged = merge_metadata(metadata, Metadata(properties={CONFLUENT_VERSION: str(version)}))
    assert merged is not None, "merged with something"
    return merged


def without_version(metadata: Metadata | None) -> Metadata:
    properties: Mapping[str, str] = (metadata.properties if metadata else None) or {}
    kept = {name: value for name, value in properties.items() if name != CONFLUENT_VERSION}
    return msgspec.structs.replace(metadata or Metadata(), properties=kept or None)


def reserved_fields(metadata: Metadata | None) -> list[str]:
    """Names that no field may have (`confluent:reserved`, a list with commas)."""
    named = (metadata.property(RESERVED) if metadata else None) or ""
    return [field for field in (part.strip() for part in named.split(",")) if field]


def has_rule_of_type(rule_set: RuleSet | None, rule_type: str) -> bool:
    return rule_set is not None and any(rule.type == rule_type for rule in rule_set.all_rules())


def _validate_rule(rule: Rule) -> None:
    name = rule.name
    if name is None:
        raise RuleError("Missing rule name")
    if not name:
        raise RuleError("Empty rule name")
    if not (name[0].isalpha() or name[0] == "_"):
        raise RuleError(f"Illegal initial character in rule name: {name}")
    if not all(character.isalnum() or character in "_-" for character in name[1:]):
        raise RuleError(f"Illegal character in rule name: {name}")
    if rule.type is None:
        raise RuleError("Missing rule type")


def _merged(old: list[Rule] | None, new: list[Rule] | None) -> list[Rule] | None:
    replaced = {rule.name for rule in new or ()}
    return [*(rule for rule in old or () if rule.name not in replaced), *(new or ())] or None


def _sorted_rules(rules: list[Rule] | None) -> list[Rule] | None:
    return [rule.sorted() for rule in rules or ()] or None


def _unique(names: Iterable[str]) -> list[str]:
    return sorted(set(names))

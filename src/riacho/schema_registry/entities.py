"""What the registry keeps: a version of a subject, the config of a subject or context, a mode."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import msgspec

from riacho.schema_registry.contracts import Metadata, RuleSet
from riacho.schema_registry.identity import content_digest, guid_of
from riacho.schemas.parsed import Reference

AVRO = "AVRO"
# Of versions and ids: a signed integer of 32 bits.
NUMBER_MAX = (1 << 31) - 1


class Mode(Enum):
    READWRITE = "READWRITE"
    READONLY = "READONLY"
    READONLY_OVERRIDE = "READONLY_OVERRIDE"
    IMPORT = "IMPORT"
    FORWARD = "FORWARD"

    @property
    def is_read_only(self) -> bool:
        return self in (Mode.READONLY, Mode.READONLY_OVERRIDE)

    @property
    def takes_ids(self) -> bool:
        """Whoever registers brings id and version along; nothing is compared with what is there."""
        return self in (Mode.IMPORT, Mode.FORWARD)


class CompatibilityLevel(Enum):
    NONE = "NONE"
    BACKWARD = "BACKWARD"
    BACKWARD_TRANSITIVE = "BACKWARD_TRANSITIVE"
    FORWARD = "FORWARD"
    FORWARD_TRANSITIVE = "FORWARD_TRANSITIVE"
    FULL = "FULL"
    FULL_TRANSITIVE = "FULL_TRANSITIVE"

    @property
    def is_forward(self) -> bool:
        """And not backward too."""
        return self in (CompatibilityLevel.FORWARD, CompatibilityLevel.FORWARD_TRANSITIVE)


class CompatibilityPolicy(Enum):
    STRICT = "STRICT"
    LENIENT = "LENIENT"
    LOGICAL = "LOGICAL"


class Config(msgspec.Struct, frozen=True, omit_defaults=True, rename="camel"):
    """What is set for a subject, a context or all: each field is None where nothing is said."""

    alias: str | None = None
    alias_for_deks: str | None = None
    normalize: bool | None = None
    validate_fields: bool | None = None
    validate_names: bool | None = None
    validate_new_schemas: bool | None = None
    validate_rules: bool | None = None
    compatibility_level: CompatibilityLevel | None = None
    compatibility_policy: CompatibilityPolicy | None = None
    compatibility_group: str | None = None
    default_metadata: Metadata | None = None
    override_metadata: Metadata | None = None
    default_rule_set: RuleSet | None = None
    override_rule_set: RuleSet | None = None

    @property
    def is_lenient(self) -> bool:
        return self.compatibility_policy is CompatibilityPolicy.LENIENT

    @property
    def is_logical(self) -> bool:
        return self.compatibility_policy is CompatibilityPolicy.LOGICAL

    @property
    def changes_contracts(self) -> bool:
        """Whether what is registered may come out with other metadata or rules than it was sent with."""
        given = (self.default_metadata, self.override_metadata, self.default_rule_set, self.override_rule_set)
        return any(each is not None for each in given)


@dataclass(frozen=True, slots=True)
class Content:
    """A schema by itself: what the digest is over, and so what an id stands for."""

    schema_type: str
    text: str
    references: tuple[Reference, ...] = ()
    metadata: Metadata | None = None
    rule_set: RuleSet | None = None

    def digest(self) -> bytes:
        return content_digest(self.text, self.references, self.metadata, self.rule_set)


@dataclass(frozen=True, slots=True)
class Version:
    """A schema as a version of a subject. `digest` is over its content, computed once."""

    subject: str
    version: int
    id: int
    content: Content
    digest: bytes
    deleted: bool = False
    timestamp_ms: int = 0

    @property
    def guid(self) -> str:
        return guid_of(self.digest)

    @property
    def key(self) -> tuple[str, int]:
        return self.subject, self.version

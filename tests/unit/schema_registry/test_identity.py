"""The digest of a schema, against values that Confluent publishes (its repository's schema-md5-golden-data)."""

from __future__ import annotations

import msgspec
import pytest

from riacho.schema_registry.contracts import Metadata, RuleSet
from riacho.schema_registry.identity import content_digest, digest_of, guid_of
from riacho.schemas.parsed import Reference

PERSON = (
    '{"type":"record","name":"Person","namespace":"io.confluent.kafka.example","fields":[{"name":"name","type":"string"},'
    '{"name":"age","type":"int"},{"name":"ssn","type":"string"},{"name":"user","type":"io.confluent.kafka.example.User"},'
    '{"name":"address","type":"io.confluent.kafka.example.Address"}]}'
)
REFERENCES = (
    Reference("io.confluent.kafka.example.User", "User", 1),
    Reference("io.confluent.kafka.example.Address", "Address", 2),
)
METADATA = Metadata(
    {"environment": ["staging", "production"], "team": ["data-engineering"]},
    {"version": "1.0.0", "owner": "data-team", "description": "Person schema for user management"},
    ["ssn", "credit-card"],
)


def _rule(name: str, doc: str, kind: str, mode: str, rule_type: str, field: str, expr: str) -> dict[str, object]:
    return {
        "name": name,
        "doc": doc,
        "kind": kind,
        "mode": mode,
        "type": rule_type,
        "tags": ["PERSON"],
        "params": {"field": field},
        "expr": expr,
        "onSuccess": "none",
        "onFailure": "error",
        "disabled": False,
    }


RULES = msgspec.convert(
    {
        "migrationRules": [
            _rule("upgrade-rule-1", "Upgrade rule for field changes", "TRANSFORM", "UPGRADE", "FIELD_UPDATE", "name",
                  "field.name = field.name.toUpperCase()"),
            _rule("downgrade-rule-1", "Downgrade rule for compatibility", "TRANSFORM", "DOWNGRADE", "FIELD_DELETE",
                  "ssn", "delete field.ssn"),
        ],
        "domainRules": [
            _rule("validation-rule-1", "Validate age field", "CONDITION", "WRITE", "FIELD_VALIDATION", "age",
                  "field.age >= 0 && field.age <= 150"),
            _rule("masking-rule-1", "Mask sensitive data on read", "TRANSFORM", "READ", "DATA_MASKING", "ssn",
                  "field.ssn = '***-**-****'"),
        ],
    },
    RuleSet,
)  # fmt: skip


@pytest.mark.parametrize(
    ("with_references", "with_metadata", "with_rules", "guid"),
    [
        (False, False, False, "d629bb05-ad85-3d20-fbcb-895de3c459f7"),
        (False, False, True, "c0708b8f-65f6-b698-bffe-45c1dfa8987c"),
        (False, True, False, "2034166c-90a8-1166-0ff2-f5f62c80dbe0"),
        (False, True, True, "d9877161-cfdf-d8c5-4eb4-ab37ed50e9d5"),
        (True, False, False, "5c08d70e-5347-41b2-6369-199425d044eb"),
        (True, False, True, "96825311-eb10-b7f5-48be-2a023b4c018e"),
        (True, True, False, "3619d8e0-2ee8-de51-0d9e-2520d39174d5"),
        (True, True, True, "589556fb-ad98-e8e0-94fa-e6da3455433a"),
    ],
)
def test_published_digests(with_references: bool, with_metadata: bool, with_rules: bool, guid: str) -> None:
    digest = content_digest(
        PERSON,
        REFERENCES if with_references else (),
        METADATA.sorted() if with_metadata else None,
        RULES.sorted() if with_rules else None,
    )
    assert guid_of(digest) == guid
    assert digest_of(guid) == digest


def test_empty_metadata_is_not_none() -> None:
    assert content_digest("x", (), Metadata(), None) != content_digest("x", (), None, None)


def test_what_is_no_guid_has_no_digest() -> None:
    assert digest_of("nothing") is None

"""The log's records in Confluent's layout: JSON keys and values, fields in its order.

    {"keytype":"SCHEMA","subject":"s","version":1,"magic":1}
                         {"subject":"s","version":1,"id":1,"schema":"...","deleted":false}
    {"keytype":"CONFIG","subject":"s","magic":0}           {"subject":"s","compatibilityLevel":"FULL"}
    {"keytype":"MODE","subject":"s","magic":0}             {"subject":"s","mode":"READONLY"}
    {"keytype":"DELETE_SUBJECT","subject":"s","magic":0}   {"subject":"s","version":3}
    {"keytype":"CLEAR_SUBJECT","subject":"s","magic":0}    {"subject":"s"}
    {"keytype":"CONTEXT","tenant":"default","context":".c","magic":0}   {"tenant":"default","context":".c"}
    {"keytype":"NOOP","magic":0}

A subject is left out where all are meant. A key without a value deletes. Confluent's readers never look at the value
of a NOOP: ours carries the highest ids given, so that an id that was deleted for good is not given again after the log
has been compacted.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from typing import Any

import msgspec

from riacho.schema_registry.contracts import Metadata, RuleSet
from riacho.schema_registry.entities import AVRO, Config, Content, Mode, Version
from riacho.schemas.parsed import Reference
from riacho.single_writer.record import Append

_TENANT = "default"
_encode = msgspec.json.Encoder().encode


class RecordKey(msgspec.Struct, frozen=True):
    """Every kind's fields; `magic` is not looked at."""

    keytype: str
    subject: str | None = None
    version: int | None = None
    tenant: str | None = None
    context: str | None = None


class StoredReference(msgspec.Struct, frozen=True):
    name: str
    subject: str
    version: int


class BareSchemaValue(msgspec.Struct, frozen=True, rename="camel"):
    """What of a schema must be known under all circumstances."""

    subject: str
    version: int
    id: int
    schema_type: str | None = None
    references: list[StoredReference] | None = None
    schema: str | None = None
    deleted: bool | None = None


class SchemaValue(msgspec.Struct, frozen=True, omit_defaults=True, rename="camel"):
    subject: str
    version: int
    id: int
    md5: str | None = None
    schema_type: str | None = None
    references: list[StoredReference] | None = None
    metadata: Metadata | None = None
    rule_set: RuleSet | None = None
    schema: str | None = None
    # None only so that false is written.
    deleted: bool | None = None


class ModeValue(msgspec.Struct, frozen=True):
    mode: Mode


class DeleteSubjectValue(msgspec.Struct, frozen=True):
    version: int


class MaxIdsValue(msgspec.Struct, frozen=True, rename="camel"):
    max_ids: dict[str, int]


def schema_key(subject: str, version: int) -> bytes:
    return _encode({"keytype": "SCHEMA", "subject": subject, "version": version, "magic": 1})


def subject_key(keytype: str, subject: str | None) -> bytes:
    """Of CONFIG, MODE, DELETE_SUBJECT and CLEAR_SUBJECT."""
    return _encode({"keytype": keytype, **_subject(subject), "magic": 0})


def context_key(context: str) -> bytes:
    return _encode({"keytype": "CONTEXT", "tenant": _TENANT, "context": context, "magic": 0})


NOOP_KEY = _encode({"keytype": "NOOP", "magic": 0})
# Of another spelling, as a new leader writes the plain one without a value.
MAX_IDS_KEY = _encode({"keytype": "NOOP", "magic": 1})


def schema_record(version: Version) -> Append:
    content = version.content
    value = SchemaValue(
        subject=version.subject,
        version=version.version,
        id=version.id,
        md5=None if version.digest == content.digest() else b64encode(version.digest).decode(),
        schema_type=None if content.schema_type == AVRO else content.schema_type,
        references=[StoredReference(each.name, each.subject, each.version) for each in content.references] or None,
        metadata=content.metadata,
        rule_set=content.rule_set,
        schema=content.text,
        deleted=version.deleted,
    )
    return Append(schema_key(version.subject, version.version), _encode(value))


def config_record(subject: str | None, config: Config) -> Append:
    fields: dict[str, Any] = msgspec.to_builtins(config)
    return Append(subject_key("CONFIG", subject), _encode({**_subject(subject), **fields}))


def mode_record(subject: str | None, mode: Mode) -> Append:
    return Append(subject_key("MODE", subject), _encode({**_subject(subject), "mode": mode}))


def delete_subject_record(subject: str, version: int) -> Append:
    return Append(subject_key("DELETE_SUBJECT", subject), _encode({"subject": subject, "version": version}))


def clear_subject_record(subject: str | None) -> Append:
    return Append(subject_key("CLEAR_SUBJECT", subject), _encode(_subject(subject)))


def context_record(context: str) -> Append:
    return Append(context_key(context), _encode({"tenant": _TENANT, "context": context}))


def max_ids_record(max_ids: dict[str, int]) -> Append:
    return Append(MAX_IDS_KEY, _encode(MaxIdsValue(dict(sorted(max_ids.items())))))


def version_of(value: SchemaValue, timestamp_ms: int) -> Version:
    references = tuple(Reference(each.name, each.subject, each.version) for each in value.references or ())
    metadata = None if value.metadata is None else value.metadata.sorted()
    rule_set = None if value.rule_set is None else value.rule_set.sorted()
    content = Content(value.schema_type or AVRO, value.schema or "", references, metadata, rule_set)
    digest = _stored_digest(value.md5) or content.digest()
    return Version(value.subject, value.version, value.id, content, digest, bool(value.deleted), timestamp_ms)


def _stored_digest(md5: str | None) -> bytes | None:
    """Told only where it cannot be computed: when Confluent has encrypted the sensitive properties it is over."""
    try:
        digest = b64decode(md5 or "", validate=True)
    except ValueError:
        return None
    return digest if len(digest) == 16 else None


def _subject(subject: str | None) -> dict[str, str]:
    return {} if subject is None else {"subject": subject}

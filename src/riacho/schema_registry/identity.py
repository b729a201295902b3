"""What makes two schemas the same one: a digest over text, references, metadata and rules.

Within a context equal digests share an id. Shown as a UUID the digest is the schema's GUID, which holds across contexts
and registries: so it is computed exactly as Confluent does, byte by byte, and its published values are our test.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from uuid import UUID

from riacho.schema_registry.contracts import Metadata, Rule, RuleSet
from riacho.schemas.parsed import Reference

# Before metadata and before rules, where there are any: so that empty ones differ from none.
_PRESENT = b"\x01"


def content_digest(
    text: str, references: Iterable[Reference], metadata: Metadata | None, rule_set: RuleSet | None
) -> bytes:
    # MD5 as a name, not as a protection: whoever may register may also choose the text.
    digest = hashlib.md5(text.encode(), usedforsecurity=False)
    for reference in references:
        digest.update(reference.name.encode())
        digest.update(reference.subject.encode())
        digest.update((reference.version & 0xFFFFFFFF).to_bytes(4, "big"))
    if metadata is not None:
        digest.update(_PRESENT + _metadata_bytes(metadata))
    if rule_set is not None:
        digest.update(_PRESENT + b"".join(map(_rule_bytes, rule_set.all_rules())))
    return digest.digest()


def guid_of(digest: bytes) -> str:
    return str(UUID(bytes=digest))


def digest_of(guid: str) -> bytes | None:
    """None where the text is no GUID."""
    try:
        return UUID(guid).bytes
    except ValueError:
        return None


def _metadata_bytes(metadata: Metadata) -> bytes:
    parts: list[str] = []
    for path, names in (metadata.tags or {}).items():
        parts += [path, *names]
    for name, value in (metadata.properties or {}).items():
        parts += [name, value]
    parts += metadata.sensitive or ()
    return "".join(parts).encode()


def _rule_bytes(rule: Rule) -> bytes:
    parts = [rule.name, rule.doc, rule.kind and rule.kind.value, rule.mode and rule.mode.value, rule.type]
    parts += rule.tags or ()
    for name, value in (rule.params or {}).items():
        parts += [name, value]
    parts += [rule.expr, rule.on_success, rule.on_failure]
    written = "".join(part for part in parts if part is not None).encode()
    return written + b"\x01" if rule.disabled else written

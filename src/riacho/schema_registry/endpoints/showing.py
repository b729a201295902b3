"""Versions as answers: which fields are shown, in which form.

`ts` and `deleted` are shown only to callers that say they can bear fields they do not know
(`Confluent-Accept-Unknown-Properties: true`): older clients refuse what they do not know.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from riacho.schema_registry.endpoints.bodies import (
    ReferenceBody,
    RegisterAnswer,
    SchemaAnswer,
    SchemaEntityBody,
    SchemaStringAnswer,
    SchemaTagsBody,
)
from riacho.schema_registry.entities import Version
from riacho.schema_registry.fields import tags_of
from riacho.schema_registry.references import qualified
from riacho.schema_registry.registry import Registry
from riacho.schemas.parsed import Reference
from riacho.web.call import Call

_ACCEPT_UNKNOWN = b"confluent-accept-unknown-properties"
_ALL_TAGS = "*"


def accepts_unknown(call: Call) -> bool:
    for name, value in call.scope["headers"]:
        if name == _ACCEPT_UNKNOWN:
            return bool(value.lower() == b"true")
    return False


def schema_answer(
    registry: Registry,
    version: Version,
    *,
    form: str = "",
    reference_form: str = "",
    tags: Sequence[str] = (),
    aliases: list[str] | None = None,
    is_full: bool = False,
) -> SchemaAnswer:
    return SchemaAnswer(
        subject=version.subject,
        version=version.version,
        id=version.id,
        schema_tags=found_tags(registry, version, tags),
        aliases=aliases,
        **_shared(registry, version, form, reference_form, is_full),
    )


def schema_string_answer(
    registry: Registry,
    version: Version,
    *,
    with_subject: bool,
    form: str = "",
    reference_form: str = "",
    tags: Sequence[str] = (),
    max_id: int | None = None,
    is_full: bool = False,
) -> SchemaStringAnswer:
    return SchemaStringAnswer(
        subject=version.subject if with_subject else None,
        version=version.version if with_subject else None,
        schema_tags=found_tags(registry, version, tags),
        max_id=max_id,
        **_shared(registry, version, form, reference_form, is_full),
    )


def register_answer(registry: Registry, version: Version, form: str, is_full: bool) -> RegisterAnswer:
    return RegisterAnswer(id=version.id, version=version.version, **_shared(registry, version, form, "", is_full))


def schema_text(registry: Registry, version: Version, form: str) -> str:
    """ApiError 42201 where a form is asked for and another registry stored what this one cannot read."""
    if not form.strip():
        return version.content.text
    return registry.parsed_version(version).formatted(form)


def found_tags(registry: Registry, version: Version, wanted: Sequence[str]) -> list[SchemaTagsBody] | None:
    """Entities of the schema that have one of the tags; `*` is any. None where nothing was asked."""
    if not wanted:
        return None
    return [
        SchemaTagsBody(SchemaEntityBody(path, kind), tags)
        for (path, kind), tags in tags_of(registry.parsed_version(version)).items()
        if _ALL_TAGS in wanted or not set(tags).isdisjoint(wanted)
    ]


def _shared(registry: Registry, version: Version, form: str, reference_form: str, is_full: bool) -> dict[str, Any]:
    content = version.content
    references: Iterable[Reference] = content.references
    if reference_form.strip().lower() == "qualified":
        references = qualified(references, version.subject)
    return {
        "guid": version.guid,
        "schema_type": content.schema_type,
        "references": [ReferenceBody(each.name, each.subject, each.version) for each in references] or None,
        "metadata": content.metadata,
        "rule_set": content.rule_set,
        "schema": schema_text(registry, version, form),
        "ts": version.timestamp_ms if is_full else None,
        "deleted": version.deleted if is_full else None,
    }

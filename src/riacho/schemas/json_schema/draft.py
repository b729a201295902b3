"""Which draft of JSON Schema a text is written in, and what differs between them for a registry.

`$schema` names it; without that, or with one nobody knows, it is draft 7, as at the registry.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from functools import cache
from typing import Any

from riacho.schemas.parsed import Json


class Draft(Enum):
    DRAFT_4 = "draft-04"
    DRAFT_6 = "draft-06"
    DRAFT_7 = "draft-07"
    DRAFT_2019_09 = "draft/2019-09"
    DRAFT_2020_12 = "draft/2020-12"

    @property
    def is_modern(self) -> bool:
        """Since 2019-09 a `$ref` has siblings, tuples and dependencies have other names."""
        return self in (Draft.DRAFT_2019_09, Draft.DRAFT_2020_12)

    @property
    def url(self) -> str:
        scheme, end = ("https", "") if self.is_modern else ("http", "#")
        return f"{scheme}://json-schema.org/{self.value}/schema{end}"

    @property
    def id_keyword(self) -> str:
        return "id" if self is Draft.DRAFT_4 else "$id"

    def since_6(self) -> bool:
        return self is not Draft.DRAFT_4

    def since_7(self) -> bool:
        return self not in (Draft.DRAFT_4, Draft.DRAFT_6)


_BY_URL = {
    f"{scheme}://json-schema.org/{draft.value}/schema": draft for draft in Draft for scheme in ("http", "https")
} | {
    # "The latest", when draft 4 was that.
    f"{scheme}://json-schema.org/schema": Draft.DRAFT_4
    for scheme in ("http", "https")
}


def draft_of(tree: Json, default: Draft = Draft.DRAFT_7) -> Draft:
    named = tree.get("$schema") if isinstance(tree, Mapping) else None
    return _BY_URL.get(named.rstrip("#"), default) if isinstance(named, str) else default


@cache
def library_validator(draft: Draft) -> Any:
    """The `jsonschema` class of that draft. The library is loaded with the first JSON Schema, not with the service."""
    import jsonschema  # type: ignore[import-untyped]

    return {
        Draft.DRAFT_4: jsonschema.Draft4Validator,
        Draft.DRAFT_6: jsonschema.Draft6Validator,
        Draft.DRAFT_7: jsonschema.Draft7Validator,
        Draft.DRAFT_2019_09: jsonschema.Draft201909Validator,
        Draft.DRAFT_2020_12: jsonschema.Draft202012Validator,
    }[draft]


@cache
def specification(draft: Draft) -> Any:
    """How `referencing` finds ids, anchors and subschemas in that draft."""
    import referencing.jsonschema as known

    return {
        Draft.DRAFT_4: known.DRAFT4,
        Draft.DRAFT_6: known.DRAFT6,
        Draft.DRAFT_7: known.DRAFT7,
        Draft.DRAFT_2019_09: known.DRAFT201909,
        Draft.DRAFT_2020_12: known.DRAFT202012,
    }[draft]

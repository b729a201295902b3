"""Compatibility of a schema with those before it: levels over versions.

Backward: the new schema reads what the earlier one wrote; forward: the earlier one reads what the new one writes; full:
both. The plain levels look at the newest earlier version, the transitive ones at all of them, the newest first, and
stop at the first that fails. The messages end with what was compared, as the original's do.

The policy LOGICAL asks besides whether the new schema can be a table, whatever the level, and compares the tables of
the same versions in the same directions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from riacho.schema_registry.contracts import Metadata, reserved_fields
from riacho.schema_registry.entities import CompatibilityLevel, Config
from riacho.schema_registry.errors import logical_forward_reason
from riacho.schema_registry.fields import has_top_level_field
from riacho.schema_registry.parsing import ParsedSchemas
from riacho.schemas.parsed import ParsedSchema

_TRANSITIVE = "_TRANSITIVE"
_SHOWN_CHARACTERS_MAX = 10 * 1024


@dataclass(frozen=True, slots=True)
class Candidate:
    """A schema that is compared; `version` is None for one that is not registered yet. Parsed only when it comes to
    it: a history may have thousands, and the first that fails ends the comparison."""

    parse: Callable[[], ParsedSchema]
    metadata: Metadata | None = None
    version: int | None = None


def check(
    new: Candidate, earlier: Sequence[Candidate], config: Config, schemas: ParsedSchemas, *, validate_fields: bool
) -> list[str]:
    """`earlier` is the history, the oldest first. Empty when all is well."""
    level = config.compatibility_level or CompatibilityLevel.NONE
    messages = _reserved(new, earlier[-1] if earlier else None) if validate_fields else []
    messages += _compare(new, _group(new, earlier, config.compatibility_group), level, _Measure(schemas, config))
    if messages:
        messages.append(f"{{validateFields: '{str(validate_fields).lower()}', compatibility: '{level.value}'}}")
    return messages


@dataclass(frozen=True, slots=True)
class _Measure:
    """What two schemas are compared by."""

    schemas: ParsedSchemas
    config: Config

    def native(self, reader: ParsedSchema, writer: ParsedSchema, *words: str) -> tuple[str, ...]:
        return self.schemas.differences(reader, writer, *words, is_lenient=self.config.is_lenient)

    def logical(self, reader: ParsedSchema, writer: ParsedSchema) -> tuple[str, ...]:
        return self.schemas.logical_differences(reader, writer) if self.config.is_logical else ()

    def alone(self, new: Candidate, level: CompatibilityLevel) -> list[str]:
        if not self.config.is_logical:
            return []
        refused = [logical_forward_reason(level.value)] if level.is_forward else []
        return [*refused, *self.schemas.validity_differences(new.parse())]


class _Found(NamedTuple):
    """Of one version: what forbids it, what forbids it as a table, and what it was compared with."""

    native: Sequence[str] = ()
    logical: Sequence[str] = ()
    old: Sequence[str] = ()


def _compare(new: Candidate, earlier: Sequence[Candidate], level: CompatibilityLevel, measure: _Measure) -> list[str]:
    alone = measure.alone(new, level)
    found = _first(new, earlier, level, measure)
    return [*found.native, *alone, *found.logical, *found.old]


def _first(new: Candidate, earlier: Sequence[Candidate], level: CompatibilityLevel, measure: _Measure) -> _Found:
    """The first version with which anything is wrong."""
    direction, is_transitive = level.value.removesuffix(_TRANSITIVE), level.value.endswith(_TRANSITIVE)
    if direction == "NONE":
        return _Found()
    for candidate in reversed(earlier if is_transitive else earlier[-1:]):
        found = _one(new, candidate, direction, measure)
        if found.native or found.logical:
            return found
    return _Found()


def _one(new: Candidate, old: Candidate, direction: str, measure: _Measure) -> _Found:
    now, before = new.parse(), old.parse()
    forward: Sequence[str] = ()
    backward: Sequence[str] = ()
    logical: list[str] = []
    if direction in ("BACKWARD", "FULL"):
        backward = measure.native(now, before)
        logical += measure.logical(now, before)
    if direction in ("FORWARD", "FULL"):
        forward = measure.native(before, now, "old", "new")
        logical += measure.logical(before, now)
    # Of a full check the original tells what was compared with only where the backward half fails.
    compared = _old(old, before) if backward or (forward and direction == "FORWARD") else []
    return _Found([*forward, *backward], logical, compared)


def _old(old: Candidate, parsed: ParsedSchema) -> list[str]:
    version = [] if old.version is None else [f"{{oldSchemaVersion: {old.version}}}"]
    return [*version, _shown(parsed.text)]


def _shown(text: str) -> str:
    if len(text) <= _SHOWN_CHARACTERS_MAX:
        return f"{{oldSchema: '{text}'}}"
    return f"{{oldSchema: <truncated to {_SHOWN_CHARACTERS_MAX} characters> '{text[:_SHOWN_CHARACTERS_MAX]}'}}"


def _group(new: Candidate, earlier: Sequence[Candidate], group: str | None) -> Sequence[Candidate]:
    """Only those whose property of that name has the same value: a way to begin a history anew."""
    if group is None:
        return earlier
    value = _property(new, group)
    return [candidate for candidate in earlier if _property(candidate, group) == value]


def _property(candidate: Candidate, name: str) -> str | None:
    return None if candidate.metadata is None else candidate.metadata.property(name)


def _reserved(new: Candidate, previous: Candidate | None) -> list[str]:
    now = reserved_fields(new.metadata)
    before = [] if previous is None else reserved_fields(previous.metadata)
    removed = (
        f"The new schema has reserved field {field} removed from its metadata "
        "which is present in the old schema's metadata."
        for field in before
        if field not in now
    )
    used = (
        f"The new schema has field that conflicts with the reserved field {field}."
        for field in now
        if has_top_level_field(new.parse(), field)
    )
    return [*removed, *used]

"""Objects: what a reader may do about a property depends on what the other side allowed under that name before.

A content model is open when any other property may be there, closed when none may, partially open when those that match
a pattern or a schema may. A name added to an open model narrows it, since values under that name were free until now.
"""

from __future__ import annotations

from typing import Protocol

from riacho.schemas.json_schema import nodes
from riacho.schemas.json_schema.compare_values import compare_limit
from riacho.schemas.json_schema.difference import Difference, Differences, Kind, under
from riacho.schemas.json_schema.nodes import Node, meaning
from riacho.schemas.json_schema.pattern import searching


class Compare(Protocol):
    """The comparison that is under way, for what lies deeper."""

    def __call__(self, old: Node | None, new: Node | None) -> Differences: ...

    def forgives(self, differences: Differences) -> bool:
        """Whether a reader can live with all of them."""


def compare_objects(old: nodes.Object, new: nodes.Object, compare: Compare) -> Differences:
    found = _required(old, new)
    for name in sorted(old.properties.keys() | new.properties.keys()):
        found += under(("properties", name), _property(name, old, new, compare))
    found += under(("dependencies",), _dependencies(old, new, compare))
    found += under(("additionalProperties",), compare_rest("ADDITIONAL_PROPERTIES", old, new, compare))
    unevaluated = compare_unevaluated("UNEVALUATED_PROPERTIES", old.unevaluated, new.unevaluated, compare)
    found += under(("unevaluatedProperties",), unevaluated)
    found += compare_limit("maxProperties", "MAX_PROPERTIES", old.max_properties, new.max_properties)
    found += compare_limit("minProperties", "MIN_PROPERTIES", old.min_properties, new.min_properties)
    return found


def _required(old: nodes.Object, new: nodes.Object) -> Differences:
    found: Differences = []
    for name in sorted(old.properties.keys() & new.properties.keys()):
        if name in old.required and name not in new.required:
            kind = Kind.REQUIRED_ATTRIBUTE_REMOVED
        elif name in old.required or name not in new.required:
            continue
        elif new.properties[name].notes.has_default:
            kind = Kind.REQUIRED_ATTRIBUTE_WITH_DEFAULT_ADDED
        else:
            kind = Kind.REQUIRED_ATTRIBUTE_ADDED
        found.append(Difference(kind, ("required", name)))
    return found


def _property(name: str, old: nodes.Object, new: nodes.Object, compare: Compare) -> Differences:
    was, becomes = old.properties.get(name), new.properties.get(name)
    if was is not None and becomes is not None:
        return compare(was, becomes)
    if was is not None:
        return _removed(name, was, new, compare)
    assert becomes is not None
    return _added(name, becomes, old, new, compare)


def _removed(name: str, was: Node, new: nodes.Object, compare: Compare) -> Differences:
    """Only the new model counts: does it still take what the property held?"""
    if _is_open(new):
        return [Difference(Kind.PROPERTY_REMOVED_FROM_OPEN_CONTENT_MODEL)]
    covering = _covering(name, new)
    if covering is not None:
        found = compare(was, covering)
        if compare.forgives(found):
            return [*found, Difference(Kind.PROPERTY_REMOVED_IS_COVERED_BY_PARTIALLY_OPEN_CONTENT_MODEL)]
        return [*found, Difference(Kind.PROPERTY_REMOVED_NOT_COVERED_BY_PARTIALLY_OPEN_CONTENT_MODEL)]
    if isinstance(meaning(was), nodes.Nothing):
        return [Difference(Kind.PROPERTY_WITH_FALSE_REMOVED_FROM_CLOSED_CONTENT_MODEL)]
    return [Difference(Kind.PROPERTY_REMOVED_FROM_CLOSED_CONTENT_MODEL)]


def _added(name: str, becomes: Node, old: nodes.Object, new: nodes.Object, compare: Compare) -> Differences:
    """Only the old model counts: what may have been written under that name?"""
    if _is_open(old):
        if isinstance(meaning(becomes), nodes.Empty):
            return [Difference(Kind.PROPERTY_WITH_EMPTY_SCHEMA_ADDED_TO_OPEN_CONTENT_MODEL)]
        return [Difference(_presence(name, becomes, new, "OPEN"))]
    found: Differences = []
    covering = _covering(name, old)
    if covering is not None:
        found = compare(covering, becomes)
        if compare.forgives(found):
            kind = Kind.PROPERTY_ADDED_IS_COVERED_BY_PARTIALLY_OPEN_CONTENT_MODEL
        else:
            kind = Kind.PROPERTY_ADDED_NOT_COVERED_BY_PARTIALLY_OPEN_CONTENT_MODEL
        found = [*found, Difference(kind)]
    return [*found, Difference(_presence(name, becomes, new, "UNOPEN"))]


def _presence(name: str, becomes: Node, new: nodes.Object, model: str) -> Kind:
    if name not in new.required:
        return Kind[f"OPTIONAL_PROPERTY_ADDED_TO_{model}_CONTENT_MODEL"]
    default = "_WITH_DEFAULT" if becomes.notes.has_default else ""
    return Kind[f"REQUIRED_PROPERTY{default}_ADDED_TO_{model}_CONTENT_MODEL"]


def _is_open(model: nodes.Object) -> bool:
    return not model.pattern_properties and is_open(model)


def _covering(name: str, model: nodes.Object) -> Node | None:
    for pattern, node in model.pattern_properties.items():
        if searching(pattern)(name):
            return node
    return covering_rest(model)


def _dependencies(old: nodes.Object, new: nodes.Object, compare: Compare) -> Differences:
    found: Differences = []
    for name in sorted(old.property_dependencies.keys() | new.property_dependencies.keys()):
        change = _changed_set(old.property_dependencies.get(name), new.property_dependencies.get(name))
        if change:
            found.append(Difference(Kind[f"DEPENDENCY_ARRAY_{change}"], (name,)))
    for name in sorted(old.schema_dependencies.keys() | new.schema_dependencies.keys()):
        if name not in new.schema_dependencies:
            found.append(Difference(Kind.DEPENDENCY_SCHEMA_REMOVED, (name,)))
        elif name not in old.schema_dependencies:
            found.append(Difference(Kind.DEPENDENCY_SCHEMA_ADDED, (name,)))
        else:
            found += under((name,), compare(old.schema_dependencies[name], new.schema_dependencies[name]))
    return found


def _changed_set(old: frozenset[str] | None, new: frozenset[str] | None) -> str:
    if old == new:
        return ""
    if new is None:
        return "REMOVED"
    if old is None:
        return "ADDED"
    if old < new:
        return "EXTENDED"
    return "NARROWED" if new < old else "CHANGED"


def is_open(model: nodes.Object | nodes.Array) -> bool:
    """Whether what is not named may be anything."""
    unevaluated = model.unevaluated
    return (
        model.permits_additional
        and model.additional is None
        and (unevaluated is None or isinstance(meaning(unevaluated), nodes.Empty))
    )


def covering_rest(model: nodes.Object | nodes.Array) -> Node | None:
    """The schema of what is not named, where there is one."""
    if model.additional is not None or not model.permits_additional or model.unevaluated is None:
        return model.additional
    return None if isinstance(meaning(model.unevaluated), nodes.Nothing | nodes.Empty) else model.unevaluated


def compare_rest(
    kinds: str, old: nodes.Object | nodes.Array, new: nodes.Object | nodes.Array, compare: Compare
) -> Differences:
    """additionalProperties or additionalItems."""
    if old.permits_additional != new.permits_additional:
        change = "ADDED" if new.permits_additional else "REMOVED"
    elif old.additional is None and new.additional is not None:
        change = "NARROWED"
    elif old.additional is not None and new.additional is None:
        change = "EXTENDED"
    else:
        return compare(old.additional, new.additional)
    return [Difference(Kind[f"{kinds}_{change}"])]


def compare_unevaluated(kinds: str, old: Node | None, new: Node | None, compare: Compare) -> Differences:
    """unevaluatedProperties or unevaluatedItems, where none is as good as `true`."""
    if old is None and new is None:
        return []
    was, becomes = meaning(old or nodes.Empty()), meaning(new or nodes.Empty())
    if isinstance(was, nodes.Nothing) != isinstance(becomes, nodes.Nothing):
        change = "ADDED" if isinstance(was, nodes.Nothing) else "REMOVED"
    elif isinstance(was, nodes.Empty) != isinstance(becomes, nodes.Empty):
        change = "NARROWED" if isinstance(was, nodes.Empty) else "EXTENDED"
    else:
        return compare(was, becomes)
    return [Difference(Kind[f"{kinds}_{change}"])]

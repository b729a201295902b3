"""Arrays: all items alike, or a list of them and what may follow it, with the content models that objects have."""

from __future__ import annotations

from riacho.schemas.json_schema import nodes
from riacho.schemas.json_schema.compare_objects import (
    Compare,
    compare_rest,
    compare_unevaluated,
    covering_rest,
    is_open,
)
from riacho.schemas.json_schema.compare_values import compare_limit
from riacho.schemas.json_schema.difference import Difference, Differences, Kind, under
from riacho.schemas.json_schema.nodes import Node, meaning


def compare_arrays(old: nodes.Array, new: nodes.Array, compare: Compare) -> Differences:
    found = under(("items",), compare(old.all_items, new.all_items))
    for place in range(max(len(old.items), len(new.items))):
        found += under(("items", str(place)), _item(place, old, new, compare))
    found += under(("additionalItems",), compare_rest("ADDITIONAL_ITEMS", old, new, compare))
    unevaluated = compare_unevaluated("UNEVALUATED_ITEMS", old.unevaluated, new.unevaluated, compare)
    found += under(("unevaluatedItems",), unevaluated)
    found += compare_limit("maxItems", "MAX_ITEMS", old.max_items, new.max_items)
    found += compare_limit("minItems", "MIN_ITEMS", old.min_items, new.min_items)
    if old.needs_unique != new.needs_unique:
        kind = Kind.UNIQUE_ITEMS_REMOVED if old.needs_unique else Kind.UNIQUE_ITEMS_ADDED
        found.append(Difference(kind, ("uniqueItems",)))
    found += compare_limit("maxContains", "MAX_CONTAINS", old.max_contains, new.max_contains)
    found += compare_limit("minContains", "MIN_CONTAINS", old.min_contains, new.min_contains)
    return found


def _item(place: int, old: nodes.Array, new: nodes.Array, compare: Compare) -> Differences:
    if place >= len(new.items):
        return _removed(old.items[place], new, compare)
    if place >= len(old.items):
        return _added(new.items[place], old, compare)
    return compare(old.items[place], new.items[place])


def _removed(was: Node, new: nodes.Array, compare: Compare) -> Differences:
    if is_open(new):
        return [Difference(Kind.ITEM_REMOVED_FROM_OPEN_CONTENT_MODEL)]
    covering = covering_rest(new)
    if covering is not None:
        found = compare(was, covering)
        if compare.forgives(found):
            return [*found, Difference(Kind.ITEM_REMOVED_IS_COVERED_BY_PARTIALLY_OPEN_CONTENT_MODEL)]
        return [*found, Difference(Kind.ITEM_REMOVED_NOT_COVERED_BY_PARTIALLY_OPEN_CONTENT_MODEL)]
    if isinstance(meaning(was), nodes.Nothing):
        return [Difference(Kind.ITEM_WITH_FALSE_REMOVED_FROM_CLOSED_CONTENT_MODEL)]
    return [Difference(Kind.ITEM_REMOVED_FROM_CLOSED_CONTENT_MODEL)]


def _added(becomes: Node, old: nodes.Array, compare: Compare) -> Differences:
    if is_open(old):
        if isinstance(meaning(becomes), nodes.Empty):
            return [Difference(Kind.ITEM_WITH_EMPTY_SCHEMA_ADDED_TO_OPEN_CONTENT_MODEL)]
        return [Difference(Kind.ITEM_ADDED_TO_OPEN_CONTENT_MODEL)]
    covering = covering_rest(old)
    if covering is None:
        return [Difference(Kind.ITEM_ADDED_TO_CLOSED_CONTENT_MODEL)]
    found = compare(covering, becomes)
    if compare.forgives(found):
        return [*found, Difference(Kind.ITEM_ADDED_IS_COVERED_BY_PARTIALLY_OPEN_CONTENT_MODEL)]
    return [*found, Difference(Kind.ITEM_ADDED_NOT_COVERED_BY_PARTIALLY_OPEN_CONTENT_MODEL)]

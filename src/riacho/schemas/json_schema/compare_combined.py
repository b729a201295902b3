"""Products (allOf) and sums (anyOf, oneOf): alternatives have no names, so they are paired as well as they can be."""

from __future__ import annotations

from collections.abc import Sequence

from riacho.schemas.json_schema import nodes
from riacho.schemas.json_schema.compare_objects import Compare
from riacho.schemas.json_schema.compare_values import value_key
from riacho.schemas.json_schema.difference import Difference, Differences, Kind, under
from riacho.schemas.json_schema.matching import largest_matching
from riacho.schemas.json_schema.nodes import Node


def compare_combined(old: nodes.Combined, new: nodes.Combined, compare: Compare) -> Differences:
    found = _criteria(old, new)
    if found and found[0].kind is Kind.COMBINED_TYPE_CHANGED:
        return found
    were, become = _distinct(old), _distinct(new)
    if len(were) < len(become):
        found.append(Difference(_extended(new)))
    elif len(were) > len(become):
        found.append(Difference(_narrowed(old)))
    compared = [[compare(was, becomes) for becomes in become] for was in were]
    edges = [[right for right, between in enumerate(row) if compare.forgives(between)] for row in compared]
    matching = largest_matching(edges, len(become))
    for left in sorted(matching):
        found += under((old.criterion, str(left)), compared[left][matching[left]])
    if len(matching) < min(len(were), len(become)):
        found.append(Difference(Kind.COMBINED_TYPE_SUBSCHEMAS_CHANGED))
    return found


def _criteria(old: nodes.Combined, new: nodes.Combined) -> Differences:
    """From one way of combining to another: to anyOf always, and where one member makes them mean the same."""
    if old.criterion == new.criterion:
        return []
    from_one, to_one = len(old.members) == 1, len(new.members) == 1
    is_wider = (
        new.criterion == "anyOf"
        or (from_one and to_one)
        or (from_one and new.criterion == "oneOf")
        or (to_one and old.criterion == "allOf")
    )
    return [Difference(Kind.COMBINED_TYPE_EXTENDED if is_wider else Kind.COMBINED_TYPE_CHANGED)]


def _extended(new: nodes.Combined) -> Kind:
    return Kind.PRODUCT_TYPE_EXTENDED if new.criterion == "allOf" else Kind.SUM_TYPE_EXTENDED


def _narrowed(old: nodes.Combined) -> Kind:
    return Kind.PRODUCT_TYPE_NARROWED if old.criterion == "allOf" else Kind.SUM_TYPE_NARROWED


def _distinct(combined: nodes.Combined) -> Sequence[Node]:
    """Members that say the same count once."""
    if not combined.distinct:
        kept: dict[tuple[object, ...], Node] = {}
        for member in combined.members:
            flavour = member.is_integer if isinstance(member, nodes.Numeric) else getattr(member, "criterion", None)
            kept.setdefault((type(member), flavour, value_key(member.raw)), member)
        combined.distinct = list(kept.values())
    return combined.distinct

"""One comparison of two schemas, from their roots down, through references that may lead back up.

Each pair of nodes is compared once a pass. A pair met again while it is being compared is taken for compatible, as a
recursion through the same two places adds nothing of its own; so is one too deep for Python's stack, which has its turn
later, from the top. Where that trust proves wrong, another pass begins in which those pairs are known not to fit; there
are only so many, so it ends, and the last pass is right.
"""

from __future__ import annotations

from riacho.schemas.json_schema import nodes
from riacho.schemas.json_schema.compare_arrays import compare_arrays
from riacho.schemas.json_schema.compare_combined import compare_combined
from riacho.schemas.json_schema.compare_objects import compare_objects
from riacho.schemas.json_schema.compare_values import (
    compare_constants,
    compare_enumerations,
    compare_notes,
    compare_numbers,
    compare_strings,
)
from riacho.schemas.json_schema.difference import COMPATIBLE, COMPATIBLE_LENIENT, Difference, Differences, Kind, under
from riacho.schemas.json_schema.nodes import Node, meaning

PAIRS_MAX = 100_000
DEPTH_MAX = 40  # each level costs some ten frames of Python's thousand
DIFFERENCES_MAX = 200  # of one pair: shared definitions would otherwise double them at each level

Pair = tuple[int, int]


class TooComplexError(Exception):
    """More pairs than anyone's schemas have."""


def differences_between(old: Node, new: Node, *, is_lenient: bool = False) -> Differences:
    """What a reader with `new` finds otherwise than a writer with `old` had it, harmless or not."""
    comparison = Comparison(COMPATIBLE_LENIENT if is_lenient else COMPATIBLE)
    while True:
        found = comparison.compare_roots(old, new)
        if not comparison.has_learnt():
            break
    if comparison.forgives([each for each in found if each.kind is not Kind.RECURSION_CHANGED]):
        return found
    return [difference for difference in found if difference.kind is not Kind.RECURSION_CHANGED]


class Comparison:
    def __init__(self, compatible: frozenset[Kind] = COMPATIBLE) -> None:
        self._compatible = compatible
        self._done: dict[Pair, Differences] = {}
        self._under_way: set[Pair] = set()
        self._trusted: set[Pair] = set()  # those that were taken for compatible before their time, in this pass
        self._postponed: list[tuple[Node, Node]] = []
        self._unfit: set[Pair] = set()
        self._pairs = 0
        self._kept: list[Node] = []  # as long as they live, their ids are theirs

    def compare_roots(self, old: Node, new: Node) -> Differences:
        found = self(old, new)
        while self._postponed:
            self(*self._postponed.pop())
        return found

    def forgives(self, differences: Differences) -> bool:
        return all(difference.kind in self._compatible for difference in differences)

    def has_learnt(self) -> bool:
        """After a pass: whether it trusted a pair that turned out not to fit. The next one will not."""
        wrong = {pair for pair in self._trusted if not self.forgives(self._done[pair])}
        self._unfit |= wrong
        self._trusted.clear()
        if wrong:
            self._done.clear()
        return bool(wrong)

    def __call__(self, old: Node | None, new: Node | None) -> Differences:
        if old is None or new is None:
            if old is new:
                return []
            return [Difference(Kind.SCHEMA_ADDED if old is None else Kind.SCHEMA_REMOVED)]
        old, new = meaning(old), meaning(new)
        pair = (id(old), id(new))
        if pair in self._done:
            return self._done[pair]
        is_too_deep = len(self._under_way) >= DEPTH_MAX
        if is_too_deep or pair in self._under_way:
            if pair in self._unfit:
                return [Difference(Kind.RECURSION_CHANGED)]
            self._trusted.add(pair)
            if is_too_deep and pair not in self._under_way:
                self._postponed.append((old, new))
            return []
        self._pairs += 1
        if self._pairs > PAIRS_MAX:
            raise TooComplexError
        self._kept += (old, new)
        self._under_way.add(pair)
        try:
            found = self._done[pair] = self._bounded(self._compare_pair(old, new))
        finally:
            self._under_way.discard(pair)
        return found

    def _compare_pair(self, old: Node, new: Node) -> Differences:
        if isinstance(old, nodes.Combined) != isinstance(new, nodes.Combined):
            found = self._compare_with_member(old, new)
            if found is not None:
                return found
        if type(old) is not type(new):
            if isinstance(old, nodes.Nothing) or isinstance(new, nodes.Empty):
                return []
            if old.notes.connect_type == new.notes.connect_type == "bytes":
                # Connect's decimals: string and number are two forms of the same bytes.
                return []
            return [Difference(Kind.TYPE_CHANGED)]
        return compare_notes(old.notes, new.notes) + self._compare_alike(old, new)

    def _compare_with_member(self, old: Node, new: Node) -> Differences | None:
        """A combination against something plain: one of its members may stand for it."""
        if isinstance(new, nodes.Combined):
            if len(new.members) == 1:
                return self._if_forgiven(self(old, new.members[0]))
            if new.criterion == "allOf":
                return None
            candidates, kind = ((old, member) for member in new.members), Kind.SUM_TYPE_EXTENDED
        else:
            assert isinstance(old, nodes.Combined)
            if len(old.members) == 1:
                return self._if_forgiven(self(old.members[0], new))
            if old.criterion != "allOf":
                return None
            candidates, kind = ((member, new) for member in old.members), Kind.PRODUCT_TYPE_NARROWED
        for was, becomes in candidates:
            found = self(was, becomes)
            if self.forgives(found):
                return [*found, Difference(kind)]
        return None

    def _compare_alike(self, old: Node, new: Node) -> Differences:
        match old, new:
            case nodes.String(), nodes.String():
                return compare_strings(old, new)
            case nodes.Numeric(), nodes.Numeric():
                return compare_numbers(old, new)
            case nodes.Enumeration(), nodes.Enumeration():
                return compare_enumerations(old, new)
            case nodes.Constant(), nodes.Constant():
                return compare_constants(old, new)
            case nodes.Negation(), nodes.Negation():
                # What may not be has changed places: the new one must not forbid more.
                is_narrower = self.forgives(self(new.child, old.child))
                kind = Kind.NOT_TYPE_NARROWED if is_narrower else Kind.NOT_TYPE_EXTENDED
                return under(("not",), [Difference(kind)])
            case nodes.Object(), nodes.Object():
                return compare_objects(old, new, self)
            case nodes.Array(), nodes.Array():
                return compare_arrays(old, new, self)
            case nodes.Combined(), nodes.Combined():
                return compare_combined(old, new, self)
        return []

    def _if_forgiven(self, found: Differences) -> Differences | None:
        return found if self.forgives(found) else None

    def _bounded(self, found: Differences) -> Differences:
        """Those that refuse first, when there are too many to keep."""
        if len(found) <= DIFFERENCES_MAX:
            return found
        return sorted(found, key=lambda difference: difference.kind in self._compatible)[:DIFFERENCES_MAX]

"""A schema as the comparison sees it: one node a type of value, several joined where the text says several things.

The registry does not compare texts but what its parser makes of them, so the shape here is that parser's: `{"type":
"string", "enum": ["a"]}` is the product of an enum and a string, a list of types is a sum, a keyword of strings without
any `type` makes a string node all the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from riacho.schemas.parsed import Json

Number = int | float


@dataclass(frozen=True, slots=True)
class Notes:
    """What says nothing about which values fit."""

    id: Json = None
    title: Json = None
    description: Json = None
    default: Json = None
    has_default: bool = False
    connect_type: Json = None  # what Kafka Connect's converter keeps there: its own name of the type


@dataclass(slots=True, eq=False, kw_only=True)
class Node:
    raw: Json = None  # what it was read from, to tell equal ones
    notes: Notes = Notes()


class Empty(Node):
    """Any value: `true`, `{}`."""


class Nothing(Node):
    """No value: `false`."""


class Boolean(Node):
    pass


class Null(Node):
    pass


class Conditional(Node):
    """`if`, whose parts the registry does not compare."""


@dataclass(slots=True, eq=False, kw_only=True)
class String(Node):
    min_length: Number | None = None
    max_length: Number | None = None
    pattern: str | None = None


@dataclass(slots=True, eq=False, kw_only=True)
class Numeric(Node):
    minimum: Number | None = None
    maximum: Number | None = None
    exclusive_minimum: Number | None = None
    exclusive_maximum: Number | None = None
    multiple_of: Number | None = None
    is_integer: bool = False


@dataclass(slots=True, eq=False, kw_only=True)
class Enumeration(Node):
    values: Sequence[Json] = ()


@dataclass(slots=True, eq=False, kw_only=True)
class Constant(Node):
    value: Json = None


@dataclass(slots=True, eq=False, kw_only=True)
class Negation(Node):
    child: Node


@dataclass(slots=True, eq=False, kw_only=True)
class Object(Node):
    properties: Mapping[str, Node] = field(default_factory=dict)
    required: frozenset[str] = frozenset()
    pattern_properties: Mapping[str, Node] = field(default_factory=dict)
    permits_additional: bool = True
    additional: Node | None = None
    unevaluated: Node | None = None
    property_dependencies: Mapping[str, frozenset[str]] = field(default_factory=dict)
    schema_dependencies: Mapping[str, Node] = field(default_factory=dict)
    min_properties: Number | None = None
    max_properties: Number | None = None


@dataclass(slots=True, eq=False, kw_only=True)
class Array(Node):
    all_items: Node | None = None
    items: Sequence[Node] = ()
    permits_additional: bool = True
    additional: Node | None = None
    unevaluated: Node | None = None
    min_items: Number | None = None
    max_items: Number | None = None
    min_contains: Number | None = None
    max_contains: Number | None = None
    needs_unique: bool = False


@dataclass(slots=True, eq=False, kw_only=True)
class Combined(Node):
    criterion: str  # allOf, anyOf, oneOf
    members: Sequence[Node]
    distinct: Sequence[Node] = ()  # the comparison's: those that say different things, once it has found out

    def __post_init__(self) -> None:
        # The registry's parser puts combined members first; their places are in the paths of differences.
        self.members = sorted(self.members, key=lambda member: not isinstance(member, Combined))


@dataclass(slots=True, eq=False, kw_only=True)
class Referred(Node):
    """A `$ref`: found when asked for, since it may lead back to where it stands."""

    find: Callable[[], Node]


def meaning(node: Node) -> Node:
    """What stands at the end of a chain of references; any value, when the chain bites its tail."""
    seen: set[int] = set()
    while isinstance(node, Referred):
        if id(node) in seen:
            return Empty()
        seen.add(id(node))
        node = node.find()
    return node

"""JSON Schema as columns: objects are structs, oneOf and anyOf unions whose branches have numbers for names.

The attributes are those by which Connect and Flink keep what JSON has no type for. A property that is not required may
be null. What stands behind a `$ref` is a named type.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from riacho.schemas.json_schema import nodes
from riacho.schemas.json_schema.nodes import Node, meaning
from riacho.schemas.json_schema.schema import JsonSchema
from riacho.schemas.json_text import write_json
from riacho.schemas.logical.annotations import hinted_name, key_type
from riacho.schemas.logical.json_defaults import is_default_of
from riacho.schemas.logical.merging import merged
from riacho.schemas.logical.naming import Naming
from riacho.schemas.logical.types import (
    LENGTH_MAX,
    Column,
    Kind,
    LogicalSchema,
    LogicalType,
    UnrepresentableError,
    array,
    decimal,
    enumeration,
    map_of,
    plain,
    sized,
    struct,
    temporal,
    union,
)
from riacho.schemas.parsed import Json

Raw = Mapping[str, Json]
_CONNECT_DATA = "org.apache.kafka.connect.data."
_NUMBERS = {
    "int8": Kind.TINYINT,
    "int16": Kind.SMALLINT,
    "int32": Kind.INT,
    "int64": Kind.BIGINT,
    "float32": Kind.FLOAT,
    "float64": Kind.DOUBLE,
}


def from_json_schema(schema: JsonSchema) -> LogicalSchema:
    naming = Naming()
    root = _Columns(naming, schema.is_modern).type_of(schema.root, False, 0)
    return naming.finish(root)


class _Columns:
    def __init__(self, naming: Naming, is_modern: bool) -> None:
        self._naming = naming
        self._is_modern = is_modern
        self._names: dict[int, str] = {}
        self._taken: set[str] = set()
        self._kept: list[Node] = []  # as long as they live, their ids are theirs

    def type_of(self, node: Node, is_nullable: bool, depth: int, within: Node | None = None) -> LogicalType:
        """`within` is the combination that it is a member of: what one JSON object says together is noted there."""
        self._naming.check(depth)
        raw = _raw(node) if within is None or within.raw is not node.raw else {}
        match node:
            case nodes.Boolean():
                return plain(Kind.BOOLEAN, is_nullable)
            case nodes.Numeric():
                return _number(node, raw).nullable(is_nullable)
            case nodes.String():
                return _string(node, raw).nullable(is_nullable)
            case nodes.Enumeration():
                return _enumeration(node.values, is_nullable)
            case nodes.Constant():
                return _enumeration([node.value], is_nullable)
            case nodes.Combined():
                return self._combined(node, raw, is_nullable, depth)
            case nodes.Array():
                return self._array(node, raw, is_nullable, depth)
            case nodes.Object():
                return self._object(node, raw, is_nullable, depth)
            case nodes.Empty():
                return plain(Kind.VARIANT, is_nullable)
            case nodes.Referred():
                return self._referred(node, is_nullable)
        raise UnrepresentableError(f"{type(node).__name__.lower()} by itself is no type of a column")

    def _referred(self, node: nodes.Referred, is_nullable: bool) -> LogicalType:
        target = node.find()
        name = self._names.get(id(target))
        if name is None:
            name = _definition(node)
            if name is None or name in self._taken:
                name = f"{name or 'Ref'}#{len(self._names)}"
            self._names[id(target)] = name
            self._taken.add(name)
            self._kept.append(target)
        return self._naming.named(name, lambda: self.type_of(target, False, 0), is_nullable)

    def _combined(self, node: nodes.Combined, raw: Raw, is_nullable: bool, depth: int) -> LogicalType:
        if node.criterion == "allOf":
            return self.type_of(merged(node), is_nullable, depth + 1, within=node)
        members = [member for member in node.members if not isinstance(meaning(member), nodes.Null)]
        has_null = len(members) < len(node.members)
        if has_null and len(members) == 1:
            return self.type_of(members[0], True, depth, within=node)
        branches = []
        for at, member in enumerate(members):
            name = hinted_name(raw.get("confluent:union"), at) or f"connect_union_field_{at}"
            branches.append(Column(name, self.type_of(member, True, depth + 1, within=node)))
        return union(branches, is_nullable or has_null)

    def _array(self, node: nodes.Array, raw: Raw, is_nullable: bool, depth: int) -> LogicalType:
        if node.all_items is None:
            raise UnrepresentableError("an array does not say what each of its items is")
        items = node.all_items
        if _connect_type(raw) != "map" or not isinstance(items, nodes.Object):
            return array(self.type_of(items, False, depth + 1), is_nullable)
        if not {"key", "value"} <= items.properties.keys():
            raise UnrepresentableError("the entries of a map are no objects of a key and a value")
        key, value = (self.type_of(items.properties[name], False, depth + 1) for name in ("key", "value"))
        return map_of(key, value, is_nullable, is_multiset=_is_multiset(raw))

    def _object(self, node: nodes.Object, raw: Raw, is_nullable: bool, depth: int) -> LogicalType:
        if _connect_type(raw) != "map":
            return struct(self._columns(node, depth), is_nullable)
        if node.additional is None:
            raise UnrepresentableError("a map does not say what its values are")
        value = self.type_of(node.additional, False, depth + 1)
        return map_of(key_type(raw), value, is_nullable, is_multiset=_is_multiset(raw))

    def _columns(self, node: nodes.Object, depth: int) -> list[Column]:
        columns = []
        for name, member in sorted(node.properties.items(), key=_place):
            column = self.type_of(member, name not in node.required, depth + 1)
            columns.append(Column(name, column, self._has_default(member, column)))
        return columns

    def _has_default(self, node: Node, column: LogicalType) -> bool:
        """Before the modern drafts, what stands beside a `$ref` says nothing."""
        if self._is_modern and isinstance(node, nodes.Referred) and _raw(node).get("default") is not None:
            return is_default_of(_raw(node)["default"], self._plain(node, column))
        default = _raw(meaning(node)).get("default")
        return default is not None and is_default_of(default, self._plain(node, column))

    def _plain(self, node: Node, column: LogicalType) -> LogicalType:
        """The column's type where that is a name for one that may have a default."""
        target = meaning(node)
        if column.kind is not Kind.NAMED or isinstance(target, nodes.Object | nodes.Array):
            return column
        return self.type_of(target, False, 0)


def _raw(node: Node) -> Raw:
    return node.raw if isinstance(node.raw, Mapping) else {}


def _place(named: tuple[str, Node]) -> tuple[bool, int, bytes]:
    """Connect keeps the order of its fields; those without a place follow by name, as Java orders them."""
    name, node = named
    index = _raw(node).get("connect.index")
    if index is not None and type(index) is not int:
        raise UnrepresentableError("connect.index is no integer")
    return index is None, index or 0, name.encode("utf-16-be", "surrogatepass")


def _definition(node: nodes.Referred) -> str | None:
    reference = str(_raw(node).get("$ref", ""))
    for marker in ("/$defs/", "/definitions/"):
        _, found, name = reference.partition(marker)
        if found and name and "/" not in name:
            return name
    return None


def _connect_type(raw: Raw) -> str:
    if "connect.type" not in raw:
        return ""
    value = raw["connect.type"]
    if not isinstance(value, str):
        raise UnrepresentableError("connect.type is no string")
    return value


def _is_multiset(raw: Raw) -> bool:
    return raw.get("flink.type") == "multiset"


def _number(node: nodes.Numeric, raw: Raw) -> LogicalType:
    connect, title = _connect_type(raw), raw.get("title")
    if not connect:
        return plain(Kind.BIGINT if node.is_integer else Kind.DOUBLE)
    if connect == "bytes" and title == f"{_CONNECT_DATA}Decimal":
        parameters = raw.get("connect.parameters", {})
        return decimal(_parameter(parameters, "connect.decimal.precision", 38), _parameter(parameters, "scale", 18))
    if connect == "int32" and title == f"{_CONNECT_DATA}Time":
        return temporal(Kind.TIME, _time_precision(raw))
    if connect == "int32" and title == f"{_CONNECT_DATA}Date":
        return plain(Kind.DATE)
    if connect == "int64" and title == f"{_CONNECT_DATA}Timestamp":
        return temporal(Kind.TIMESTAMP_LTZ, _time_precision(raw))
    if connect == "int64" and raw.get("flink.type") == "timestamp":
        return temporal(Kind.TIMESTAMP, _time_precision(raw))
    if connect not in _NUMBERS:
        raise UnrepresentableError(f"the connect.type {connect!a} is none of a number")
    return plain(_NUMBERS[connect])


def _string(node: nodes.String, raw: Raw) -> LogicalType:
    if _connect_type(raw) == "bytes":
        shortest, longest = (_integer(raw, f"flink.{name}") for name in ("minLength", "maxLength"))
        kinds = Kind.BINARY, Kind.VARBINARY
    else:
        shortest, longest = (None if each is None else int(each) for each in (node.min_length, node.max_length))
        kinds = Kind.CHAR, Kind.VARCHAR
    if longest is None:
        return sized(kinds[1], LENGTH_MAX)
    return sized(kinds[0] if shortest == longest else kinds[1], longest)


def _enumeration(values: Sequence[Json], is_nullable: bool) -> LogicalType:
    """Values of any type by their texts; null is none of them but says that there may be no value."""
    symbols = [value if isinstance(value, str) else write_json(value) for value in values if value is not None]
    if not symbols:
        raise UnrepresentableError("an enum or a const permits nothing but null")
    return enumeration(dict.fromkeys(symbols), is_nullable or None in values)


def _time_precision(raw: Raw) -> int:
    precision = _integer(raw, "flink.precision")
    return 3 if precision is None else precision


def _integer(raw: Raw, name: str) -> int | None:
    value = raw.get(name)
    if value is None or type(value) is int:
        return value
    raise UnrepresentableError(f"{name} is no integer")


def _parameter(parameters: Json, name: str, otherwise: int) -> int:
    """Connect's parameters are texts."""
    said = parameters.get(name) if isinstance(parameters, Mapping) else parameters
    if said is None:
        return otherwise
    try:
        return int(said) if isinstance(said, str) else int("")
    except ValueError:
        raise UnrepresentableError(f"the parameter {name} is no integer") from None

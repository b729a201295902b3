"""From JSON to types, as strict as Java's Avro 1.12 is.

Names are looked up in the enclosing namespace, then outside of any. A name may be used before it is defined, here or
in a reference: places that wait for a name are filled when all texts are read. What is not an attribute of its kind is
kept in `props`; an attribute of the wrong type that Java passes over (`doc`, `namespace`, an enum's `default`) is
passed over here too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import NamedTuple

from riacho.schemas.avro.defaults import DefaultCheck
from riacho.schemas.avro.equality import same_type
from riacho.schemas.avro.names import Name, check_name, check_namespace, name_of, shown
from riacho.schemas.avro.types import (
    MISSING,
    PRIMITIVES,
    Array,
    AvroType,
    EnumType,
    Fixed,
    Kind,
    MapType,
    NamedType,
    Record,
    RecordField,
    Union,
)
from riacho.schemas.json_text import read_json, write_json
from riacho.schemas.parsed import Json, SchemaError

SIZE_MAX = 2**31 - 1 - 8  # the largest array of bytes that a JVM can hold

_RESERVED = frozenset(("doc", "fields", "items", "name", "namespace", "size", "symbols", "values", "type", "aliases"))
_ENUM_RESERVED = _RESERVED | {"default"}
_FIELD_RESERVED = frozenset(("default", "doc", "name", "order", "type", "aliases"))
_ORDERS = ("ascending", "descending", "ignore")
_JAVA_DOUBLE = re.compile(r"[+-]?(NaN|Infinity|([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?[fFdD]?)")


class _Use(NamedTuple):
    """A place that names a type which was not known when it was read."""

    name: str
    bare: str
    fill: Callable[[AvroType], None]


class Parser:
    """Reads texts that build on each other. `finish` once all are read, before any of the types is used."""

    def __init__(self) -> None:
        self._named: dict[str, NamedType] = {}
        self._uses: list[_Use] = []
        self._again: list[tuple[NamedType, NamedType]] = []
        self._unions: list[Union] = []
        self._checked_fields: list[RecordField] = []
        self._validate_defaults = False
        self._root: list[AvroType] = []

    def read(self, text: str, validate_defaults: bool = False) -> Callable[[], AvroType]:
        """What is returned gives the type, after `finish`."""
        self._validate_defaults = validate_defaults
        roots, at = self._root, len(self._root)
        roots.append(_PLACEHOLDER)
        self._place(read_json(text), None, lambda found: roots.__setitem__(at, found))
        return lambda: roots[at]

    def finish(self) -> None:
        """SchemaError for names that nobody defined, and for what can only be seen once all is."""
        for use in self._uses:
            found = self._named.get(use.name) or self._named.get(use.bare)
            if found is None:
                raise SchemaError(f"Undefined schema: {shown(use.name)}")
            use.fill(found)
        seen: set[tuple[int, int]] = set()
        for first, second in self._again:
            if not same_type(first, second, seen):
                raise SchemaError(f"Can't redefine: {shown(first.name.full)}")
        for union in self._unions:
            _check_branches(union)
        check = DefaultCheck()
        for field in self._checked_fields:
            if not check.fits(field.type, field.default):
                mismatch = f"{shown(write_json(field.default))} not a {shown(field.type.label)}"
                raise SchemaError(f"Invalid default for field {shown(field.name)}: {mismatch}")

    def _place(self, json: Json, space: str | None, fill: Callable[[AvroType], None]) -> None:
        """Have the type put where it belongs, now or when its name is known."""
        if isinstance(json, str):
            self._place_named(json, space, fill)
        elif isinstance(json, list):
            fill(self._union(json, space))
        elif isinstance(json, dict):
            kind = _required_text(json, "type", "No type")
            read = _READERS.get(kind)
            if read is None:
                self._place_named(kind, space, fill, json)
            else:
                fill(read(self, json, space))
        else:
            raise SchemaError(f"Schema not yet supported: {shown(write_json(json))}")

    def _place_named(
        self, name: str, space: str | None, fill: Callable[[AvroType], None], json: dict[str, Json] | None = None
    ) -> None:
        if name in PRIMITIVES:
            fill(AvroType(kind=PRIMITIVES[name], props=_props(json, _RESERVED) if json else {}))
            return
        full = f"{space}.{name}" if space and "." not in name else name
        known = self._named.get(full) or self._named.get(name)
        if known is not None:
            fill(known)
        else:
            self._uses.append(_Use(full, name, fill))

    def _union(self, json: list[Json], space: str | None) -> Union:
        union = Union(kind=Kind.UNION, branches=[_PLACEHOLDER] * len(json))
        for at, branch in enumerate(json):
            self._place(branch, space, lambda found, at=at: union.branches.__setitem__(at, found))  # type: ignore[misc]
        self._unions.append(union)
        return union

    def _array(self, json: dict[str, Json], space: str | None) -> AvroType:
        if "items" not in json:
            raise SchemaError("Array has no items type")
        array = Array(kind=Kind.ARRAY, items=_PLACEHOLDER, props=_props(json, _RESERVED))
        self._place(json["items"], space, lambda found: setattr(array, "items", found))
        return array

    def _map(self, json: dict[str, Json], space: str | None) -> AvroType:
        if "values" not in json:
            raise SchemaError("Map has no values type")
        map_type = MapType(kind=Kind.MAP, values=_PLACEHOLDER, props=_props(json, _RESERVED))
        self._place(json["values"], space, lambda found: setattr(map_type, "values", found))
        return map_type

    def _fixed(self, json: dict[str, Json], space: str | None) -> AvroType:
        name, size = _name(json, space), json.get("size")
        if not isinstance(size, int) or isinstance(size, bool) or not 0 <= size <= SIZE_MAX:
            raise SchemaError(f"Invalid or no size of fixed {shown(name.full)}")
        fixed = Fixed(kind=Kind.FIXED, name=name, doc=_text(json, "doc"), size=size, props=_props(json, _RESERVED))
        return self._define(fixed, json)

    def _enum(self, json: dict[str, Json], space: str | None) -> AvroType:
        name, symbols = _name(json, space), json.get("symbols")
        if not isinstance(symbols, list):
            raise SchemaError(f"Enum {shown(name.full)} has no symbols")
        _check_symbols(name, symbols)
        default = _text(json, "default")
        if default is not None and default not in symbols:
            listed = shown(f"[{', '.join(symbols)}]")
            raise SchemaError(f"The Enum Default: {shown(default)} is not in the enum symbol set: {listed}")
        props = _props(json, _ENUM_RESERVED)
        enum = EnumType(
            kind=Kind.ENUM, name=name, doc=_text(json, "doc"), symbols=symbols, default=default, props=props
        )
        return self._define(enum, json)

    def _record(self, json: dict[str, Json], space: str | None) -> AvroType:
        name, fields = _name(json, space), json.get("fields")
        if not isinstance(fields, list):
            raise SchemaError(f"Record {shown(name.full)} has no fields")
        record = Record(kind=Kind.RECORD, name=name, doc=_text(json, "doc"), is_error=json["type"] == "error")
        record.props = _props(json, _RESERVED)
        # Before its fields are read, since these may use it.
        self._define(record, json)
        for field_json in fields:
            field = self._field(field_json, name)
            if field.name in record.by_name:
                raise SchemaError(f"Duplicate field {shown(field.name)} in record {shown(name.full)}")
            record.by_name[field.name] = field
            record.fields.append(field)
        return record

    def _field(self, json: Json, record: Name) -> RecordField:
        if not isinstance(json, dict):
            raise SchemaError(f"No field name in record {shown(record.full)}: {shown(write_json(json))}")
        name = _required_text(json, "name", f"No field name in record {shown(record.full)}")
        check_name(name)
        if "type" not in json:
            raise SchemaError(f"No field type: {shown(name)} in record {shown(record.full)}")
        field = RecordField(name=name, type=_PLACEHOLDER, doc=_text(json, "doc"), default=json.get("default", MISSING))
        self._place(json["type"], record.space, lambda found: setattr(field, "type", found))
        if field.type.kind in (Kind.FLOAT, Kind.DOUBLE) and isinstance(field.default, str):
            field.default = _java_double(name, field.default)
        field.order = _order(name, json.get("order", "ascending"))
        field.aliases = list(_aliases(json))
        field.props = _props(json, _FIELD_RESERVED)
        if self._validate_defaults and field.has_default:
            self._checked_fields.append(field)
        return field

    def _define(self, named: NamedType, json: dict[str, Json]) -> NamedType:
        full = named.name.full
        if full in PRIMITIVES:
            raise SchemaError(f"Schemas may not be named after primitives: {full}")
        check_namespace(named.name.space)
        named.aliases = list(dict.fromkeys(name_of(alias, named.name.space) for alias in _aliases(json)))
        first = self._named.setdefault(full, named)
        if first is not named:
            self._again.append((first, named))
        return named


_PLACEHOLDER = AvroType(kind=Kind.NULL)
_READERS: dict[str, Callable[[Parser, dict[str, Json], str | None], AvroType]] = {
    "record": Parser._record,
    "error": Parser._record,
    "enum": Parser._enum,
    "fixed": Parser._fixed,
    "array": Parser._array,
    "map": Parser._map,
}


def _check_symbols(enum: Name, symbols: list[Json]) -> None:
    seen = set()
    for symbol in symbols:
        if not isinstance(symbol, str):
            raise SchemaError(f"Enum {shown(enum.full)} has a symbol that is not a string: {shown(write_json(symbol))}")
        check_name(symbol)
        if symbol in seen:
            raise SchemaError(f"Duplicate enum symbol: {shown(symbol)}")
        seen.add(symbol)


def _check_branches(union: Union) -> None:
    labels = set()
    for branch in union.branches:
        if branch.kind is Kind.UNION:
            raise SchemaError("Nested union: a union may not be a branch of another")
        if branch.label in labels:
            raise SchemaError(f"Duplicate in union: {shown(branch.label)}")
        labels.add(branch.label)


def _props(json: dict[str, Json], reserved: frozenset[str]) -> dict[str, Json]:
    return {key: value for key, value in json.items() if key not in reserved}


def _name(json: dict[str, Json], space: str | None) -> Name:
    own = _text(json, "namespace")
    return name_of(_required_text(json, "name", "No name in schema"), space if own is None else own)


def _text(json: dict[str, Json], key: str) -> str | None:
    value = json.get(key)
    return value if isinstance(value, str) else None


def _required_text(json: dict[str, Json], key: str, error: str) -> str:
    value = json.get(key)
    if not isinstance(value, str):
        raise SchemaError(f"{error}: {shown(write_json(json))}")
    return value


def _aliases(json: dict[str, Json]) -> Iterable[str]:
    aliases = json.get("aliases", [])
    if not isinstance(aliases, list):
        raise SchemaError(f"aliases not an array: {shown(write_json(aliases))}")
    for alias in aliases:
        if not isinstance(alias, str):
            raise SchemaError(f"alias not a string: {shown(write_json(alias))}")
    return dict.fromkeys(aliases)


def _order(field: str, order: Json) -> str:
    if not isinstance(order, str) or order.lower() not in _ORDERS:
        raise SchemaError(f"Field {shown(field)} has an order that is none: {shown(write_json(order))}")
    return order.lower()


def _java_double(field: str, text: str) -> float:
    """`"NaN"` and the like as default of a float: JSON has no number for them."""
    if not _JAVA_DOUBLE.fullmatch(text.strip()):
        raise SchemaError(f"Invalid default for field {shown(field)}: {shown(write_json(text))} not a number")
    return float(text.strip().rstrip("fFdD"))

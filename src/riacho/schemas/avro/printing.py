"""A type as text, in the words and the order of Java's `Schema.toString()`: the registry's canonical text."""

from __future__ import annotations

from collections.abc import Iterable

from riacho.schemas.avro.types import Array, AvroType, EnumType, Fixed, MapType, NamedType, Record, RecordField, Union
from riacho.schemas.json_text import write_json, write_string
from riacho.schemas.parsed import SchemaError

# Types inside types, once each name is written out at its first use. What is printed is walked again by others, on
# stacks that may already be deep.
DEPTH_MAX = 120


def print_type(avro_type: AvroType, known: Iterable[str] = ()) -> str:
    """`known` are full names that are defined elsewhere, and so appear by name only."""
    parts: list[str] = []
    _Printer(set(known), parts).type(avro_type, None, 0)
    return "".join(parts)


class _Printer:
    def __init__(self, known: set[str], parts: list[str]) -> None:
        self._known = known
        self._parts = parts

    def type(self, avro_type: AvroType, space: str | None, depth: int) -> None:
        if depth > DEPTH_MAX:
            raise SchemaError(f"Types are nested more than {DEPTH_MAX} deep")
        parts = self._parts
        if isinstance(avro_type, NamedType):
            self._named(avro_type, space, depth)
        elif isinstance(avro_type, Union):
            parts.append("[")
            for at, branch in enumerate(avro_type.branches):
                if at:
                    parts.append(",")
                self.type(branch, space, depth + 1)
            parts.append("]")
        elif isinstance(avro_type, Array | MapType):
            inner = avro_type.items if isinstance(avro_type, Array) else avro_type.values
            parts.append('{"type":"array","items":' if isinstance(avro_type, Array) else '{"type":"map","values":')
            self.type(inner, space, depth + 1)
            self._props(avro_type.props)
            parts.append("}")
        elif avro_type.props:
            parts.append(f'{{"type":"{avro_type.kind.value}"')
            self._props(avro_type.props)
            parts.append("}")
        else:
            parts.append(f'"{avro_type.kind.value}"')

    def _named(self, named: NamedType, space: str | None, depth: int) -> None:
        name, parts = named.name, self._parts
        if name.full in self._known:
            parts.append(write_string(name.within(space)))
            return
        self._known.add(name.full)
        kind = "error" if isinstance(named, Record) and named.is_error else named.kind.value
        parts.append(f'{{"type":"{kind}","name":{write_string(name.simple)}')
        if name.space != space:
            parts.append(f',"namespace":{write_string(name.space or "")}')
        if named.doc is not None:
            parts.append(f',"doc":{write_string(named.doc)}')
        self._body(named, depth)
        self._props(named.props)
        if named.aliases:
            parts.append(f',"aliases":{write_json([alias.within(name.space) for alias in named.aliases])}')
        parts.append("}")

    def _body(self, named: NamedType, depth: int) -> None:
        if isinstance(named, Record):
            self._parts.append(',"fields":[')
            for at, field in enumerate(named.fields):
                if at:
                    self._parts.append(",")
                self._field(field, named.name.space, depth)
            self._parts.append("]")
        elif isinstance(named, EnumType):
            self._parts.append(f',"symbols":{write_json(list(named.symbols))}')
            if named.default is not None:
                self._parts.append(f',"default":{write_string(named.default)}')
        elif isinstance(named, Fixed):
            self._parts.append(f',"size":{named.size}')

    def _field(self, field: RecordField, space: str | None, depth: int) -> None:
        parts = self._parts
        parts.append(f'{{"name":{write_string(field.name)},"type":')
        self.type(field.type, space, depth + 1)
        if field.doc is not None:
            parts.append(f',"doc":{write_string(field.doc)}')
        if field.has_default:
            parts.append(f',"default":{write_json(field.default)}')
        if field.order != "ascending":
            parts.append(f',"order":"{field.order}"')
        if field.aliases:
            parts.append(f',"aliases":{write_json(list(field.aliases))}')
        self._props(field.props)
        parts.append("}")

    def _props(self, props: dict[str, object]) -> None:
        self._parts.extend(f",{write_string(key)}:{write_json(value)}" for key, value in props.items())

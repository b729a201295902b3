"""Why a reader's schema cannot read what a writer's wrote: Avro's rules of resolution, as SchemaCompatibility has them.

The kinds of incompatibility, the places they are reported at and the order they come in are those of that Java class,
so that a client which looks for them in the registry's answer finds them. Two of its traits follow: types match by
their simple name, the namespace being passed over; and below a union a place is given from the branch on, not from the
root.
"""

from __future__ import annotations

from typing import NamedTuple

from riacho.schemas.avro.printing import print_type
from riacho.schemas.avro.types import (
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

# A shared type with a fault is reported at each of its uses; uses of uses multiply.
DIFFERENCES_MAX = 1_000
# Of types that are compared: unions of types of one name multiply them.
PAIRS_MAX = 100_000

_PROMOTIONS = {
    Kind.LONG: (Kind.INT,),
    Kind.FLOAT: (Kind.INT, Kind.LONG),
    Kind.DOUBLE: (Kind.INT, Kind.LONG, Kind.FLOAT),
    Kind.BYTES: (Kind.STRING,),
    Kind.STRING: (Kind.BYTES,),
}


class Incompatibility(NamedTuple):
    """`info` is what differs, `path` where in the reader's schema, as a JSON pointer."""

    kind: str
    path: str
    info: str


class AmbiguousField(Exception):
    """A field of the reader that, by its aliases, is several fields of the writer."""


class TooManyPairs(Exception):
    """More than anyone's schemas have."""


def incompatibilities(reader: AvroType, writer: AvroType) -> list[Incompatibility]:
    """AmbiguousField when the question has no answer; RecursionError when the types go deeper than the stack,
    TooManyPairs when they are too many."""
    return _Comparison().of(reader, writer, ())


class _Comparison:
    """Remembers each pair of types. Those in progress are compatible until proven otherwise: types may be recursive."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, int], list[Incompatibility]] = {}
        self._branches: dict[int, dict[object, list[AvroType]]] = {}

    def of(self, reader: AvroType, writer: AvroType, path: tuple[str, ...]) -> list[Incompatibility]:
        pair = (id(reader), id(writer))
        found = self._known.get(pair)
        if found is None:
            if len(self._known) >= PAIRS_MAX:
                raise TooManyPairs
            self._known[pair] = []
            found = self._known[pair] = self._compare(reader, writer, path)[:DIFFERENCES_MAX]
        return found

    def _compare(self, reader: AvroType, writer: AvroType, path: tuple[str, ...]) -> list[Incompatibility]:
        match reader, writer:
            case Union(), Union():
                return self._unions(reader, writer, path)
            case _, Union():
                found: list[Incompatibility] = []
                for at, branch in enumerate(writer.branches):
                    found = _joined(found, self.of(reader, branch, (*path, str(at))))
                return found
            case Union(), _:
                if any(not self.of(branch, writer, ()) for branch in self._candidates(reader, writer)):
                    return []
                return [_lacking(writer, path)]
            case Array(), Array():
                return self.of(reader.items, writer.items, (*path, "items"))
            case MapType(), MapType():
                return self.of(reader.values, writer.values, (*path, "values"))
            case Fixed(), Fixed():
                return _names(reader, writer, path) + _sizes(reader, writer, path)
            case EnumType(), EnumType():
                return _names(reader, writer, path) + _symbols(reader, writer, path)
            case Record(), Record():
                return _joined(_names(reader, writer, path), self._fields(reader, writer, path))
        if reader.kind is writer.kind or writer.kind in _PROMOTIONS.get(reader.kind, ()):
            return []
        message = f"reader type: {reader.kind.name} not compatible with writer type: {writer.kind.name}"
        return [Incompatibility("TYPE_MISMATCH", _pointer(path), message)]

    def _unions(self, reader: Union, writer: Union, path: tuple[str, ...]) -> list[Incompatibility]:
        return [
            _lacking(branch, (*path, str(at)))
            for at, branch in enumerate(writer.branches)
            if self.of(reader, branch, ())
        ]

    def _candidates(self, reader: Union, writer: AvroType) -> list[AvroType]:
        """Those branches whose kind and name do not say already that they cannot: of a large union, one or none."""
        index = self._branches.get(id(reader))
        if index is None:
            index = self._branches[id(reader)] = {}
            for branch in reader.branches:
                for key in _branch_keys(branch):
                    index.setdefault(key, []).append(branch)
        if isinstance(writer, NamedType):
            keys: list[object] = [(writer.kind, writer.name.simple), (writer.kind, "alias", writer.name.full)]
        else:
            keys = [writer.kind, *(kind for kind, taken in _PROMOTIONS.items() if writer.kind in taken)]
        return [branch for key in keys for branch in index.get(key, ())]

    def _fields(self, reader: Record, writer: Record, path: tuple[str, ...]) -> list[Incompatibility]:
        found: list[Incompatibility] = []
        for at, field in enumerate(reader.fields):
            here = (*path, "fields", str(at))
            written = _written_field(field, at, writer)
            if written is not None:
                found = _joined(found, self.of(field.type, written.type, (*here, "type")))
            elif not field.has_default:
                if isinstance(field.type, EnumType) and field.type.default is not None:
                    # An enum's own default is for symbols that are not known, not for fields that are not there.
                    found = _joined(found, self.of(field.type, writer, (*here, "type")))
                else:
                    missing = Incompatibility("READER_FIELD_MISSING_DEFAULT_VALUE", _pointer(here), field.name)
                    found = _joined(found, [missing])
        return found


def _written_field(field: RecordField, at: int, writer: Record) -> RecordField | None:
    found = [writer.by_name[name] for name in (field.name, *field.aliases) if name in writer.by_name]
    if len(found) > 1:
        field_text = f"Reader record field {field.name} type:{field.type.kind.name} pos:{at}"
        raise AmbiguousField(f"{field_text} matches multiple fields in writer record schema {print_type(writer)}")
    return found[0] if found else None


def _names(reader: NamedType, writer: NamedType, path: tuple[str, ...]) -> list[Incompatibility]:
    if reader.name.simple == writer.name.simple or writer.name.full in reader.alias_names():
        return []
    return [Incompatibility("NAME_MISMATCH", _pointer((*path, "name")), f"expected: {writer.name.full}")]


def _sizes(reader: Fixed, writer: Fixed, path: tuple[str, ...]) -> list[Incompatibility]:
    if reader.size == writer.size:
        return []
    message = f"expected: {writer.size}, found: {reader.size}"
    return [Incompatibility("FIXED_SIZE_MISMATCH", _pointer((*path, "size")), message)]


def _symbols(reader: EnumType, writer: EnumType, path: tuple[str, ...]) -> list[Incompatibility]:
    missing = sorted(set(writer.symbols) - set(reader.symbols))
    if not missing or reader.default is not None:
        return []
    return [Incompatibility("MISSING_ENUM_SYMBOLS", _pointer((*path, "symbols")), f"[{', '.join(missing)}]")]


def _branch_keys(branch: AvroType) -> list[object]:
    if not isinstance(branch, NamedType):
        return [branch.kind]
    return [(branch.kind, branch.name.simple), *((branch.kind, "alias", name) for name in branch.alias_names())]


def _lacking(writer: AvroType, path: tuple[str, ...]) -> Incompatibility:
    message = f"reader union lacking writer type: {writer.kind.name}"
    return Incompatibility("MISSING_UNION_BRANCH", _pointer(path), message)


def _joined(found: list[Incompatibility], more: list[Incompatibility]) -> list[Incompatibility]:
    return found if not more else (found + more)[:DIFFERENCES_MAX]


def _pointer(path: tuple[str, ...]) -> str:
    return "/" + "/".join(path)

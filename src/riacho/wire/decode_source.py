"""Writes the decoder of one message in one version as a single Python function.

Nested structs become nested loops of that one function. The function may run past the end of its input only by adding
to `p`: slices then come out short, the next fixed read or index fails, and the last line compares `p` with the end. So
lengths need no check of their own, save that they are not negative; counts are checked before anything is built.

Strings are cut from `d`, which is `bytes` for small inputs (the fastest to cut); records from `v`, a view of the
caller's own buffer, so they are never copied. A large memoryview is not copied either: a second function, compiled when
one first comes, cuts strings from the view.

A request comes from anybody, and each of its elements becomes an object, however few bytes it took: `room` is how many
more of them it may have, over all of its arrays and tagged fields.
"""

from __future__ import annotations

from collections.abc import Callable
from struct import Struct as Packed
from struct import calcsize, unpack_from
from typing import Any, TypeVar

from riacho.wire.schema import Buffer, Field, Message, WireStruct
from riacho.wire.source import FORMATS, SMALL_ARRAY, Source, default_of, fixed_size, present_fields, tagged_fields

M = TypeVar("M", bound=Message)
Decoder = Callable[[Buffer, int], tuple[M, int]]

# Elements of a request, in all of its arrays: more than clients ask for at a time, decoded in a tenth of a second.
REQUEST_ITEMS_MAX = 200_000
# Each partition of a produce request costs more than elements of others do.
_ITEMS_MAX = {"ProduceRequest": 10_000}
# Above this size a copy of the input costs more than cutting strings from bytes saves.
COPIED_SIZE_BYTES_MAX = 4096


class DecodeSource(Source):
    def __init__(self, version: int, flexible: bool, from_view: bool) -> None:
        super().__init__(version, flexible)
        self._text = "str(d[p:e], 'utf-8')" if from_view else "d[p:e].decode()"
        self._pending: list[tuple[str, str]] = []
        # Whether elements are counted against `room`.
        self.is_bounded = False
        self.names["unpack_from"] = unpack_from
        self.uses_view = False

    def settle(self) -> None:
        """Emit the pending run of fixed-size reads."""
        if not self._pending:
            return
        formats = "".join(f for f, _ in self._pending)
        targets = [target for _, target in self._pending]
        self._pending.clear()
        if formats == "B":
            self.emit(f"{targets[0]} = d[p]")
        else:
            self.emit(f"{', '.join(targets)}, = {self.struct_method(formats, 'unpack_from')}(d, p)")
        self.emit(f"p += {calcsize('>' + formats)}")

    def count(self, n: str) -> None:
        """Take as many elements from what the request may have."""
        if self.is_bounded:
            self.emit(f"room -= {n}")
            with self.block("if room < 0:"):
                self.emit("raise_many()")

    def struct(self, cls: type[WireStruct]) -> str:
        """Read one struct's fields; gives the expression that builds it. Its last reads may still be pending."""
        values: dict[str, str] = {}
        for field in present_fields(cls, self.version):
            values[field.name] = self.field(field, cls)
        if self.flexible:
            self.tagged_section(cls, values)
        arguments = [values.get(field.name) for field in cls.FIELDS]
        while arguments and arguments[-1] is None:
            arguments.pop()
        for index, argument in enumerate(arguments):
            if argument is None:
                arguments[index] = self.default(cls.FIELDS[index])
        return f"{self.class_name(cls)}({', '.join(map(str, arguments))})"

    def class_name(self, cls: type[WireStruct]) -> str:
        self.names[cls.__name__] = cls
        return cls.__name__

    def default(self, field: Field) -> str:
        value = default_of(field)
        return f"{self.class_name(type(value))}()" if isinstance(value, WireStruct) else repr(value)

    def field(self, field: Field, owner: type[WireStruct]) -> str:
        """Read one field; gives the variable that holds it."""
        target = self.fresh("x")
        label = f"{owner.__name__}.{field.name}"
        if fixed_size(field) is not None:
            self._pending.append((FORMATS[str(field.type)], target))
        elif field.array:
            self.array(field, target, label)
        elif isinstance(field.type, str):
            self.sized(field, target, label)
        elif field.is_nullable_in(self.version):
            self.nullable_struct(field.type, target, "<= 0" if self.is_tagged_nullable_struct(field) else "< 0")
        else:
            # The struct's own reads settle before the value is built.
            built = self.struct(field.type)
            self.settle()
            self.emit(f"{target} = {built}")
        return target

    def nullable_struct(self, cls: type[WireStruct], target: str, is_null: str) -> None:
        presence = self.fresh("n")
        self._pending.append(("b", presence))
        self.settle()
        with self.block(f"if {presence} {is_null}:"):
            self.emit(f"{target} = None")
        with self.block("else:"):
            built = self.struct(cls)
            self.settle()
            self.emit(f"{target} = {built}")

    def length(self, field: Field, target: str, label: str, old_format: str, read_long: str) -> str:
        """Read a length or count into a variable; null is dealt with, and the caller's `else:` block is the rest."""
        n = self.fresh("n")
        compact = self.is_compact(field)
        self._pending.append(("B" if compact else old_format, n))
        self.settle()
        if compact:
            with self.block(f"if {n} > 127:"):
                self.long_length(field, n, read_long)
        null = f"not {n}" if compact else f"{n} < 0"
        with self.block(f"if {null}:"):
            self.emit(f"{target} = None" if field.is_nullable_in(self.version) else f"raise_null({label!r})")
        return n

    def long_length(self, field: Field, n: str, read_long: str) -> None:
        """The rest of a varint. Two bytes are the usual length of records and of bytes, so those need no call."""
        if field.type not in ("records", "bytes") or field.array:
            self.emit(f"{n}, p = {read_long}(d, p - 1)")
            return
        with self.block("if d[p] < 128:"):
            self.emit(f"{n} += (d[p] << 7) - 128")
            self.emit("p += 1")
        with self.block("else:"):
            self.emit(f"{n}, p = {read_long}(d, p - 1)")

    def sized(self, field: Field, target: str, label: str) -> None:
        """Strings, bytes and records: a length, then that many bytes."""
        is_string = field.type == "string"
        long = "read_string_length" if is_string else "read_unsigned_varint"
        n = self.length(field, target, label, "h" if is_string else "i", long)
        with self.block("else:"):
            self.emit(f"e = p + {n} - 1" if self.is_compact(field) else f"e = p + {n}")
            if is_string:
                self.emit(f"{target} = {self._text}")
            elif field.type == "records":
                self.uses_view = True
                self.emit(f"{target} = v[p:e]")
            else:
                self.emit(f"{target} = bytes(d[p:e])")
            self.emit("p = e")

    def array(self, field: Field, target: str, label: str) -> None:
        n = self.length(field, target, label, "i", "read_unsigned_varint")
        with self.block("else:"):
            if self.is_compact(field):
                self.emit(f"{n} -= 1")
            with self.block(f"if {n} * {self.element_size_min(field)} > end - p:"):
                self.emit("raise_short()")
            self.count(n)
            if field.type == "uuid":
                self.emit(f"e = p + 16 * {n}")
                self.emit(f"{target} = [bytes(d[i : i + 16]) for i in range(p, e, 16)]")
                self.emit("p = e")
            elif isinstance(field.type, str) and field.type in FORMATS:
                self.number_array(field.type, n, target)
            else:
                self.element_loop(field, n, target, label)

    def number_array(self, type_name: str, n: str, target: str) -> None:
        code = FORMATS[type_name]
        table = f"unpackers_{code}"
        if table not in self.names:
            self.names[table] = [Packed(f">{count}{code}").unpack_from for count in range(SMALL_ARRAY)]
        with self.block(f"if {n} < {SMALL_ARRAY}:"):
            self.emit(f"{target} = [*{table}[{n}](d, p)]")
        with self.block("else:"):
            self.emit(f"{target} = [*unpack_from(f'>{{{n}}}{code}', d, p)]")
        self.emit(f"p += {n} * {calcsize('>' + code)}")

    def element_loop(self, field: Field, n: str, target: str, label: str) -> None:
        self.emit(f"{target} = []")
        with self.block(f"for _ in range({n}):"):
            if isinstance(field.type, str):
                element = self.fresh("x")
                self.sized(Field(field.name, field.type, flexible=field.flexible), element, label)
            else:
                element = self.struct(field.type)
                self.settle()
            self.emit(f"{target}.append({element})")

    def tagged_section(self, cls: type[WireStruct], values: dict[str, str]) -> None:
        fields = tagged_fields(cls, self.version)
        n = self.fresh("n")
        self._pending.append(("B", n))
        self.settle()
        if not fields:
            with self.block(f"if {n}:"):
                self.count(n)
                self.emit("p = skip_tagged_fields(d, p - 1, end)")
            return
        for field in fields:
            values[field.name] = self.fresh("x")
            self.emit(f"{values[field.name]} = {self.default(field)}")
        with self.block(f"if {n}:"):
            with self.block(f"if {n} > 127:"):
                self.emit(f"{n}, p = read_unsigned_varint(d, p - 1)")
            self.count(n)
            with self.block(f"for _ in range({n}):"):
                self.tagged_field(cls, fields, values)

    def tagged_field(self, cls: type[WireStruct], fields: list[Field], values: dict[str, str]) -> None:
        tag, stop = self.fresh("t"), self.fresh("q")
        self.emit(f"{tag}, p = read_unsigned_varint(d, p)")
        self.emit(f"{stop}, p = read_unsigned_varint(d, p)")
        self.emit(f"{stop} += p")
        with self.block(f"if {stop} > end:"):
            self.emit("raise_short()")
        for index, field in enumerate(fields):
            with self.block(f"{'el' if index else ''}if {tag} == {field.tag}:"):
                value = self.field(field, cls)
                self.settle()
                self.emit(f"{values[field.name]} = {value}")
                with self.block(f"if p != {stop}:"):
                    self.emit(f"raise_tag_size({f'{cls.__name__}.{field.name}'!r})")
        with self.block("else:"):
            self.emit(f"p = {stop}")

    def element_size_min(self, field: Field) -> int:
        """The fewest bytes of one element; at least 1, as Kafka holds a count against the bytes that remain."""
        if isinstance(field.type, str):
            if field.type in FORMATS:
                return calcsize(">" + FORMATS[field.type])
            return 1 if self.is_compact(field) else {"string": 2}.get(field.type, 4)
        return max(1, self.struct_size_min(field.type))

    def struct_size_min(self, cls: type[WireStruct]) -> int:
        return sum(map(self.field_size_min, present_fields(cls, self.version))) + (1 if self.flexible else 0)

    def field_size_min(self, field: Field) -> int:
        fixed = fixed_size(field)
        if fixed is not None:
            return fixed
        if field.array or isinstance(field.type, str):
            return 1 if self.is_compact(field) else (2 if field.type == "string" and not field.array else 4)
        return 1 if field.is_nullable_in(self.version) else self.struct_size_min(field.type)


def compile_decoder(cls: type[M], version: int, flexible: bool) -> Decoder[M]:
    source = DecodeSource(version, flexible, from_view=False)
    view_decoder: list[Decoder[M]] = []

    def decode_view(buffer: Buffer, position: int) -> tuple[M, int]:
        if not view_decoder:
            view_decoder.append(_compile(cls, DecodeSource(version, flexible, from_view=True), ["d = b"]))
        return view_decoder[0](buffer, position)

    source.names["decode_view"] = decode_view
    start = [
        f"if end <= {COPIED_SIZE_BYTES_MAX}:",
        "    d = bytes(b)",
        "elif type(b) is memoryview:",
        "    return decode_view(b, p)",
        "else:",
        "    d = b",
    ]
    return _compile(cls, source, start)


def _compile(cls: type[M], source: DecodeSource, start: list[str]) -> Decoder[M]:
    if cls.NAME.endswith("Request"):
        source.is_bounded = True
        start = [*start, f"room = {_ITEMS_MAX.get(cls.NAME, REQUEST_ITEMS_MAX)}"]
    built = source.struct(cls)
    source.settle()
    if source.uses_view:
        start = [*start, "v = memoryview(b)"]
    source.lines[:0] = ["        " + line for line in ("end = len(b)", *start)]
    last = ["if p > end:", "    raise_short()", f"return {built}, p"]
    caught = "StructError, IndexError, UnicodeDecodeError"
    function: Any = source.function("b, p", f"{cls.NAME} v{source.version}", last, caught)
    decoder: Decoder[M] = function
    return decoder

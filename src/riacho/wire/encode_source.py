"""Writes the encoder of one message in one version as a single Python function that appends to a bytearray.

Fixed-size fields in a row leave in one `pack`, together with the length that follows them and with the zero byte that
ends a flexible struct without tagged fields (a pad byte of the format).
"""

from __future__ import annotations

from collections.abc import Callable
from struct import Struct as Packed
from struct import pack
from typing import Any, TypeVar

from riacho.wire.schema import Field, Message, Splice, WireStruct
from riacho.wire.source import FORMATS, SMALL_ARRAY, Source, default_of, fixed_size, present_fields, tagged_fields

M = TypeVar("M", bound=Message)
Splices = list[tuple[int, Splice]]
Encoder = Callable[[M, bytearray, Splices | None], None]

IN_MEMORY = frozenset((bytes, bytearray, memoryview))


class EncodeSource(Source):
    def __init__(self, version: int, flexible: bool) -> None:
        super().__init__(version, flexible)
        self._out = "out"
        self._pending: list[tuple[str, str]] = []
        self.names |= {"pack": pack, "IN_MEMORY": IN_MEMORY, "add_splice": add_splice}

    def settle(self) -> None:
        if self._pending:
            self.emit(f"{self._out} += {self.packed(self._pending)}")
            self._pending.clear()

    def packed(self, run: list[tuple[str, str]]) -> str:
        formats = "".join(f for f, _ in run)
        arguments = ", ".join(value for f, value in run if f != "x")
        return f"{self.struct_method(formats, 'pack')}({arguments})" if arguments else repr(bytes(len(run)))

    def struct(self, cls: type[WireStruct], value: str) -> None:
        for field in cls.FIELDS:
            if not field.is_in(self.version) and not field.ignorable:
                with self.block(f"if {self.differs(field, f'{value}.{field.name}')}:"):
                    self.emit(f"raise_lacking({f'{cls.__name__}.{field.name}'!r})")
        for field in present_fields(cls, self.version):
            self.field(field, f"{value}.{field.name}", f"{cls.__name__}.{field.name}")
        if self.flexible:
            self.tagged_section(cls, value)

    def differs(self, field: Field, value: str) -> str:
        """An expression that is true when the field does not hold its default."""
        default = default_of(field)
        if self.is_tagged_nullable_struct(field):
            # Kafka takes a missing one for an empty struct, whatever default is declared: null has to be said.
            assert not isinstance(field.type, str)
            return f"{value} != {self.constant('default', field.type())}"
        if default is None:
            return f"{value} is not None"
        if field.array:
            return f"({value} is None or len({value}))" if field.nullable else value
        if isinstance(default, bool):
            return f"not {value}" if default else value
        if isinstance(default, WireStruct):
            return f"{value} != {self.constant('default', default)}"
        return f"{value} != {default!r}"

    def field(self, field: Field, value: str, label: str) -> None:
        if fixed_size(field) is not None:
            self.check_uuid(field, value)
            self._pending.append((FORMATS[str(field.type)], value))
        elif field.array:
            self.array(field, value, label)
        elif field.type == "records":
            self.records(field, value, label)
        elif isinstance(field.type, str):
            self.sized(field, value, label)
        elif field.is_nullable_in(self.version):
            self.nullable_struct(field.type, value, 0 if self.is_tagged_nullable_struct(field) else 255)
        else:
            s = self.fresh("s")
            self.emit(f"{s} = {value}")
            self.struct(field.type, s)

    def check_uuid(self, field: Field, value: str) -> None:
        """`pack` would cut or pad a uuid in silence."""
        if field.type == "uuid":
            with self.block(f"if len({value}) != 16:"):
                self.emit("raise_uuid_size()")

    def nullable_struct(self, cls: type[WireStruct], value: str, null: int) -> None:
        s = self.fresh("s")
        self.settle()
        self.emit(f"{s} = {value}")
        with self.block(f"if {s} is None:"):
            self.emit(f"{self._out}.append({null})")
        with self.block("else:"):
            self._pending.append(("b", "1"))
            self.struct(cls, s)
            self.settle()

    def put_length(self, field: Field, n: str, old_format: str) -> None:
        """Write a length that `n` holds as it travels: one more than the length where it is compact."""
        if not self.is_compact(field):
            self._pending.append((old_format, n))
            self.settle()
            return
        write = "write_string_length" if field.type == "string" and not field.array else "write_unsigned_varint"
        before, self._pending = self._pending, []
        with self.block(f"if {n} < 128:"):
            if before:
                self.emit(f"{self._out} += {self.packed([*before, ('B', n)])}")
            else:
                self.emit(f"{self._out}.append({n})")
        if field.type in ("records", "bytes") and not field.array:
            # Two bytes are their usual length.
            with self.block(f"elif {n} < 16384:"):
                run = [*before, ("B", f"{n} & 127 | 128"), ("B", f"{n} >> 7")]
                self.emit(f"{self._out} += {self.packed(run)}")
        with self.block("else:"):
            if before:
                self.emit(f"{self._out} += {self.packed(before)}")
            self.emit(f"{write}({self._out}, {n})")

    def take(self, field: Field, value: str, label: str, empty: str) -> tuple[str, str]:
        """Hold the value and its length prefix in variables, null being `empty` from here on."""
        s, n = self.fresh("s"), self.fresh("n")
        compact = self.is_compact(field)
        counted = f"len({s})" + (" + 1" if compact else "")
        self.emit(f"{s} = {value}")
        with self.block(f"if {s} is None:"):
            if field.is_nullable_in(self.version):
                self.emit(f"{s} = {empty}")
                self.emit(f"{n} = {0 if compact else -1}")
            else:
                self.emit(f"raise_null({label!r})")
        with self.block("else:"):
            if field.type == "string" and not field.array:
                self.emit(f"{s} = {s}.encode()")
            self.emit(f"{n} = {counted}")
        return s, n

    def sized(self, field: Field, value: str, label: str) -> None:
        s, n = self.take(field, value, label, "b''")
        self.put_length(field, n, "h" if field.type == "string" else "i")
        self.emit(f"{self._out} += {s}")

    def records(self, field: Field, value: str, label: str) -> None:
        # A splice's place is counted from the start of the message, which a tagged field's own buffer would hide.
        assert self._out == "out"
        s, n = self.fresh("s"), self.fresh("n")
        more = " + 1" if self.is_compact(field) else ""
        self.emit(f"{s} = {value}")
        with self.block(f"if {s} is None:"):
            null = f"{n} = {0 if more else -1}"
            self.emit(null if field.is_nullable_in(self.version) else f"raise_null({label!r})")
        with self.block(f"elif type({s}) in IN_MEMORY:"):
            self.emit(f"{n} = len({s}){more}")
        with self.block("else:"):
            self.emit(f"{n} = {s}.size{more}")
        self.put_length(field, n, "i")
        with self.block(f"if {s} is not None:"):
            with self.block(f"if type({s}) in IN_MEMORY:"):
                self.emit(f"out += {s}")
            with self.block("else:"):
                self.emit(f"add_splice(out, splices, {s})")

    def array(self, field: Field, value: str, label: str) -> None:
        s, n = self.take(field, value, label, "()")
        self.put_length(field, n, "i")
        if field.type == "uuid":
            with self.block(f"if any(len(u) != 16 for u in {s}):"):
                self.emit("raise_uuid_size()")
            self.emit(f"{self._out} += b''.join({s})")
        elif isinstance(field.type, str) and field.type in FORMATS:
            self.number_array(field.type, s)
        else:
            element = self.fresh("e")
            with self.block(f"for {element} in {s}:"):
                if isinstance(field.type, str):
                    self.sized(Field(field.name, field.type, flexible=field.flexible), element, label)
                else:
                    self.struct(field.type, element)
                    self.settle()

    def number_array(self, type_name: str, s: str) -> None:
        code = FORMATS[type_name]
        table = f"packers_{code}"
        if table not in self.names:
            self.names[table] = [Packed(f">{count}{code}").pack for count in range(SMALL_ARRAY)]
        with self.block(f"if len({s}) < {SMALL_ARRAY}:"):
            self.emit(f"{self._out} += {table}[len({s})](*{s})")
        with self.block("else:"):
            self.emit(f"{self._out} += pack(f'>{{len({s})}}{code}', *{s})")

    def tagged_section(self, cls: type[WireStruct], value: str) -> None:
        fields = tagged_fields(cls, self.version)
        if not fields:
            self._pending.append(("x", ""))
            return
        before = self._pending[:]
        differing = [self.differs(field, f"{value}.{field.name}") for field in fields]
        with self.block(f"if {' or '.join(differing)}:"):
            count = self.fresh("c")
            self.emit(f"{count} = {' + '.join(f'(1 if {d} else 0)' for d in differing)}")
            self._pending.append(("B", count))
            self.settle()
            for field, differs in zip(fields, differing, strict=True):
                with self.block(f"if {differs}:"):
                    self.tagged_field(field, f"{value}.{field.name}", f"{cls.__name__}.{field.name}")
        with self.block("else:"):
            self._pending = [*before, ("x", "")]
            self.settle()

    def tagged_field(self, field: Field, value: str, label: str) -> None:
        size = fixed_size(field)
        if size is not None:
            self.check_uuid(field, value)
            self._pending += [("B", str(field.tag)), ("B", str(size)), (FORMATS[str(field.type)], value)]
            self.settle()
            return
        outer, self._out = self._out, self.fresh("t")
        self.emit(f"{self._out} = bytearray()")
        self.field(field, value, label)
        self.settle()
        inner, self._out = self._out, outer
        self.emit(f"write_unsigned_varint({outer}, {field.tag})")
        self.emit(f"write_unsigned_varint({outer}, len({inner}))")
        self.emit(f"{outer} += {inner}")


def add_splice(out: bytearray, splices: Splices | None, splice: Splice) -> None:
    if splices is None:
        raise TypeError(f"records are {type(splice).__name__}, and no list of splices was given")
    splices.append((len(out), splice))


def compile_encoder(cls: type[M], version: int, flexible: bool) -> Encoder[M]:
    source = EncodeSource(version, flexible)
    source.struct(cls, "m")
    source.settle()
    caught = "StructError, AttributeError, TypeError, UnicodeEncodeError"
    function: Any = source.function("m, out, splices=None", f"{cls.NAME} v{version}", ["return None"], caught)
    encoder: Encoder[M] = function
    return encoder

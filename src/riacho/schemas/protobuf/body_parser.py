"""The bodies of messages, enums and extensions."""

from __future__ import annotations

from riacho.schemas.protobuf.elements import (
    MAX_ENUM_NUMBER,
    MAX_FIELD_NUMBER,
    SCALARS,
    Constant,
    Enum,
    Extend,
    Field,
    Group,
    Literal,
    Message,
    MessageParts,
    OneOf,
    Option,
    Range,
    Ranges,
)
from riacho.schemas.protobuf.lexer import Lexer
from riacho.schemas.protobuf.option_parser import read_bracketed, read_statement

# protoc's own limit on messages within messages.
NESTING_MAX = 32
_LABELS = ("required", "optional", "repeated")
_MAP_KEYS = SCALARS - {"double", "float", "bytes"}


class BodyParser:
    """Reads what stands between braces. The syntax decides which labels a field may, or must, have."""

    def __init__(self, lexer: Lexer, syntax: str | None, edition: str | None) -> None:
        self._lexer = lexer
        self._is_proto3 = syntax == "proto3"
        self._is_edition = edition is not None

    def message(self, depth: int) -> Message:
        return self._body(self._lexer.word(), depth)

    def _body(self, name: str, depth: int) -> Message:
        lexer = self._lexer
        if depth >= NESTING_MAX:
            raise lexer.error(f"messages nest more than {NESTING_MAX} deep")
        parts = MessageParts()
        lexer.expect("{")
        while not lexer.accept("}"):
            if not lexer.accept(";"):
                self._message_statement(parts, depth)
        return parts.message(name)

    def _message_statement(self, parts: MessageParts, depth: int) -> None:
        lexer = self._lexer
        match lexer.token:
            case "message":
                lexer.next()
                parts.messages.append(self.message(depth + 1))
            case "enum":
                lexer.next()
                parts.enums.append(self.enum())
            case "extend":
                lexer.next()
                parts.extends.append(self.extend(depth))
            case "oneof":
                lexer.next()
                parts.oneofs.append(self._oneof(depth))
            case "option":
                lexer.next()
                parts.options.append(read_statement(lexer))
            case "reserved":
                lexer.next()
                parts.reserved.append(self._ranges(0, MAX_FIELD_NUMBER, names=True))
            case "extensions":
                lexer.next()
                parts.extensions.append(self._ranges(1, MAX_FIELD_NUMBER, names=False))
            case _:
                self._field_or_group(parts.fields, parts.groups, depth, labelled=True)

    def _field_or_group(self, fields: list[Field], groups: list[Group], depth: int, *, labelled: bool) -> None:
        lexer = self._lexer
        label = self._label() if labelled else None
        if lexer.accept_word("map"):
            if lexer.looks_at("<"):
                if label is not None or not labelled:
                    raise lexer.error("a map has no label and is no part of a oneof")
                fields.append(self._map())
                return
            type_name = "map"
        elif lexer.accept_word("group"):
            if self._is_proto3 or self._is_edition:
                raise lexer.error("groups exist in proto2 only")
            groups.append(self._group(label, depth))
            return
        else:
            type_name = lexer.dotted_name()
        if labelled and label is None and not (self._is_proto3 or self._is_edition):
            raise lexer.error("a field of proto2 needs a label: required, optional or repeated")
        fields.append(self._field(label, type_name))

    def _label(self) -> str | None:
        lexer = self._lexer
        label = next((label for label in _LABELS if lexer.accept_word(label)), None)
        if label == "required" and self._is_proto3:
            raise lexer.error("proto3 has no required fields")
        if label in ("required", "optional") and self._is_edition:
            raise lexer.error(f"an edition says '{label}' by features.field_presence")
        return label

    def _map(self) -> Field:
        lexer = self._lexer
        lexer.expect("<")
        key_type = lexer.dotted_name()
        if key_type not in _MAP_KEYS:
            raise lexer.error(f"the keys of a map cannot be of type {key_type}")
        lexer.expect(",")
        value_type = lexer.dotted_name()
        lexer.expect(">")
        return self._field(None, value_type, key_type)

    def _field(self, label: str | None, type_name: str, key_type: str | None = None) -> Field:
        lexer = self._lexer
        name = lexer.word()
        number = self._number()
        written = read_bracketed(lexer)
        lexer.expect(";")
        options = tuple(option for option in written if option.full_name not in ("default", "json_name"))
        special = {option.full_name: option.value for option in written if option not in options}
        default, json_name = special.get("default"), special.get("json_name")
        if isinstance(default, list | dict):
            raise lexer.error("a default is a single value")
        if json_name is not None and not isinstance(json_name, str):
            raise lexer.error("json_name is a string")
        return Field(name, type_name, number, label, key_type, default, json_name, options)

    def _number(self) -> int:
        self._lexer.expect("=")
        return self._lexer.integer(1, MAX_ENUM_NUMBER)

    def _group(self, label: str | None, depth: int) -> Group:
        name = self._lexer.word()
        number = self._number()
        options = read_bracketed(self._lexer)
        return Group(self._body(name, depth + 1), number, label, options)

    def _oneof(self, depth: int) -> OneOf:
        lexer = self._lexer
        name = lexer.word()
        lexer.expect("{")
        fields: list[Field] = []
        groups: list[Group] = []
        options: list[Option] = []
        while not lexer.accept("}"):
            if lexer.accept(";"):
                continue
            if lexer.accept_word("option"):
                options.append(read_statement(lexer))
            else:
                self._field_or_group(fields, groups, depth, labelled=False)
        return OneOf(name, tuple(fields), tuple(groups), tuple(options))

    def extend(self, depth: int) -> Extend:
        lexer = self._lexer
        name = lexer.dotted_name()
        lexer.expect("{")
        fields: list[Field] = []
        groups: list[Group] = []
        while not lexer.accept("}"):
            if not lexer.accept(";"):
                self._field_or_group(fields, groups, depth, labelled=True)
        return Extend(name, tuple(fields), tuple(groups))

    def enum(self) -> Enum:
        lexer = self._lexer
        name = lexer.word()
        lexer.expect("{")
        constants: list[Constant] = []
        reserved: list[Ranges] = []
        options: list[Option] = []
        while not lexer.accept("}"):
            if lexer.accept(";"):
                continue
            if lexer.accept_word("option"):
                options.append(read_statement(lexer))
            elif lexer.accept_word("reserved"):
                reserved.append(self._ranges(-MAX_ENUM_NUMBER - 1, MAX_ENUM_NUMBER, names=True))
            else:
                constants.append(self._constant())
        return Enum(name, tuple(constants), tuple(reserved), tuple(options))

    def _constant(self) -> Constant:
        lexer = self._lexer
        name = lexer.word()
        lexer.expect("=")
        number = lexer.integer(-MAX_ENUM_NUMBER - 1, MAX_ENUM_NUMBER)
        options = read_bracketed(lexer)
        lexer.expect(";")
        return Constant(name, number, options)

    def _ranges(self, least: int, most: int, *, names: bool) -> Ranges:
        lexer = self._lexer
        values: list[int | Range | str | Literal] = []
        while not values or lexer.accept(","):
            if names and lexer.kind == "string":
                values.append(lexer.string())
            elif names and lexer.kind == "word":
                values.append(Literal(lexer.next()))
            else:
                values.append(self._range(least, most))
        options = () if names else read_bracketed(lexer)
        lexer.expect(";")
        return Ranges(tuple(values), options)

    def _range(self, least: int, most: int) -> int | Range:
        lexer = self._lexer
        start = lexer.integer(least, MAX_ENUM_NUMBER)
        if not lexer.accept_word("to"):
            return start
        end = most if lexer.accept_word("max") else lexer.integer(least, MAX_ENUM_NUMBER)
        if end < start:
            raise lexer.error(f"the range {start} to {end} is empty")
        return Range(start, end)

"""The text of a file as the registry stores it: no comments, two spaces, each kind of declaration in its section.

Clients compare this text, so its spacing is part of the contract: sections are parted by one empty line, which is
indented as any other line where the declaration is nested; one option stands on the field's line, several stand on
lines of their own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from riacho.schemas.protobuf.elements import (
    MAX_ENUM_NUMBER,
    MAX_FIELD_NUMBER,
    Constant,
    Enum,
    Extend,
    Field,
    File,
    Group,
    Literal,
    Message,
    OneOf,
    Option,
    Range,
    Ranges,
    Rpc,
    Service,
    Value,
    plain_option,
)

_ESCAPES = {"\a": "\\a", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\v": "\\v"}
_ESCAPES |= {"\\": "\\\\", "'": "\\'", '"': '\\"'}
_BYTES = {chr(0xDC00 + byte): f"\\{byte:03o}" for byte in range(0x80, 0x100)}
_CONTROLS = {chr(code): f"\\{code:03o}" for code in range(0x20)}
_TABLE = str.maketrans(_CONTROLS | _ESCAPES | _BYTES)


def print_file(file: File) -> str:
    lines: list[str] = []
    if file.syntax is not None:
        lines.append(f'syntax = "{file.syntax}";')
    if file.edition is not None:
        lines.append(f'edition = "{file.edition}";')
    if file.package is not None:
        lines.append(f"package {file.package};")
    for section in _file_sections(file):
        if section:
            lines += ["", *section]
    return "".join(line + "\n" for line in lines)


def _file_sections(file: File) -> Iterable[list[str]]:
    yield [
        *(f"import {quoted(path)};" for path in file.imports),
        *(f"import public {quoted(path)};" for path in file.public_imports),
        *(f"import weak {quoted(path)};" for path in file.weak_imports),
    ]
    yield _statements(file.options)
    yield [*_flat(map(_message, file.messages)), *_flat(map(_enum, file.enums))]
    yield _flat(map(_extend, file.extends))
    yield _flat(map(_service, file.services))


def _flat(parts: Iterable[list[str]]) -> list[str]:
    return [line for part in parts for line in part]


def _indent(lines: Iterable[str]) -> list[str]:
    return ["  " + line for line in lines]


def _block(head: str, sections: Iterable[list[str]]) -> list[str]:
    lines: list[str] = []
    for section in sections:
        if section:
            lines += ["", *_indent(section)] if lines else _indent(section)
    return [f"{head} {{", *lines, "}"] if lines else [f"{head} {{}}"]


def _message(message: Message) -> list[str]:
    return _block(f"message {message.name}", _message_sections(message))


def _message_sections(message: Message) -> Iterable[list[str]]:
    yield [_ranges("reserved", ranges, MAX_FIELD_NUMBER) for ranges in message.reserved]
    yield _statements(message.options)
    yield _flat(map(_field, message.fields))
    yield _flat(map(_oneof, message.oneofs))
    yield _flat(map(_group, message.groups))
    yield _flat(map(_extensions, message.extensions))
    yield _flat(map(_extend, message.extends))
    yield [*_flat(map(_message, message.messages)), *_flat(map(_enum, message.enums))]


def _oneof(oneof: OneOf) -> list[str]:
    sections = [_statements(oneof.options), _flat(map(_field, oneof.fields)), _flat(map(_group, oneof.groups))]
    return _block(f"oneof {oneof.name}", sections)


def _group(group: Group) -> list[str]:
    label = f"{group.label} " if group.label else ""
    head = f"{label}group {group.message.name} = {group.number}"
    options = _bracketed(group.options)
    if options:
        *first, head = _attach(head + " ", options)
        return [*first, *_block(head, _message_sections(group.message))]
    return _block(head, _message_sections(group.message))


def _extend(extend: Extend) -> list[str]:
    return _block(f"extend {extend.name}", [_flat(map(_field, extend.fields)), _flat(map(_group, extend.groups))])


def _enum(enum: Enum) -> list[str]:
    # An enum is one section: the registry puts no empty line between what is reserved and the constants.
    reserved = [_ranges("reserved", ranges, MAX_ENUM_NUMBER) for ranges in enum.reserved]
    return _block(
        f"enum {enum.name}", [[*reserved, *_statements(enum.options), *_flat(map(_constant, enum.constants))]]
    )


def _constant(constant: Constant) -> list[str]:
    return _with_options(f"{constant.name} = {constant.number}", constant.options)


def _service(service: Service) -> list[str]:
    return _block(f"service {service.name}", [_statements(service.options), _flat(map(_rpc, service.rpcs))])


def _rpc(rpc: Rpc) -> list[str]:
    request = f"stream {rpc.request}" if rpc.request_streaming else rpc.request
    response = f"stream {rpc.response}" if rpc.response_streaming else rpc.response
    head = f"rpc {rpc.name} ({request}) returns ({response})"
    if not rpc.options:
        return [head + ";"]
    return [head + " {", *_indent(_statements(rpc.options)), "};"]


def _field(field: Field) -> list[str]:
    type_name = field.type if field.key_type is None else f"map<{field.key_type}, {field.type}>"
    label = f"{field.label} " if field.label else ""
    options = list(field.options)
    if field.default is not None:
        options.append(plain_option("default", field.default))
    if field.json_name is not None:
        options.append(plain_option("json_name", field.json_name))
    return _with_options(f"{label}{type_name} {field.name} = {field.number}", options)


def _with_options(head: str, options: Sequence[Option]) -> list[str]:
    bracketed = _bracketed(options)
    return _attach(head + " ", bracketed, ";") if bracketed else [head + ";"]


def _extensions(ranges: Ranges) -> list[str]:
    head = _ranges("extensions", ranges, MAX_FIELD_NUMBER)
    return _with_options(head[:-1], ranges.options)


def _ranges(keyword: str, ranges: Ranges, most: int) -> str:
    return f"{keyword} {', '.join(_range(value, most) for value in ranges.values)};"


def _range(value: int | Range | str | Literal, most: int) -> str:
    if isinstance(value, Range):
        return f"{value.start} to {'max' if value.end == most else value.end}"
    if isinstance(value, Literal):
        return value.text
    return quoted(value) if isinstance(value, str) else str(value)


def _statements(options: Iterable[Option]) -> list[str]:
    return _flat(_attach("option ", option_lines(option), ";") for option in options)


def _bracketed(options: Sequence[Option]) -> list[str]:
    if not options:
        return []
    if len(options) == 1:
        return _attach("[", option_lines(options[0]), "]")
    return ["[", *_listed([option_lines(option) for option in options]), "]"]


def option_lines(option: Option) -> list[str]:
    value = option.value
    if isinstance(value, list) and len(value) == 1:
        return _attach(f"{option.full_name} = [", _value(value[0]), "]")
    return _attach(f"{option.full_name} = ", _value(value))


def _value(value: Value) -> list[str]:
    if isinstance(value, Literal):
        return [value.text]
    if isinstance(value, str):
        return [quoted(value)]
    if isinstance(value, list):
        return ["[", *_listed([_value(item) for item in value]), "]"]
    return ["{", *_listed([_attach(f"{name}: ", _value(item)) for name, item in value.items()]), "}"]


def _listed(items: list[list[str]]) -> list[str]:
    """One below the other, a comma after each but the last."""
    return _indent(_flat([*(_attach("", item, ",") for item in items[:-1]), *items[-1:]]))


def _attach(before: str, lines: list[str], after: str = "") -> list[str]:
    lines = [before + lines[0], *lines[1:]]
    lines[-1] += after
    return lines


def quoted(text: str) -> str:
    return f'"{text.translate(_TABLE)}"'

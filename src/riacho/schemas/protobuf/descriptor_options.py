"""Options between a .proto file's words and the messages in which descriptors keep them.

Both ways go through protobuf's text format, which is what an aggregate is written in anyhow. Extensions are known only
to a pool that has the files that declare them; those that cannot be found are left out, as the registry does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from google.protobuf import message_factory, text_format, unknown_fields  # type: ignore[import-untyped]

from riacho.schemas.parsed import SchemaError
from riacho.schemas.protobuf.elements import Literal, NamePart, Option, Value, plain_option
from riacho.schemas.protobuf.scalars import LABELS, float_text

# The full name of an extension by the name under which a file uses it; None where there is no such extension.
ExtensionLookup = Callable[[str], str | None]


def pooled_class(pool: Any, options: Any) -> Any:
    """The class of the same options in a pool, where their extensions are known."""
    return message_factory.GetMessageClass(pool.FindMessageTypeByName(options.DESCRIPTOR.full_name))


class OptionReader:
    """From descriptors. `missed` tells that there were extensions that could not be read for want of a pool."""

    def __init__(self, pool: Any = None) -> None:
        self._pool = pool
        self.missed = False

    def read(self, options: Any) -> tuple[Option, ...]:
        if not options.ByteSize():
            return ()
        found = [plain_option(field.name, _read_value(field, value)) for field, value in _plain_fields(options)]
        return (*found, *self._extensions(options))

    def _extensions(self, options: Any) -> Iterable[Option]:
        has_more = any(field.is_extension for field, _ in options.ListFields())
        if not has_more and not len(unknown_fields.UnknownFieldSet(options)):
            return
        if self._pool is None:
            self.missed = True
            return
        pooled = pooled_class(self._pool, options).FromString(options.SerializeToString())
        for field, value in pooled.ListFields():
            if field.is_extension:
                for item in value if _is_repeated(field) else [value]:
                    yield Option((NamePart(field.full_name, True),), _read_single(field, item))


def _plain_fields(options: Any) -> list[tuple[Any, Any]]:
    """In the order in which descriptor.proto declares them: the registry's order."""
    values = {field.name: (field, value) for field, value in options.ListFields() if not field.is_extension}
    names = [field.name for field in options.DESCRIPTOR.fields if field.name != "uninterpreted_option"]
    return [values[name] for name in names if name in values]


def _read_value(field: Any, value: Any) -> Value:
    if not _is_repeated(field):
        return _read_single(field, value)
    if field.message_type is not None and field.message_type.GetOptions().map_entry:
        key, entry = field.message_type.fields_by_name["key"], field.message_type.fields_by_name["value"]
        return [{"key": _read_single(key, k), "value": _read_single(entry, value[k])} for k in sorted(value)]
    return [_read_single(field, item) for item in value]


def _read_single(field: Any, value: Any) -> Value:
    if field.message_type is not None:
        return {_entry_name(inner): _read_value(inner, item) for inner, item in value.ListFields()}
    if field.enum_type is not None:
        constant = field.enum_type.values_by_number.get(value)
        return Literal(constant.name if constant is not None else str(value))
    if isinstance(value, bool):
        return Literal("true" if value else "false")
    if isinstance(value, bytes):
        return value.decode("utf-8", "surrogateescape")
    if isinstance(value, float):
        return Literal(float_text(value, single=field.type == field.TYPE_FLOAT))
    return value if isinstance(value, str) else Literal(str(value))


def _is_repeated(field: Any) -> bool:
    # Releases before 6.31 have the label only, those from 7 on the property only.
    repeated = getattr(field, "is_repeated", None)
    return field.label == LABELS["repeated"] if repeated is None else bool(repeated)


def _entry_name(field: Any) -> str:
    return f"[{field.full_name}]" if field.is_extension else str(field.name)


def write_options(target: Any, options: Iterable[Option], pool: Any, lookup: ExtensionLookup) -> None:
    """Into `target`, an options message of the runtime's own. Without a pool, extensions are left for later."""
    known = [option for option in options if option.is_extension or _is_known(target, option)]
    text = " ".join(filter(None, (_option_text(option, pool is not None, lookup) for option in known)))
    if not text:
        return
    try:
        if pool is None:
            text_format.Merge(text, target)
        else:
            pooled = pooled_class(pool, target)()
            text_format.Merge(text, pooled, allow_unknown_extension=True, descriptor_pool=pool)
            target.ParseFromString(pooled.SerializeToString())
    except (text_format.ParseError, ValueError, TypeError, KeyError, RecursionError) as error:
        raise SchemaError(f"An option cannot be read: {error}") from None


def _is_known(target: Any, option: Option) -> bool:
    """Options come and go with the releases of protobuf; a schema outlives them."""
    return option.parts[0].text in target.DESCRIPTOR.fields_by_name


def _option_text(option: Option, with_extensions: bool, lookup: ExtensionLookup) -> str:
    opened = []
    for part in option.parts:
        if part.is_extension:
            name = lookup(part.text) if with_extensions else None
            if name is None:
                return ""
            opened.append(f"[{name}]")
        else:
            opened.append(part.text)
    last = opened.pop()
    text = "".join(f"{name} {{ " for name in opened)
    return f"{text}{last}: {value_text(option.value)}{' }' * len(opened)}"


def value_text(value: Value) -> str:
    if isinstance(value, Literal):
        return value.text
    if isinstance(value, str):
        return f'"{text_format.text_encoding.CEscape(value.encode("utf-8", "surrogateescape"), False)}"'
    if isinstance(value, list):
        return f"[{', '.join(value_text(item) for item in value)}]"
    entries = (f"{name.replace('[.', '[')}: {value_text(item)}" for name, item in value.items())
    return f"{{ {' '.join(entries)} }}"

"""What a field says of itself by `confluent.field_meta`: the parameters by which Connect and Flink keep their types."""

from __future__ import annotations

from collections.abc import Iterator

from riacho.schemas.protobuf.elements import Field, Option, Value
from riacho.schemas.protobuf.files import ProtoFile

_FIELD_META = "confluent.field_meta"


def field_params(field: Field, file: ProtoFile, scope: str) -> dict[str, str]:
    params: dict[str, str] = {}
    for option in field.options:
        if _is_meta(option, file, scope):
            for entry in _entries(option):
                if isinstance(entry, dict):
                    key, value = entry.get("key", ""), entry.get("value", "")
                    if isinstance(key, str) and isinstance(value, str):
                        params[key] = value
    return params


def _is_meta(option: Option, file: ProtoFile, scope: str) -> bool:
    if not option.is_extension:
        return False
    found = file.resolve_extension(option.name, scope)
    return found is not None and found.full_name == _FIELD_META


def _entries(option: Option) -> Iterator[Value]:
    """`(confluent.field_meta).params = {...}`, and `(confluent.field_meta) = {params: ...}` of one or of a list."""
    value: Value | None = option.value
    names = [part.text for part in option.parts[1:]]
    if not names:
        value = value.get("params") if isinstance(value, dict) else None
    elif names != ["params"]:
        return
    if value is not None:
        yield from value if isinstance(value, list) else [value]

"""Messages as JSON, with Kafka's names: what dump-log and the console formatters print of internal topics.

The rules are those of Kafka's JSON converters: a field is there when its version has it, a tagged field only when it
differs from its default, bytes are base64 and uuids their 22 characters.
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from importlib import import_module
from typing import Any

from riacho.base.ids import ZERO_UUID, uuid_text
from riacho.wire.codec import decode
from riacho.wire.primitives import WireError, read_unsigned_varint
from riacho.wire.schema import Field, Message, WireStruct

_DELETED = "<DELETE>"
_GROUP_METADATA = 2

# Key types of the coordinators' topics; the values of each are in the module of the same stem.
GROUP_RECORDS = {
    0: "legacy_offset_commit",
    1: "offset_commit",
    2: "group_metadata",
    3: "consumer_group_metadata",
    4: "consumer_group_partition_metadata",
    5: "consumer_group_member_metadata",
    6: "consumer_group_target_assignment_metadata",
    7: "consumer_group_target_assignment_member",
    8: "consumer_group_current_member_assignment",
    10: "share_group_member_metadata",
    11: "share_group_metadata",
    12: "share_group_target_assignment_metadata",
    13: "share_group_target_assignment_member",
    14: "share_group_current_member_assignment",
    15: "share_group_state_partition_metadata",
    16: "consumer_group_regular_expression",
    17: "streams_group_metadata",
    19: "streams_group_member_metadata",
    20: "streams_group_target_assignment_metadata",
    21: "streams_group_target_assignment_member",
    22: "streams_group_current_member_assignment",
    23: "streams_group_topology",
}
TRANSACTION_RECORDS = {0: "transaction_log"}
SHARE_RECORDS = {0: "share_snapshot", 1: "share_update"}
_HIDDEN = "[hidden]"


def message_json(message: WireStruct, version: int) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for field in message.FIELDS:
        value = getattr(message, field.name)
        if field.is_in(version) and (field.tag is None or not _is_default(field, value)):
            out[camel_case(field.name)] = _plain(field, value, version)
    return out


def camel_case(name: str) -> str:
    first, *rest = name.split("_")
    first = "kRaft" if first == "kraft" else first
    return first + "".join(part[:1].upper() + part[1:] for part in rest)


def _is_default(field: Field, value: Any) -> bool:
    if isinstance(field.default, (int, str, bool, float, type(None))):
        return bool(value == field.default)
    return not value or value == ZERO_UUID


def _plain(field: Field, value: Any, version: int) -> Any:
    if isinstance(value, list):
        return [_plain(field, one, version) for one in value]
    if isinstance(value, WireStruct):
        return message_json(value, version)
    if isinstance(value, (bytes, bytearray, memoryview)):
        return uuid_text(bytes(value)) if field.type == "uuid" else b64encode(value).decode()
    return value


def compact(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def message_class(module: str) -> type[Message]:
    loaded = import_module(f"riacho.wire.messages.{module}")
    # Besides the message itself a module holds only plain structs and the base class.
    return next(v for v in vars(loaded).values() if isinstance(v, type) and issubclass(v, Message) and v.NAME)


def coordinator_key(table: dict[int, str], data: bytes) -> tuple[int, dict[str, Any] | None]:
    """(type, JSON of the key); None for a type or bytes that nobody knows."""
    kind = int.from_bytes(data[:2], "big")
    stem = table.get(kind)
    if stem is None:
        return kind, None
    try:
        return kind, message_json(decode(message_class(f"{stem}_key"), 0, data, 2), 0)
    except WireError:
        return kind, None


def coordinator_value(table: dict[int, str], kind: int, data: bytes) -> tuple[int, dict[str, Any] | None]:
    """(version, JSON of the value)."""
    version = int.from_bytes(data[:2], "big")
    stem = table.get(kind)
    if stem is None:
        return version, None
    known = message_class(f"{stem}_value")
    if not known.VERSIONS[0] <= version <= known.VERSIONS[1]:
        return version, None
    try:
        return version, message_json(decode(known, version, data, 2), version)
    except WireError:
        return version, None


def coordinator_texts(table: dict[int, str], key: bytes | None, value: bytes | None) -> tuple[str, str]:
    """Key and payload as dump-log prints them, with numbers as text."""
    if key is None or len(key) < 2:
        return "<EMPTY>", "<EMPTY>"
    kind, key_json = coordinator_key(table, key)
    if key_json is None:
        shown = f"Unknown record type {kind} at offset, skipping..."
        return shown, "<UNKNOWN>" if value is not None else _DELETED
    key_text = compact({"type": str(kind), "data": key_json})
    if value is None:
        return key_text, _DELETED
    version, value_json = coordinator_value(table, kind, value)
    if table is GROUP_RECORDS and kind == _GROUP_METADATA and value_json is not None:
        _open_members(value_json)
    return key_text, compact({"version": str(version), "data": "unknown" if value_json is None else value_json})


def _open_members(group: dict[str, Any]) -> None:
    """What members of a classic consumer group wrote about themselves, where it can be read."""
    if group.get("protocolType") != "consumer":
        return
    for member in group["members"]:
        for name in ("subscription", "assignment"):
            data = b64decode(member[name])
            known = message_class(f"consumer_protocol_{name}")
            version = int.from_bytes(data[:2], "big") if len(data) >= 2 else -1
            if known.VERSIONS[0] <= version <= known.VERSIONS[1]:
                try:
                    member[name] = message_json(decode(known, version, data, 2), version)
                except WireError:
                    continue


def metadata_text(value: bytes) -> str:
    """One record of `__cluster_metadata`: frame version, type and version as varints, then the message."""
    from riacho.metadata.image.records import RECORD_TYPES

    try:
        position, numbers = 0, []
        for _ in range(3):
            number, position = read_unsigned_varint(value, position)
            numbers.append(number)
        _, kind, version = numbers
        known = RECORD_TYPES[kind]
        data = message_json(decode(known, version, value, position), version)
    except (WireError, KeyError, IndexError) as error:
        return f"Error at {type(error).__name__}, skipping. {error}"
    _hide_secret(known.NAME, data)
    return compact({"type": _upper_snake(known.NAME), "version": version, "data": data})


def _hide_secret(record: str, data: dict[str, Any]) -> None:
    """What was set for a broker may be a password, and a dump is soon passed on; so are the keys of users."""
    from riacho.metadata.settings.broker_configs import broker_key

    if record == "ConfigRecord" and data.get("value") is not None:
        key = broker_key(data["name"])
        if key is not None and key.is_sensitive:
            data["value"] = _HIDDEN
    elif record == "UserScramCredentialRecord":
        data |= dict.fromkeys(("salt", "storedKey", "serverKey"), _HIDDEN)


def _upper_snake(name: str) -> str:
    return "".join(f"_{char}" if char.isupper() else char for char in name).lstrip("_").upper()

"""What a consumer instance is created with: the call's body checked, and the settings of its Kafka consumer.

Numbers and flags may stand as text, as the original takes them. Its two codes for what is wrong are kept: 42204 where
Kafka's consumer would have refused the setting, 40001 where the proxy does.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from riacho.base.config import ConfigError, ConfigType, one_of, parse_value
from riacho.rest_proxy.config import ProxyConfig
from riacho.rest_proxy.consumers.errors import invalid_config, violated_constraint
from riacho.rest_proxy.embedded.format import Format
from riacho.web.errors import ApiError

_NAME_CHARACTERS_MAX = 255
_FETCH_MIN_BYTES_MAX = 10_000_000
_RESETS = one_of("latest", "earliest", "none")
# What librdkafka fetches ahead of each instance; its own default is 64 MiB, too much for hundreds of them.
_PREFETCH_KIB = 8 * 1024
# When that much is there it looks again after so long; its own second is longer than it takes to hand all of it out.
_PREFETCH_AGAIN_MS = 10

Number = int | str | None


class CreateConsumer(msgspec.Struct, forbid_unknown_fields=True):
    id: str | None = None
    name: str | None = None
    format: str | None = None
    auto_offset_reset: str | None = msgspec.field(default=None, name="auto.offset.reset")
    auto_commit_enable: str | bool | None = msgspec.field(default=None, name="auto.commit.enable")
    fetch_min_bytes: Number = msgspec.field(default=None, name="fetch.min.bytes")
    consumer_request_timeout_ms: Number = msgspec.field(default=None, name="consumer.request.timeout.ms")


class ConsumerInstanceAnswer(msgspec.Struct):
    instance_id: str
    base_uri: str


@dataclass(frozen=True, slots=True, kw_only=True)
class InstanceConfig:
    """`request_timeout_ms` is None where nobody asked for one: then the proxy's holds, and joining does not count."""

    group: str
    name: str
    # Whether the caller chose the name, so that another proxy may have it too.
    is_named: bool = True
    format: Format = Format.BINARY
    auto_commit: bool = True
    fetch_min_bytes: int = -1
    request_timeout_ms: int | None = None
    kafka: Mapping[str, Any]


def instance_config(group: str, wanted: CreateConsumer, proxy: ProxyConfig) -> InstanceConfig:
    """ApiError 422 (codes 422, 40001, 42204) for what cannot be."""
    _check_group(group)
    given = wanted.id if wanted.id is not None else wanted.name
    auto_commit = _auto_commit(wanted.auto_commit_enable, proxy.consumer)
    kafka = {
        **proxy.consumer,
        "group.id": group,
        "enable.auto.commit": auto_commit,
        # Only what was handed out counts as consumed; the instance says when.
        "enable.auto.offset.store": False,
        # Tells when a partition is being read, even where there is nothing in it.
        "enable.partition.eof": True,
    }
    kafka.setdefault("client.id", f"rest-proxy-{proxy.id}" if proxy.id else "rest-proxy")
    kafka.setdefault("queued.max.messages.kbytes", _PREFETCH_KIB)
    kafka.setdefault("fetch.queue.backoff.ms", _PREFETCH_AGAIN_MS)
    kafka.setdefault("allow.auto.create.topics", False)
    if wanted.auto_offset_reset is not None:
        kafka["auto.offset.reset"] = _reset(wanted.auto_offset_reset)
    return InstanceConfig(
        group=group,
        name=_made_up_name(proxy.id) if given is None else _checked_name(given),
        is_named=given is not None,
        format=_format(wanted.format),
        auto_commit=auto_commit,
        fetch_min_bytes=_fetch_min_bytes(wanted.fetch_min_bytes, proxy.fetch_min_bytes),
        request_timeout_ms=_request_timeout_ms(wanted.consumer_request_timeout_ms),
        kafka=kafka,
    )


def _made_up_name(proxy_id: str) -> str:
    return f"rest-consumer-{proxy_id + '-' if proxy_id else ''}{uuid.uuid4()}"


def _check_group(group: str) -> None:
    """librdkafka cuts white space off, reads to the first NUL, and ends the process when nothing is left."""
    if not group or group != group.strip() or not group.isprintable():
        raise invalid_config("a group's name has printable characters only, and no white space at either end")


def _checked_name(name: str) -> str:
    if not name or len(name) > _NAME_CHARACTERS_MAX or not name.isprintable() or name in (".", ".."):
        raise ApiError(422, 422, f"A consumer's name has 1 to {_NAME_CHARACTERS_MAX} printable characters.")
    return name


def _format(name: str | None) -> Format:
    if name is None:
        return Format.BINARY
    try:
        found = Format(name.lower())
    except ValueError:
        found = Format.STRING
    if found is Format.STRING:
        # v3 knows strings, v2 has no content type for them.
        raise ApiError(422, 422, "format must be one of: binary, json, avro, jsonschema, protobuf")
    return found


def _reset(text: str) -> str:
    try:
        _RESETS("auto.offset.reset", text)
    except ConfigError as error:
        raise invalid_config(str(error)) from None
    return "error" if text == "none" else text


def _auto_commit(given: str | bool | None, defaults: Mapping[str, Any]) -> bool:
    value = defaults.get("enable.auto.commit", True) if given is None else given
    try:
        return bool(parse_value("enable.auto.commit", ConfigType.BOOLEAN, str(value)))
    except ConfigError as error:
        raise invalid_config(str(error)) from None


def _fetch_min_bytes(given: Number, default: int) -> int:
    value = default if given is None else _integer("fetch.min.bytes", given)
    if value != -1 and not 1 <= value <= _FETCH_MIN_BYTES_MAX:
        raise violated_constraint(
            f"Invalid value {value} for configuration fetch.min.bytes: "
            f"Value must be -1 or between 1 and {_FETCH_MIN_BYTES_MAX}"
        )
    return value


def _request_timeout_ms(given: Number) -> int | None:
    if given is None:
        return None
    value = _integer("consumer.request.timeout.ms", given)
    if value < 0:
        raise violated_constraint(
            f"Invalid value {value} for configuration consumer.request.timeout.ms: Value must be at least 0"
        )
    return value


def _integer(name: str, given: int | str) -> int:
    try:
        value = parse_value(name, ConfigType.INT, str(given))
    except ConfigError as error:
        raise violated_constraint(str(error)) from None
    assert isinstance(value, int), "that is what INT gives"
    return value

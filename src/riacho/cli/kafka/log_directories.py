"""The log directories that a node's properties name, and whose they are."""

from __future__ import annotations

import os
from collections.abc import Mapping

from riacho.base.ids import uuid_text
from riacho.cli.kafka.launch import ToolError
from riacho.log.meta_properties import MetaProperties, read_meta_properties


def log_directories(properties: Mapping[str, str]) -> list[str]:
    text = properties.get("log.dirs") or properties.get("log.dir") or default_of("log.dir")
    named = [part.strip() for part in text.split(",") if part.strip()]
    metadata = properties.get("metadata.log.dir")
    return sorted({*named, *([metadata] if metadata else [])})


def default_of(name: str) -> str:
    from riacho.metadata.settings.broker_configs import BROKER_KEYS

    return BROKER_KEYS[name].default or ""


def stored_meta(directory: str) -> MetaProperties | None:
    try:
        return read_meta_properties(directory)
    except (OSError, ValueError) as error:
        raise ToolError(f"{os.path.join(directory, 'meta.properties')} cannot be read: {error}") from None


def random_uuid() -> str:
    """A version 4 uuid in Kafka's text form; never one that begins with a dash, which would read as a flag."""
    while True:
        raw = bytearray(os.urandom(16))
        raw[6] = raw[6] & 0x0F | 0x40
        raw[8] = raw[8] & 0x3F | 0x80
        text = uuid_text(bytes(raw))
        if not text.startswith("-"):
            return text

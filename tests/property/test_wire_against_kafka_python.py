"""Byte for byte against kafka-python's codecs, tagged fields included, for every message and version that it has."""

from __future__ import annotations

import warnings
from importlib import import_module
from typing import Any

import pytest

from riacho.wire.codec import decode, encode
from riacho.wire.messages.api_versions_response import ApiVersionsResponse
from riacho.wire.schema import Message
from support.wire_messages import RandomMessages, message_classes, versions_of

MESSAGES_EACH = 4
PACKAGES = ("admin", "consumer", "metadata", "producer", "sasl")


def kafka_python_messages() -> dict[str, Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        modules = [vars(import_module(f"kafka.protocol.{name}")) for name in PACKAGES]
        base = import_module("kafka.protocol.api_message").ApiMessage
    found = [c for names in modules for c in names.values() if isinstance(c, type) and issubclass(c, base)]
    return {c.__name__: c for c in found if c is not base}


THEIRS = kafka_python_messages()
CLASSES = [cls for cls in message_classes() if cls.NAME in THEIRS]


def shared_versions(cls: type[Message]) -> list[int]:
    return [v for v in versions_of(cls) if v <= THEIRS[cls.NAME].max_version]


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.NAME)
def test_bytes_equal_kafka_pythons(cls: type[Message]) -> None:
    theirs = THEIRS[cls.NAME]
    for version in shared_versions(cls):
        for seed in range(MESSAGES_EACH):
            message = RandomMessages((cls.NAME, version, seed)).message(cls, version)
            if cls is ApiVersionsResponse:
                # It reads an answer that bears an error as version 0 (KIP-511).
                message.error_code = 0
            ours = bytes(encode(message, version))
            read = theirs.decode(ours, version=version)
            read._header = None
            written = bytes(read.encode(version=version))
            assert written == ours, f"v{version}, seed {seed}"
            assert decode(cls, version, bytearray(written)) == message


def test_kafka_python_covers_what_it_is_thought_to_cover() -> None:
    assert sum(len(shared_versions(cls)) for cls in CLASSES) >= 470

"""The files that may be imported without a reference, as elements and as descriptors."""

from __future__ import annotations

from functools import cache

from google.protobuf import (  # type: ignore[import-untyped]
    any_pb2,
    api_pb2,
    descriptor_pb2,
    duration_pb2,
    empty_pb2,
    field_mask_pb2,
    source_context_pb2,
    struct_pb2,
    timestamp_pb2,
    type_pb2,
    wrappers_pb2,
)

from riacho.schemas.protobuf.builtin_texts import BUILTIN_TEXTS
from riacho.schemas.protobuf.descriptor_options import OptionReader
from riacho.schemas.protobuf.descriptor_reading import read_descriptor
from riacho.schemas.protobuf.elements import File
from riacho.schemas.protobuf.parser import parse_file

_RUNTIME = {
    f"google/protobuf/{name}.proto": module.DESCRIPTOR.serialized_pb
    for name, module in (
        ("any", any_pb2),
        ("api", api_pb2),
        ("descriptor", descriptor_pb2),
        ("duration", duration_pb2),
        ("empty", empty_pb2),
        ("field_mask", field_mask_pb2),
        ("source_context", source_context_pb2),
        ("struct", struct_pb2),
        ("timestamp", timestamp_pb2),
        ("type", type_pb2),
        ("wrappers", wrappers_pb2),
    )
}


def builtin_file(path: str) -> File | None:
    """None of a path that is not built in."""
    return _read(path) if path in BUILTIN_TEXTS or path in _RUNTIME else None


@cache
def _read(path: str) -> File:
    """The table is small and fixed, so all of it may stay in memory."""
    if path in BUILTIN_TEXTS:
        return parse_file(BUILTIN_TEXTS[path])
    return read_descriptor(runtime_descriptor(path), OptionReader())


def runtime_descriptor(path: str) -> descriptor_pb2.FileDescriptorProto | None:
    """What the protobuf runtime itself has under that path."""
    serialized = _RUNTIME.get(path)
    return None if serialized is None else descriptor_pb2.FileDescriptorProto.FromString(serialized)

"""What protoc itself made of the .proto files that googleapis-common-protos brings, in a form that can be compared."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from importlib.resources import files
from typing import Any

from google.protobuf import descriptor_pb2

ROOMS = ("api", "logging/type", "longrunning", "rpc", "rpc/context", "type")


def sources() -> dict[str, str]:
    """Path, as others import it, to text."""
    found = {}
    for room in ROOMS:
        for entry in files(f"google.{room.replace('/', '.')}").iterdir():
            if entry.name.endswith(".proto"):
                found[f"google/{room}/{entry.name}"] = entry.read_text("utf-8")
    return found


def compiled(path: str) -> descriptor_pb2.FileDescriptorProto:
    module = import_module(path.removesuffix(".proto").replace("/", ".") + "_pb2")
    return descriptor_pb2.FileDescriptorProto.FromString(module.DESCRIPTOR.serialized_pb)


def comparable(descriptor: descriptor_pb2.FileDescriptorProto) -> descriptor_pb2.FileDescriptorProto:
    """Without name, and with the parts sorted whose order the text does not keep."""
    descriptor.ClearField("name")
    public = {descriptor.dependency[index] for index in descriptor.public_dependency}
    paths = sorted(descriptor.dependency)
    descriptor.dependency[:] = paths
    descriptor.public_dependency[:] = sorted(map(paths.index, public))
    _sort(descriptor.extension, lambda field: (field.extendee, field.number))
    for service in descriptor.service:
        for method in service.method:
            # protoc notes that an rpc had braces, even where nothing stood between them.
            if not method.options.ByteSize():
                method.ClearField("options")
    for message in descriptor.message_type:
        _sort_message(message)
    return descriptor


def _sort_message(message: descriptor_pb2.DescriptorProto) -> None:
    _sort(message.field, lambda field: field.number)
    _sort(message.nested_type, lambda nested: nested.name)
    for nested in message.nested_type:
        _sort_message(nested)


def _sort(items: Any, key: Callable[[Any], Any]) -> None:
    ordered = [type(item).FromString(item.SerializeToString()) for item in sorted(items, key=key)]
    del items[:]
    items.extend(ordered)

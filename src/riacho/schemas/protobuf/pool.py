"""A schema's messages as classes of the protobuf runtime, in a pool of the schema's own.

Schemas come and go and name the same things differently, so none of them may enter the runtime's own pool.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

from google.protobuf import descriptor_pool, message_factory  # type: ignore[import-untyped]

from riacho.schemas.parsed import SchemaError
from riacho.schemas.protobuf.builtin_files import builtin_file, runtime_descriptor
from riacho.schemas.protobuf.descriptor_writing import write_descriptor
from riacho.schemas.protobuf.files import ProtoFile

_DESCRIPTOR_PATH = "google/protobuf/descriptor.proto"


class SchemaPool:
    """Built on first use; SchemaError where the runtime refuses a file that looked well."""

    def __init__(self, file: ProtoFile) -> None:
        self._file = file
        needed = {other.path for other in file.needed()}
        # The registry's own name for a schema, unless the schema imports something of that name.
        self._name = next(name for name in ("default", *map(str, range(len(needed) + 1))) if name not in needed)

    @cached_property
    def _plain(self) -> tuple[Any, bool]:
        return write_descriptor(self._file, self._name)

    @property
    def messages(self) -> Any:
        """The schema as a FileDescriptorProto, without options that are extensions."""
        return self._plain[0]

    @cached_property
    def pool(self) -> Any:
        pool = _pool_of_imports(self._file)
        _add(pool, self.messages)
        return pool

    @cached_property
    def descriptor(self) -> Any:
        """The schema as a FileDescriptorProto. Only the pool can tell what options mean that are extensions."""
        descriptor, left_out = self._plain
        if not left_out:
            return descriptor
        _add_options(self.pool)
        return write_descriptor(self._file, self._name, self.pool)[0]

    def message_class(self, full_name: str) -> Any:
        return message_factory.GetMessageClass(self.pool.FindMessageTypeByName(full_name))


def _builtin(file: ProtoFile) -> Any:
    """The runtime's own descriptor, unless a reference has taken the path."""
    return runtime_descriptor(file.path) if file.element is builtin_file(file.path) else None


def _add(pool: Any, descriptor: Any) -> None:
    try:
        pool.Add(descriptor)
        pool.FindFileByName(descriptor.name)
    except (TypeError, KeyError, ValueError) as error:
        reason = str(error).removeprefix("Couldn't build proto file into descriptor pool: ")
        raise SchemaError(f"The schema cannot be built: {reason}") from None


def pool_of_descriptor(file: ProtoFile, descriptor: Any) -> Any:
    """A pool with what a descriptor builds on and the descriptor itself."""
    pool = _pool_of_imports(file)
    _add(pool, descriptor)
    _add_options(pool)
    return pool


def _pool_of_imports(file: ProtoFile) -> Any:
    pool = descriptor_pool.DescriptorPool()
    *others, _ = file.needed()
    for other in others:
        _add(pool, _builtin(other) or write_descriptor(other, other.path)[0])
    return pool


def _add_options(pool: Any) -> None:
    """The messages in which descriptors keep options, for a schema that does not import them."""
    try:
        pool.FindFileByName(_DESCRIPTOR_PATH)
    except KeyError:
        _add(pool, runtime_descriptor(_DESCRIPTOR_PATH))

"""A file and those it imports, and what a type's name means in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeVar

from riacho.schemas.parsed import SchemaError
from riacho.schemas.protobuf.builtin_files import builtin_file
from riacho.schemas.protobuf.elements import Enum, Extend, Field, File, Message

# How many imports may follow one another; without it a hostile chain would exhaust the stack.
CHAIN_MAX = 100

Entry = TypeVar("Entry")


@dataclass(frozen=True, slots=True, eq=False)
class TypeEntry:
    """A message or an enum under its full name, and the file that declares it."""

    full_name: str
    element: Message | Enum
    file: ProtoFile

    @property
    def local_name(self) -> str:
        """Without the package."""
        package = self.file.element.package
        return self.full_name[len(package) + 1 :] if package else self.full_name


@dataclass(frozen=True, slots=True)
class ExtensionEntry:
    full_name: str
    extendee: str
    field: Field


class ProtoFile:
    """`path` is what others import it by; the schema itself has none."""

    def __init__(self, path: str, element: File, imports: list[ProtoFile]) -> None:
        self.path = path
        self.element = element
        self.imports = imports
        self.types: dict[str, TypeEntry] = {}
        self.extensions: dict[str, ExtensionEntry] = {}
        self._visible_types: dict[str, TypeEntry] | None = None
        self._visible_extensions: dict[str, ExtensionEntry] | None = None
        package = element.package or ""
        for enum in element.enums:
            self._add_type(package, enum)
        for message in element.top_messages():
            self._add_message(package, message)
        self._add_extensions(package, element.extends)

    def _add_type(self, scope: str, element: Message | Enum) -> str:
        full_name = f"{scope}.{element.name}" if scope else element.name
        if full_name in self.types:
            raise SchemaError(f"{full_name} is defined twice")
        self.types[full_name] = TypeEntry(full_name, element, self)
        return full_name

    def _add_message(self, scope: str, message: Message) -> None:
        full_name = self._add_type(scope, message)
        for enum in message.enums:
            self._add_type(full_name, enum)
        for nested in message.nested():
            self._add_message(full_name, nested)
        self._add_extensions(full_name, message.extends)

    def _add_extensions(self, scope: str, extends: tuple[Extend, ...]) -> None:
        for extend in extends:
            for field in extend.fields:
                full_name = f"{scope}.{field.name}" if scope else field.name
                self.extensions[full_name] = ExtensionEntry(full_name, extend.name, field)

    def exporting(self) -> Iterator[ProtoFile]:
        """Itself and what it imports publicly, through however many files."""
        seen: dict[int, ProtoFile] = {id(self): self}
        waiting = [self]
        while waiting:
            file = waiting.pop()
            yield file
            for imported in file.imports:
                if imported.path in file.element.public_imports and id(imported) not in seen:
                    seen[id(imported)] = imported
                    waiting.append(imported)

    def _visible(self) -> list[ProtoFile]:
        """Nearest last, so that a file's own declarations win."""
        files = [file for imported in self.imports for file in imported.exporting()]
        return [*dict.fromkeys(files), self]

    def resolve(self, name: str, scope: str) -> TypeEntry | None:
        """What a name means that is used within `scope` (a package, or a message's full name)."""
        if self._visible_types is None:
            self._visible_types = {key: entry for file in self._visible() for key, entry in file.types.items()}
        return _lookup(self._visible_types, name, scope)

    def resolve_extension(self, name: str, scope: str) -> ExtensionEntry | None:
        if self._visible_extensions is None:
            found = {key: entry for file in self._visible() for key, entry in file.extensions.items()}
            self._visible_extensions = found
        return _lookup(self._visible_extensions, name, scope)

    def needed(self) -> list[ProtoFile]:
        """All that it builds on, each after what it builds on itself; itself last."""
        ordered: dict[int, ProtoFile] = {}

        def add(file: ProtoFile) -> None:
            if id(file) not in ordered:
                for imported in file.imports:
                    add(imported)
                ordered[id(file)] = file

        add(self)
        return list(ordered.values())


def _lookup(table: Mapping[str, Entry], name: str, scope: str) -> Entry | None:
    if name.startswith("."):
        return table.get(name[1:])
    while scope:
        found = table.get(f"{scope}.{name}")
        if found is not None:
            return found
        scope = scope.rpartition(".")[0]
    return table.get(name)


def load_files(root: File, resolved: Mapping[str, str], read: Callable[[str], File]) -> ProtoFile:
    """The file with its imports: first from the references (read by `read`), then from what is built in."""
    loaded: dict[str, ProtoFile] = {}
    chain: list[str] = []

    def load(path: str) -> ProtoFile:
        if path in chain:
            raise SchemaError(f"The import of {path!a} leads back to itself")
        if path not in loaded:
            if len(chain) >= CHAIN_MAX:
                raise SchemaError("The imports follow one another too deeply")
            chain.append(path)
            element = element_of(path)
            loaded[path] = ProtoFile(path, element, [load(name) for name in dict.fromkeys(element.all_imports())])
            chain.pop()
        return loaded[path]

    def element_of(path: str) -> File:
        element = read(resolved[path]) if path in resolved else builtin_file(path)
        if element is None:
            raise SchemaError(f"The import {path!a} is neither among the references nor built in")
        return element

    return ProtoFile("", root, [load(name) for name in dict.fromkeys(root.all_imports())])

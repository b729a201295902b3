"""Whether a schema reads what another one wrote: all that differs between the two files, in the registry's terms.

Fields meet by number, messages and enums by name. A type that both files declare themselves is compared where it is
declared; one that comes by an import is compared once, when a field is met that uses it, unless both sides mean the
same version of the same subject. A field whose imported type became unreadable is unreadable itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from riacho.schemas.protobuf.compared_types import FieldType, MessageFields, Scope
from riacho.schemas.protobuf.difference import Difference, Kind
from riacho.schemas.protobuf.elements import Enum, Field, Message, OneOf
from riacho.schemas.protobuf.files import ProtoFile, TypeEntry

Subject = tuple[str, int]
Path = tuple[str, ...]
Pair = tuple[TypeEntry, TypeEntry]
Labels = tuple[str | None, str | None]


class Comparison:
    """Of one pair of files. `subjects` say which import comes from which subject and version."""

    def __init__(
        self,
        original: ProtoFile,
        update: ProtoFile,
        original_subjects: Mapping[str, Subject],
        update_subjects: Mapping[str, Subject],
    ) -> None:
        self._files = original, update
        self._subjects = original_subjects, update_subjects
        self._found: dict[Difference, None] = {}
        # Imported types are compared one after the other, not one within the other: chains of them may be long.
        self._current: Pair | None = None
        self._waiting: list[Pair] = []
        self._known: set[Pair] = set()
        self._unreadable: list[Pair] = []
        self._used_by: dict[Pair, list[tuple[Pair | None, Path]]] = {}

    def differences(self) -> list[Difference]:
        original, update = self._files[0].element, self._files[1].element
        if original.package != update.package:
            self._add(Kind.PACKAGE_CHANGED, ())
        scope = Scope(*self._files, path=())
        self._compare_messages(original.messages, update.messages, scope)
        self._compare_enums(original.enums, update.enums, ())
        while self._waiting:
            self._current = before, after = self._waiting.pop()
            if isinstance(before.element, Message) and isinstance(after.element, Message):
                scope = Scope(before.file, after.file, tuple(after.local_name.split(".")))
                self._compare_message(before.element, after.element, scope)
        self._spread()
        return list(self._found)

    def _spread(self) -> None:
        """What is unreadable makes the fields of that type unreadable, and so on up to the schema itself."""
        spread = set(self._unreadable)
        while self._unreadable:
            pair = self._unreadable.pop()
            for user, path in self._used_by.get(pair, []):
                if user == pair:
                    continue
                self._found[_difference(Kind.FIELD_NAMED_TYPE_CHANGED, path)] = None
                if user is not None and user not in spread:
                    spread.add(user)
                    self._unreadable.append(user)

    def _add(self, kind: Kind, path: Path) -> None:
        difference = _difference(kind, path)
        self._found[difference] = None
        if not difference.is_compatible and self._current is not None:
            self._unreadable.append(self._current)

    def _compare_messages(self, original: Iterable[Message], update: Iterable[Message], scope: Scope) -> None:
        old = {message.name: (index, message) for index, message in enumerate(original)}
        new = {message.name: (index, message) for index, message in enumerate(update)}
        for name in dict.fromkeys([*old, *new]):
            path = (*scope.path, name)
            if name not in new:
                if not old[name][1].is_map_entry:
                    self._add(Kind.MESSAGE_REMOVED, path)
            elif name not in old:
                if not new[name][1].is_map_entry:
                    self._add(Kind.MESSAGE_ADDED, path)
            else:
                self._compare_message(old[name][1], new[name][1], scope.inside(name))
                if old[name][0] != new[name][0]:
                    self._add(Kind.MESSAGE_MOVED, path)

    def _compare_message(self, original: Message, update: Message, scope: Scope) -> None:
        if original is update and scope.is_alone:
            return
        self._compare_fields(original, update, scope)
        self._compare_messages(original.messages, update.messages, scope)
        self._compare_enums(original.enums, update.enums, scope.path)

    def _compare_enums(self, original: Iterable[Enum], update: Iterable[Enum], path: Path) -> None:
        old, new = {enum.name: enum for enum in original}, {enum.name: enum for enum in update}
        for name in dict.fromkeys([*old, *new]):
            if name not in new:
                self._add(Kind.ENUM_REMOVED, (*path, name))
            elif name not in old:
                self._add(Kind.ENUM_ADDED, (*path, name))
            else:
                self._compare_constants(old[name], new[name], (*path, name))

    def _compare_constants(self, original: Enum, update: Enum, path: Path) -> None:
        old = {constant.number: constant.name for constant in original.constants}
        new = {constant.number: constant.name for constant in update.constants}
        for number in sorted({*old, *new}):
            where = (*path, str(number))
            if number not in new:
                self._add(Kind.ENUM_CONST_REMOVED, where)
            elif number not in old:
                self._add(Kind.ENUM_CONST_ADDED, where)
            elif old[number] != new[number]:
                self._add(Kind.ENUM_CONST_CHANGED, where)

    def _compare_fields(self, original: Message, update: Message, scope: Scope) -> None:
        old, new = MessageFields(original), MessageFields(update)
        self._compare_oneofs(old, new, update.oneofs, scope.path)
        for number in sorted({*old.by_number, *new.by_number}):
            before, after = old.by_number.get(number), new.by_number.get(number)
            old_path = (*scope.path, *old.oneof_path(number), str(number))
            new_path = (*scope.path, *new.oneof_path(number), str(number))
            if after is None and before is not None:
                self._removed(before, old, new, old_path)
            elif before is None and after is not None:
                self._added(after, new, new_path)
            elif before is not None and after is not None:
                if old.oneof_path(number) and not new.oneof_path(number):
                    self._add(Kind.ONEOF_FIELD_MOVED_TO_TOP_LEVEL, new_path)
                self._compare_field(before, after, new_path, scope)

    def _compare_oneofs(self, old: MessageFields, new: MessageFields, oneofs: Iterable[OneOf], path: Path) -> None:
        """Fields that could be set side by side and now exclude one another lose data of the writer's."""
        for oneof in oneofs:
            numbers = [field.number for field in oneof.fields]
            alone = [number for number in numbers if number in old.by_number and not old.oneof_path(number)]
            origins = {old.oneof_of[number] for number in numbers if number in old.oneof_of}
            if len(alone) + len(origins) > 1:
                kind = Kind.MULTIPLE_FIELDS_MOVED_TO_ONEOF if len(alone) > 1 else Kind.FIELD_MOVED_TO_EXISTING_ONEOF
                self._add(kind, (*path, oneof.name))
        for name in sorted({*old.members, *new.members}):
            if name not in new.members:
                self._add(Kind.ONEOF_REMOVED, (*path, name))
            elif name not in old.members:
                self._add(Kind.ONEOF_ADDED, (*path, name))

    def _removed(self, field: Field, old: MessageFields, new: MessageFields, path: Path) -> None:
        oneof = old.oneof_of.get(field.number)
        if oneof is None:
            self._add(Kind.REQUIRED_FIELD_REMOVED if field.label == "required" else Kind.FIELD_REMOVED, path)
        elif oneof in new.members or any(number in new.by_number for number in old.members[oneof]):
            # A oneof that went with all its fields is one thing removed, and nothing that was left is misread.
            self._add(Kind.ONEOF_FIELD_REMOVED, path)

    def _added(self, field: Field, new: MessageFields, path: Path) -> None:
        if field.number in new.oneof_of:
            self._add(Kind.ONEOF_FIELD_ADDED, path)
        else:
            self._add(Kind.REQUIRED_FIELD_ADDED if field.label == "required" else Kind.FIELD_ADDED, path)

    def _compare_field(self, before: Field, after: Field, path: Path, scope: Scope) -> None:
        if before.name != after.name:
            self._add(Kind.FIELD_NAME_CHANGED, path)
        types = (
            FieldType.of(before, scope.original, scope.original_name),
            FieldType.of(after, scope.update, scope.update_name),
        )
        self._compare_types(*types, (before.label, after.label), path)

    def _compare_types(self, before: FieldType, after: FieldType, labels: Labels, path: Path) -> None:
        if before.kind != after.kind:
            self._add(Kind.FIELD_KIND_CHANGED, path)
        elif before.kind == "map":
            self._compare_scalars(before.key, after.key, (None, None), path)
            self._compare_types(before.map_value(), after.map_value(), (None, None), path)
        elif before.kind == "message":
            self._compare_named(before, after, path)
        else:
            self._compare_scalars(before, after, labels, path)

    def _compare_scalars(self, before: FieldType, after: FieldType, labels: Labels, path: Path) -> None:
        if before.group != after.group:
            self._add(Kind.FIELD_SCALAR_KIND_CHANGED, path)
        elif None not in labels and labels[0] != labels[1]:
            # Of several strings the last can be read as the one; packed numbers cannot.
            is_text = before.group == "text"
            self._add(Kind.FIELD_STRING_OR_BYTES_LABEL_CHANGED if is_text else Kind.FIELD_NUMERIC_LABEL_CHANGED, path)

    def _compare_named(self, before: FieldType, after: FieldType, path: Path) -> None:
        old, new = before.entry, after.entry
        if old is None or new is None:
            if before.name != after.name:
                self._add(Kind.FIELD_NAMED_TYPE_CHANGED, path)
        elif old.local_name != new.local_name:
            self._add(Kind.FIELD_NAMED_TYPE_CHANGED, path)
        elif not self._same_source(old, new):
            self._used_by.setdefault((old, new), []).append((self._current, path))
            if (old, new) not in self._known:
                self._known.add((old, new))
                self._waiting.append((old, new))

    def _same_source(self, before: TypeEntry, after: TypeEntry) -> bool:
        if before.file is self._files[0] and after.file is self._files[1]:
            return True
        old = self._subjects[0].get(before.file.path)
        return old is not None and old == self._subjects[1].get(after.file.path)


def _difference(kind: Kind, path: Path) -> Difference:
    return Difference(kind, "#/" + "/".join(path))

"""Which branch of a union a JSON value is meant for.

Avro's own form names it, `{"string": "x"}`, except for null. As a convenience a value may come without the name, where
just one branch takes values of its JSON kind: a number into `["null", "long"]`, but not into `["int", "double"]`. An
object whose only key is the name of a branch always is the named form, even where a map or record could have that key.
"""

from __future__ import annotations

from riacho.schemas.avro.misfit import Misfit, shown
from riacho.schemas.avro.types import Kind, Union
from riacho.schemas.parsed import Json

_JSON_KIND = {
    Kind.NULL: type(None),
    Kind.BOOLEAN: bool,
    Kind.STRING: str,
    Kind.BYTES: str,
    Kind.ENUM: str,
    Kind.FIXED: str,
    Kind.INT: float,
    Kind.LONG: float,
    Kind.FLOAT: float,
    Kind.DOUBLE: float,
    Kind.ARRAY: list,
    Kind.RECORD: dict,
    Kind.MAP: dict,
}


class UnionChoice:
    def __init__(self, union: Union) -> None:
        self._labels = [branch.label for branch in union.branches]
        self._at = {label: at for at, label in enumerate(self._labels)}
        self.null_at = self._at.get("null")
        self._only: dict[type, int | None] = {}
        for at, branch in enumerate(union.branches):
            kind = _JSON_KIND[branch.kind]
            self._only[kind] = None if kind in self._only else at

    def of(self, value: Json) -> tuple[int, Json]:
        """The index of the branch, and the value without its wrapper. Misfit when there is none, or several."""
        if isinstance(value, dict) and len(value) == 1:
            (label,) = value
            at = self._at.get(label)
            if at is not None:
                return at, value[label]
        kind = float if type(value) is int else type(value)
        found = self._only.get(kind)
        if found is not None:
            return found, value
        names = ", ".join(self._labels)
        if kind in self._only:
            example = next(label for label in self._labels if label != "null")
            raise Misfit(
                f'{shown(value)} could be of several branches of the union [{names}]: name it, {{"{example}": ...}}'
            )
        raise Misfit(f"expected a value of the union [{names}], got {shown(value)}")

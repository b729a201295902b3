"""An answer made to fit a version that lacks some of its fields, for answers that are not made for one version.

The quorum's core answers as the newest version does, and a refusal mirrors what was asked. The encoder refuses a field
that it cannot write, rather than leave out what somebody set on purpose.
"""

from __future__ import annotations

from typing import NamedTuple, TypeVar

from riacho.wire.schema import Field, WireStruct
from riacho.wire.source import FORMATS, default_of

M = TypeVar("M", bound=WireStruct)


class _Plan(NamedTuple):
    """What is to be done for one struct in one version; most have little that needs a look."""

    lacking: tuple[Field, ...]
    never_null: tuple[Field, ...]
    structs: tuple[str, ...]
    arrays: tuple[str, ...]


_PLANS: dict[tuple[type[WireStruct], int], _Plan] = {}


def fitted(message: M, version: int) -> M:
    """The message itself, its fields that the version lacks at their defaults, and no null where none is allowed."""
    cls = type(message)
    plan = _PLANS.get((cls, version))
    if plan is None:
        plan = _PLANS[cls, version] = _plan(cls, version)
    for field in plan.lacking:
        setattr(message, field.name, default_of(field))
    for field in plan.never_null:
        if getattr(message, field.name) is None:
            setattr(message, field.name, default_of(field))
    for name in plan.structs:
        nested = getattr(message, name)
        if nested is not None:
            fitted(nested, version)
    for name in plan.arrays:
        for each in getattr(message, name) or ():
            fitted(each, version)
    return message


def _plan(cls: type[WireStruct], version: int) -> _Plan:
    present = [field for field in cls.FIELDS if field.is_in(version)]
    nested = [field for field in present if not isinstance(field.type, str)]
    return _Plan(
        lacking=tuple(field for field in cls.FIELDS if not field.is_in(version)),
        never_null=tuple(
            field
            for field in present
            if not field.is_nullable_in(version) and (field.array or field.type not in FORMATS)
        ),
        structs=tuple(field.name for field in nested if not field.array),
        arrays=tuple(field.name for field in nested if field.array),
    )

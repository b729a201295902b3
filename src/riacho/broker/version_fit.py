"""An answer made to fit a version that lacks some of its fields, for answers that are not made for one version.

The quorum's core answers as the newest version does, and a refusal mirrors what was asked. The encoder refuses a field
that it cannot write, rather than leave out what somebody set on purpose.
"""

from __future__ import annotations

from typing import Any

from riacho.wire.schema import WireStruct
from riacho.wire.source import default_of


def fitted(message: Any, version: int) -> Any:
    """The message itself, its fields that the version lacks at their defaults, and no null where none is allowed."""
    for field in message.FIELDS:
        value = getattr(message, field.name)
        if not field.is_in(version) or (value is None and not field.is_nullable_in(version)):
            setattr(message, field.name, default_of(field))
        elif isinstance(value, WireStruct):
            fitted(value, version)
        elif field.array and not isinstance(field.type, str):
            for each in value or ():
                fitted(each, version)
    return message

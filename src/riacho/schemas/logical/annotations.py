"""What Avro and JSON Schema keep beside a type because they have no word for it, in the same way both."""

from __future__ import annotations

from collections.abc import Mapping

from riacho.schemas.logical.types import LENGTH_MAX, Kind, LogicalType, UnrepresentableError, sized
from riacho.schemas.parsed import Json


def hinted_name(hints: Json, at: int) -> str | None:
    """What `confluent:union` calls a branch, where it says so."""
    if hints is None:
        return None
    if not isinstance(hints, list) or not all(isinstance(hint, Mapping) for hint in hints):
        raise UnrepresentableError("confluent:union is no list of objects")
    name = hints[at].get("name") if at < len(hints) else None
    if name is not None and not isinstance(name, str):
        raise UnrepresentableError("confluent:union has a name that is no string")
    return name


def key_type(props: Mapping[str, Json]) -> LogicalType:
    """Of maps whose keys are strings: their length is kept beside."""
    length = props.get("logical.key.length")
    if type(length) is not int:
        return sized(Kind.VARCHAR, LENGTH_MAX)
    return sized(Kind.CHAR if props.get("logical.key.type") == "CHAR" else Kind.VARCHAR, length)

"""Schemas that are named in a header of the record, and not in front of its bytes, as newer serializers can do it.

The header `__key_schema_id` or `__value_schema_id` holds a 1 and the schema's GUID, or a 0 and its id; with Protobuf
the indexes of the message follow. Rows that have it are given the prefix that they would have had otherwise, so that
all else need not know of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from uuid import UUID

from pyspark.sql import Column
from pyspark.sql import functions as F

from riacho.pipelines.formats.column_types import FormatError
from riacho.pipelines.formats.registry_client import RegistryClient
from riacho.pipelines.records import HEADERS

_NAMES = {True: "__key_schema_id", False: "__value_schema_id"}
_BY_ID, _BY_GUID = 0, 1
_ID_BYTES, _GUID_BYTES = 5, 17
# Columns of a plan grow with what is written out in it: a few are looked up in a map each.
_SLICE = 500


def id_header(is_key: bool) -> Column:
    """The bytes that name the schema; null where the record has no such header."""
    own = F.filter(F.col(HEADERS), lambda header: header["key"] == _NAMES[is_key])
    return F.try_element_at(own, F.lit(-1))["value"]


def prefix_of(client: RegistryClient, header: bytes) -> bytes:
    """FormatError where the header is none; RegistryError where nobody knows its schema."""
    if len(header) >= _ID_BYTES and header[0] == _BY_ID:
        return header
    if len(header) < _GUID_BYTES or header[0] != _BY_GUID:
        raise FormatError("The header that names the schema has neither an id nor a GUID")
    number = client.id_of(str(UUID(bytes=header[1:_GUID_BYTES])))
    return b"\0" + number.to_bytes(4, "big") + header[_GUID_BYTES:]


def looked_up(header: Column, values: Mapping[bytes, bytes | str], kind: str) -> Column:
    """What stands for each header in `values`, null for others."""
    items = list(values.items())
    found = F.lit(None).cast(kind)
    for at in range(0, len(items), _SLICE):
        pairs = [F.lit(each) for name, value in items[at : at + _SLICE] for each in (name.hex().upper(), value)]
        found = F.coalesce(found, F.create_map(*pairs)[F.hex(header)])
    return found

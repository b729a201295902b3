"""Columns of payloads behind a schema id (magic byte 0, four bytes of id), as Confluent's serializers frame them.

Rows are grouped by their id, each group is read or written at once with its schema, and everything returns to its
place. What is wrong with one row, or with one schema, stands in the `error` of the rows concerned.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from riacho.pipelines.formats.byte_columns import join
from riacho.pipelines.formats.byte_cursor import Cursor, Numbers, spread
from riacho.pipelines.formats.column_types import FormatError
from riacho.pipelines.formats.registry_client import RegistryError
from riacho.schemas.parsed import DataError, SchemaError

PREFIX_BYTES = 5
UNKNOWN_MAGIC = "Unknown magic byte!"
_NOT_FRAMED = -1

Read = Callable[[int, Cursor], pa.Array]
Write = Callable[[int, pa.Array, Numbers], tuple[pa.Array, Numbers]]


def result_of(values: pa.Array, errors: Numbers) -> pa.Array:
    """What a conversion gives Spark: the values, and beside each what was wrong with it."""
    messages = pa.array(errors, pa.string()) if any(errors) else pa.nulls(len(values), pa.string())
    return pa.StructArray.from_arrays([values, messages], ["value", "error"])


def decode_framed(values: pa.Array, target: pa.DataType, format_name: str, read: Read) -> pa.Array:
    """`read` is given a schema id and a cursor behind the ids; it answers a column of type `target`."""
    values = _whole(values)
    given = np.flatnonzero(values.is_valid().to_numpy(zero_copy_only=False))
    cursor = Cursor.of(values if len(given) == len(values) else values.take(pa.array(given)))
    errors = np.full(len(values), None, object)
    ids = _schema_ids(cursor)
    pieces: list[pa.Array] = []
    places: list[Numbers] = []
    for schema_id in np.unique(ids):
        rows = np.flatnonzero(ids == schema_id)
        if schema_id == _NOT_FRAMED:
            errors[given[rows]] = UNKNOWN_MAGIC
            continue
        part = cursor.select(rows)
        try:
            piece = read(int(schema_id), part)
        except (FormatError, SchemaError, DataError) as error:
            errors[given[rows]] = f"Schema {schema_id}: {error}"
            continue
        except RegistryError as error:
            if not error.is_refusal:
                raise
            errors[given[rows]] = f"Schema {schema_id}: {error}"
            continue
        good = np.flatnonzero(~part.bad)
        errors[given[rows[part.bad]]] = f"The bytes are no {format_name} of schema {schema_id}."
        pieces.append(piece if len(good) == len(rows) else piece.take(pa.array(good)))
        places.append(given[rows[good]])
    return result_of(_in_place(pieces, places, len(values), target), errors)


def encode_framed(values: pa.Array, topics: pa.Array, ids: Mapping[str, int], write: Write) -> pa.Array:
    """`ids` is the schema of each topic; rows of other topics are left null. `write` gives bytes and marks bad rows."""
    values, topics = _whole(values), _whole(topics)
    errors = np.full(len(values), None, object)
    valid = values.is_valid().to_numpy(zero_copy_only=False)
    pieces: list[pa.Array] = []
    places: list[Numbers] = []
    for schema_id in sorted(set(ids.values())):
        own = pa.array([topic for topic, each in ids.items() if each == schema_id], pa.string())
        rows = np.flatnonzero(valid & pc.is_in(topics, own).to_numpy(zero_copy_only=False))
        if not rows.size:
            continue
        column = values if len(rows) == len(values) else values.take(pa.array(rows))
        try:
            piece, bad = write(schema_id, column, rows)
        except FormatError as error:
            errors[rows] = f"{error}."
            continue
        good = np.flatnonzero(~bad)
        errors[rows[bad]] = f"The value does not fit schema {schema_id}."
        framed = join(pa.scalar(b"\0" + schema_id.to_bytes(4, "big"), pa.binary()), piece)
        pieces.append(framed if len(good) == len(rows) else framed.take(pa.array(good)))
        places.append(rows[good])
    return result_of(_in_place(pieces, places, len(values), pa.binary()), errors)


def _schema_ids(cursor: Cursor) -> Numbers:
    """The id of each row, -1 where it has none; the cursor moves behind it."""
    framed = cursor.end - cursor.pos >= PREFIX_BYTES
    start = np.minimum(cursor.pos, max(len(cursor.data) - PREFIX_BYTES, 0))
    head = np.ascontiguousarray(cursor.data[start[:, None] + np.arange(PREFIX_BYTES)])
    ids = np.ascontiguousarray(head[:, 1:]).view(">u4").reshape(len(cursor)).astype(np.int64)
    cursor.pos = np.where(framed, cursor.pos + PREFIX_BYTES, cursor.pos)
    return np.where(framed & (head[:, 0] == 0), ids, _NOT_FRAMED)


def _in_place(pieces: list[pa.Array], places: list[Numbers], count: int, target: pa.DataType) -> pa.Array:
    """Pieces of the column, each with the rows it is for, as the whole column."""
    if not pieces:
        return pa.nulls(count, target)
    if len(pieces) == 1:
        return spread(pieces[0], places[0], count)
    rows = np.concatenate(places)
    index = np.full(count, -1, np.int64)
    index[rows] = np.arange(len(rows))
    return pa.concat_arrays(pieces).take(pa.array(index, mask=index < 0))


def _whole(values: pa.Array | pa.ChunkedArray) -> pa.Array:
    return values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values

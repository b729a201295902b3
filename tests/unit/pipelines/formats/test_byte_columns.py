"""Numbers, texts and decimals as columns of bytes, and read again by a cursor."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from riacho.pipelines.formats.byte_columns import decimal_bytes, decimals, join, sized, together, varints, zigzags
from riacho.pipelines.formats.byte_cursor import Cursor, distinct

_LONG = st.integers(-(2**63), 2**63 - 1)


@settings(max_examples=50, deadline=None)
@given(st.lists(_LONG, min_size=1, max_size=20))
def test_signed_numbers_come_back(numbers: list[int]) -> None:
    cursor = Cursor.of(zigzags(np.array(numbers, np.int64)))
    assert cursor.zigzag().tolist() == numbers
    assert not cursor.bad.any()
    assert (cursor.pos == cursor.end).all()


@settings(max_examples=50, deadline=None)
@given(st.lists(st.integers(0, 20), max_size=40))
def test_distinct_numbers_are_found_once_and_in_order(numbers: list[int]) -> None:
    assert distinct(np.array(numbers, np.uint64)) == sorted(set(numbers))


def test_unsigned_numbers_have_as_few_bytes_as_they_need() -> None:
    written = varints(np.array([0, 1, 127, 128, 300, 2**64 - 1], np.uint64))
    assert written.to_pylist() == [b"\0", b"\1", b"\x7f", b"\x80\1", b"\xac\2", b"\xff" * 9 + b"\1"]


@settings(max_examples=50, deadline=None)
@given(st.lists(st.integers(-(10**38) + 1, 10**38 - 1), min_size=1, max_size=10))
def test_decimals_are_written_as_java_writes_them(numbers: list[int]) -> None:
    exact = [Decimal(f"{number}E-2") for number in numbers]
    written = decimal_bytes(pa.array(exact, pa.decimal128(38, 2)))
    shortest = [
        number.to_bytes(((number if number >= 0 else ~number).bit_length() + 8) // 8, "big", signed=True)
        for number in numbers
    ]
    assert written.to_pylist() == shortest
    wrong = np.zeros(len(numbers), bool)
    assert decimals(written, 38, 2, wrong).to_pylist() == exact
    assert not wrong.any()


def test_decimals_with_too_many_digits_are_marked() -> None:
    wrong = np.zeros(3, bool)
    values = pa.array([b"\x7f", b"\x7f\xff\xff", b"\1" * 17], pa.binary())
    assert decimals(values, 3, 0, wrong).to_pylist() == [Decimal(127), None, None]
    assert wrong.tolist() == [False, True, True]


def test_items_are_put_together_by_offsets() -> None:
    items = pa.array([b"a", b"bb", b"", b"c"], pa.binary())
    assert together(items, np.array([0, 2, 2, 4])).to_pylist() == [b"abb", b"", b"c"]


def test_a_slice_is_read_like_a_whole() -> None:
    values = pa.array([b"x", b"hello", b"", b"y"], pa.binary()).slice(1, 2)
    cursor = Cursor.of(sized(values, signed=True))
    assert cursor.blob(cursor.zigzag()).to_pylist() == [b"hello", b""]
    assert join(values, pa.scalar(b"!", pa.binary())).to_pylist() == [b"hello!", b"!"]


def test_a_row_that_ends_too_early_is_bad_and_its_neighbours_are_not() -> None:
    cursor = Cursor.of(pa.array([b"\x80", b"\x0aab", b"", b"\x04ab", b"\xff" * 11], pa.binary()))
    assert cursor.blob(cursor.zigzag()).to_pylist() == [b"", b"", b"", b"ab", b""]
    assert cursor.bad.tolist() == [True, True, True, False, True]

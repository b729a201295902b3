"""Frames are cut out of what comes, a few at a time, and refused by the nine bytes in front of them."""

from __future__ import annotations

import pytest
from h2.errors import ErrorCodes

from riacho.web.http2.allowance import Allowance
from riacho.web.http2.frames import FrameCutter, FrameError
from riacho.web.upgrade import PREFACE
from unit.web.http2.http2_caller import CONTINUATION, DATA, END_HEADERS, GOAWAY, HEADERS, PING, frame


def begun() -> FrameCutter:
    cutter = FrameCutter(1000, 0.0)
    cutter.feed(PREFACE)
    assert cutter.take(1, 0.0) == PREFACE
    return cutter


def test_frames_come_out_whole_however_they_came() -> None:
    data = (
        PREFACE + frame(HEADERS, END_HEADERS, 1, b"abc") + frame(DATA, 0, 1, b"d" * 300) + frame(PING, payload=bytes(8))
    )
    cutter = FrameCutter(1000, 0.0)
    out = b""
    for byte in data:
        cutter.feed(bytes([byte]))
        out += cutter.take(64, 0.0)
    assert out == data
    assert len(cutter) == 0


def test_so_many_at_a_time() -> None:
    cutter = begun()
    ping = frame(PING, payload=bytes(8))
    cutter.feed(ping * 5)
    assert (cutter.take(2, 0.0), cutter.is_more) == (ping * 2, True)
    assert (cutter.take(2, 0.0), cutter.is_more) == (ping * 2, True)
    assert (cutter.take(2, 0.0), cutter.is_more) == (ping, False)


def test_what_begins_otherwise_is_refused() -> None:
    cutter = FrameCutter(1000, 0.0)
    cutter.feed(PREFACE[:-1] + b"x")
    with pytest.raises(FrameError):
        cutter.take(1, 0.0)


def test_a_farewell_is_kept_back() -> None:
    cutter = begun()
    cutter.feed(frame(DATA, 0, 1, b"a") + frame(GOAWAY, payload=bytes(8)) + frame(DATA, 0, 1, b"b"))
    assert cutter.take(64, 0.0) == frame(DATA, 0, 1, b"a") + frame(DATA, 0, 1, b"b")
    assert cutter.is_leaving


def test_a_large_frame_is_refused_before_it_is_there() -> None:
    cutter = begun()
    cutter.feed(frame(DATA, 0, 1, size=16_385))
    with pytest.raises(FrameError) as caught:
        cutter.take(64, 0.0)
    assert caught.value.code is ErrorCodes.FRAME_SIZE_ERROR


def test_a_head_in_parts_has_a_size_as_a_whole() -> None:
    cutter = begun()
    cutter.feed(frame(HEADERS, 0, 1, bytes(600)) + frame(CONTINUATION, END_HEADERS, 1, bytes(400)))
    cutter.take(1, 0.0)
    assert cutter.is_in_block
    cutter.take(1, 0.0)
    assert not cutter.is_in_block
    cutter.feed(frame(HEADERS, 0, 3, bytes(600)) + frame(CONTINUATION, 0, 3, bytes(401)))
    with pytest.raises(FrameError, match="too large"):
        cutter.take(64, 0.0)


def test_an_allowance_is_used_up_and_comes_back_with_time_and_work() -> None:
    allowance = Allowance(10, 2.0, now_s=100.0)
    assert all(allowance.spend(1, 100.0) for _ in range(10))
    assert not Allowance(10, 2.0, now_s=100.0).spend(11, 100.0)
    assert allowance.spend(2, 101.0)
    assert not allowance.spend(1, 101.0)
    allowance.earn(5)
    assert allowance.spend(4, 101.0)
    # Never more than at the beginning.
    assert not allowance.spend(11, 10_000.0)

"""Frames come out whole and writable whatever the chunks that brought them."""

from __future__ import annotations

import random
import tracemalloc

import pytest

from riacho.wire.frame import ROOM_SIZE_BYTES_MIN, AnswerReader, FrameReader
from riacho.wire.primitives import WireError

BODIES = [b"", b"a", b"hello world", bytes(range(40))]
LIMIT = 1000


def framed(*bodies: bytes) -> bytes:
    return b"".join(len(body).to_bytes(4, "big") + body for body in bodies)


def test_many_frames_in_one_chunk() -> None:
    reader = FrameReader(LIMIT)
    assert reader.feed(framed(*BODIES)) == BODIES
    assert not reader.is_mid_frame
    assert reader.pending_bytes == 0


def test_every_pair_of_cuts() -> None:
    stream = framed(*BODIES)
    for first in range(len(stream) + 1):
        for second in range(first, len(stream) + 1):
            reader = FrameReader(LIMIT)
            frames = [
                frame
                for chunk in (stream[:first], stream[first:second], stream[second:])
                for frame in reader.feed(chunk)
            ]
            assert frames == BODIES
            assert not reader.is_mid_frame


@pytest.mark.parametrize("size", range(1, 12))
def test_chunks_of_one_size(size: int) -> None:
    stream = framed(*BODIES) * 3
    reader = FrameReader(LIMIT)
    frames = [frame for i in range(0, len(stream), size) for frame in reader.feed(stream[i : i + size])]
    assert frames == BODIES * 3


def test_random_chunks_of_random_frames() -> None:
    rng = random.Random(9)
    for _ in range(100):
        bodies = [rng.randbytes(rng.choice((0, 1, 3, 50, 900))) for _ in range(8)]
        stream, reader, frames = framed(*bodies), FrameReader(LIMIT), []
        while stream:
            size = rng.choice((1, 2, 3, 4, 5, 60, 1500))
            frames += reader.feed(stream[:size])
            stream = stream[size:]
        assert frames == bodies


def test_frames_are_the_callers_own() -> None:
    chunk = bytearray(framed(b"one", b"two"))
    reader = FrameReader(LIMIT)
    frames = reader.feed(chunk) + reader.feed(framed(b"three")[:6]) + reader.feed(framed(b"three")[6:])
    for frame in frames:
        assert type(frame) is bytearray
        frame[0] = 0x21
    assert frames == [b"!ne", b"!wo", b"!hree"]
    assert chunk == framed(b"one", b"two")
    kept = memoryview(frames[2])
    reader.feed(framed(b"later")[:7])
    assert kept == b"!hree"


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_chunks_of_any_buffer(kind: type) -> None:
    reader = FrameReader(LIMIT)
    stream = framed(b"first", b"second")
    assert reader.feed(kind(stream[:2])) == []
    assert reader.feed(kind(stream[2:12])) == [b"first"]
    assert reader.feed(kind(stream[12:])) == [b"second"]


def test_what_is_owed_is_told() -> None:
    reader = FrameReader(LIMIT)
    stream = framed(b"abcdef")
    for fed, byte in enumerate(stream):
        assert reader.pending_bytes == fed
        assert reader.is_mid_frame == (fed > 0)
        reader.feed(bytes((byte,)))
    assert reader.pending_bytes == 0
    assert not reader.is_mid_frame


def test_an_empty_chunk_changes_nothing() -> None:
    reader = FrameReader(LIMIT)
    assert reader.feed(b"") == []
    reader.feed(framed(b"abc")[:5])
    assert reader.feed(b"") == []
    assert reader.feed(framed(b"abc")[5:]) == [b"abc"]


def test_the_largest_frame_passes() -> None:
    assert FrameReader(LIMIT).feed(framed(bytes(LIMIT))) == [bytes(LIMIT)]


@pytest.mark.parametrize("size", [LIMIT + 1, 2**31 - 1, -1, -(2**31)])
def test_sizes_out_of_bounds_are_refused(size: int) -> None:
    head = size.to_bytes(4, "big", signed=True)
    for cut in range(4):
        reader = FrameReader(LIMIT)
        reader.feed(head[:cut])
        with pytest.raises(WireError, match=str(size)):
            reader.feed(head[cut:])


@pytest.mark.parametrize(
    ("start", "protocol"),
    [
        (b"\x16\x03\x01\x02\x00", "a TLS handshake"),
        (b"\x16\x03\x03\x00\xf4", "a TLS handshake"),
        (b"GET / HTTP/1.1", "an HTTP request"),
        (b"POST /topics HTTP/1.1", "an HTTP request"),
    ],
)
def test_the_start_of_another_protocol_is_called_by_its_name(start: bytes, protocol: str) -> None:
    with pytest.raises(WireError, match=f"^{protocol}, where Kafka's protocol is expected"):
        FrameReader(LIMIT).feed(start)


def test_the_limit_may_change_between_frames() -> None:
    reader = FrameReader(4)
    assert reader.feed(framed(b"sasl")) == [b"sasl"]
    reader.max_frame_bytes = LIMIT
    assert reader.feed(framed(b"much longer")) == [b"much longer"]


def test_a_claimed_size_takes_no_memory() -> None:
    tracemalloc.start()
    readers = [FrameReader(100 * 1024 * 1024) for _ in range(50)]
    for reader in readers:
        assert reader.feed((100 * 1024 * 1024).to_bytes(4, "big") + b"some") == []
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 100_000


def test_a_large_frame_in_chunks() -> None:
    body = random.Random(1).randbytes(3_000_000)
    stream, reader = framed(body, b"next"), FrameReader(4_000_000)
    frames = [frame for i in range(0, len(stream), 65_536) for frame in reader.feed(stream[i : i + 65_536])]
    assert frames == [body, b"next"]


LARGE = 300_000
MUCH = 1 << 30


def test_the_rest_of_a_large_frame_is_put_into_its_room() -> None:
    body = random.Random(2).randbytes(LARGE)
    for first, chunk in ((LARGE // 2, LARGE), (LARGE // 5, 1_000), (40_000, 7)):
        stream, reader = memoryview(framed(body)), FrameReader(LARGE)
        assert reader.room(MUCH) is None
        assert reader.feed(stream[: 4 + first]) == []
        position, frame = 4 + first, None
        while frame is None:
            room = reader.room(MUCH)
            assert room is not None
            size = min(chunk, len(room))
            room[:size] = stream[position : position + size]
            frame, position = reader.fill(size), position + size
        assert frame == body
        assert type(frame) is bytearray
        assert not reader.is_mid_frame
        assert reader.room(MUCH) is None
        assert reader.feed(framed(b"next")) == [b"next"]


def test_room_grows_with_what_came_and_is_counted() -> None:
    reader = FrameReader(MUCH)
    reader.feed((100 << 20).to_bytes(4, "big") + bytes(1_000))
    assert reader.room(MUCH) is None
    reader.feed(bytes(3_000))
    room = reader.room(MUCH)
    assert room is not None
    assert len(room) == 16 * 4_000
    assert reader.pending_bytes == 4 + 17 * 4_000
    reader.fill(len(room))
    again = reader.room(100_000)
    assert again is not None
    assert len(again) == 100_000
    assert reader.pending_bytes == 4 + 17 * 4_000 + 100_000


def test_no_room_where_little_is_missing_or_allowed() -> None:
    reader = FrameReader(LARGE)
    reader.feed(framed(bytes(LARGE))[: -ROOM_SIZE_BYTES_MIN + 1])
    assert reader.room(MUCH) is None
    reader = FrameReader(LARGE)
    reader.feed(framed(bytes(LARGE))[: LARGE // 2])
    assert reader.room(ROOM_SIZE_BYTES_MIN - 1) is None
    assert reader.room(ROOM_SIZE_BYTES_MIN) is not None


def test_what_is_fed_although_there_is_room_goes_on_where_the_frame_is() -> None:
    body = random.Random(3).randbytes(LARGE)
    reader = FrameReader(LARGE)
    reader.feed(framed(body)[:100_000])
    assert reader.room(MUCH) is not None
    assert reader.feed(framed(body)[100_000:150_000]) == []
    assert reader.room(MUCH) is not None
    assert reader.feed(framed(body)[150_000:] + framed(b"next")) == [body, b"next"]


def test_answers_are_read_to_where_they_stay_whatever_the_pieces() -> None:
    bodies = [b"1234", bytes(range(256)) * 4_000, b"12345678", bytes(70_000)]
    stream = memoryview(framed(*bodies))
    for step in (1_000, 16 * 1024, len(stream)):
        reader, position, frames = AnswerReader(4_000_000), 0, []
        while position < len(stream):
            buffer = reader.buffer()
            size = min(step, len(buffer), len(stream) - position)
            buffer[:size] = stream[position : position + size]
            frames += reader.filled(size)
            position += size
        assert frames == bodies


def test_there_is_room_for_all_of_an_answer_once_its_size_is_known() -> None:
    reader = AnswerReader(4_000_000)
    begun = framed(bytes(1_000_000))[:5_000]
    reader.buffer()[: len(begun)] = begun
    assert reader.filled(len(begun)) == []
    assert len(reader.buffer()) == 1_000_000 + 4 - len(begun)
    reader.drop()
    assert len(reader.buffer()) < 1_000_000


def test_an_answer_without_room_for_its_correlation_id_is_none() -> None:
    reader = AnswerReader(4_000_000)
    reader.buffer()[:7] = framed(b"123")
    with pytest.raises(WireError, match="a frame of 3 bytes"):
        reader.filled(7)

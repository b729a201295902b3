"""A process that writes a log is killed, again and again, at moments chosen by a seed. What it acknowledged is there.

The child is forked, so twenty rounds take seconds; it acknowledges each append over a pipe, as a broker does to its
client, and is killed with SIGKILL while it appends, rolls, flushes or swaps compacted segments.
"""

from __future__ import annotations

import os
import random
import signal
import struct
from collections.abc import Callable, Iterator
from pathlib import Path

from riacho.log.cleaner import commit
from riacho.log.cleaning import clean
from riacho.log.compaction import cleanable, plan_cleaning
from riacho.log.config import LogConfig
from riacho.log.log import Log
from riacho.log.real_files import RealFiles
from riacho.wire.batch import read_header
from support.log_files import make_batch, read_batches, read_records

ROUNDS = 20
_ACK = struct.Struct(">qq")
KEYS = 17


def value_at(number: int) -> bytes:
    return b"%d:" % number + b"x" * (number % 200)


def open_after_crash(path: Path, config: LogConfig) -> Log:
    log = Log.open(path, config, topic_id=bytes(16), now_ms=1_000, clean_shutdown=False)
    log.high_watermark = log.log_end_offset
    return log


def append(log: Log, number: int) -> int:
    batch = make_batch(
        [value_at(number)], keys=[b"key-%d" % (number % KEYS)], timestamp=1_000 + number,
        producer_id=7, producer_epoch=0, base_sequence=number,
    )  # fmt: skip
    return log.append(batch, read_header(batch), number // 1_000, 1_000).base_offset


def die_at_rename(count: int) -> None:
    """Kill this process by SIGKILL instead of its rename number `count`: a crash in the middle of a swap."""
    rename = os.rename
    left = count

    def counted(source: str, target: str) -> None:
        nonlocal left
        if source.endswith(".tmp"):
            # A checkpoint, which is no part of it.
            rename(source, target)
            return
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        left -= 1
        rename(source, target)

    RealFiles.rename = staticmethod(counted)  # type: ignore[method-assign,assignment]


def killed(
    work: Callable[[int], None], acks: int, pause: random.Random, *, dies_alone: bool = False
) -> Iterator[tuple[int, int]]:
    """Run `work` in a child, kill it after so many acknowledgements, or let it kill itself; the acknowledgements that
    came out."""
    read_fd, write_fd = os.pipe()
    child = os.fork()
    if not child:
        try:
            os.close(read_fd)
            work(write_fd)
        finally:
            os._exit(1)
    os.close(write_fd)
    with os.fdopen(read_fd, "rb") as pipe:
        for _ in range(acks):
            data = pipe.read(_ACK.size)
            if len(data) < _ACK.size:
                assert dies_alone, "the child ended by itself"
                break
            yield _ACK.unpack(data)
        for _ in range(pause.randrange(20_000)):
            pass
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        assert os.WIFSIGNALED(status)
        while len(data := pipe.read(_ACK.size)) == _ACK.size:
            yield _ACK.unpack(data)


def test_every_acknowledged_batch_survives(tmp_path: Path) -> None:
    config = LogConfig(segment_size_bytes_max=20_000, index_interval_bytes=500)
    rng = random.Random(11)
    expected: dict[int, bytes] = {}
    for _ in range(ROUNDS):

        def work(write_fd: int) -> None:
            log = open_after_crash(tmp_path / "t-0", config)
            number = log.log_end_offset
            while True:
                os.write(write_fd, _ACK.pack(append(log, number), number))
                number += 1
                if number % 397 == 0:
                    log.flush()

        for offset, number in killed(work, rng.randrange(1, 400), rng):
            assert offset == number
            expected[offset] = value_at(number)
        log = open_after_crash(tmp_path / "t-0", config)
        found = {offset: value for offset, _, value in read_records(log)}
        assert list(found) == list(range(log.log_end_offset))
        assert {offset: found[offset] for offset in expected} == expected
        assert all(found[offset] == value_at(offset) for offset in found)
        (producer,) = log.producers()
        assert producer.last_sequence == log.log_end_offset - 1
        assert log.latest_epoch == (log.log_end_offset - 1) // 1_000
        assert log.lookup_timestamp(1_000 + log.log_end_offset // 2) == (
            1_000 + log.log_end_offset // 2, log.log_end_offset // 2, log.log_end_offset // 2 // 1_000,
        )  # fmt: skip
        log.close(clean=False)


def test_compaction_survives_being_killed(tmp_path: Path) -> None:
    config = LogConfig(
        segment_size_bytes_max=4_000, index_interval_bytes=500, cleanup_policy=frozenset({"compact"}),
        file_delete_delay_ms=0,
    )  # fmt: skip
    rng = random.Random(23)
    acked = -1
    swaps = 0
    for round_number in range(ROUNDS):
        # Every other round dies within a swap for sure, the rest wherever the clock has it.
        renames = rng.randrange(12) if round_number % 2 else None

        def work(write_fd: int, renames: int | None = renames) -> None:
            log = open_after_crash(tmp_path / "t-0", config)
            number = log.log_end_offset
            if renames is not None:
                die_at_rename(renames)
            while True:
                os.write(write_fd, _ACK.pack(append(log, number), number))
                number += 1
                log.high_watermark = log.log_end_offset
                if number % 10 == 0:
                    plan = plan_cleaning(log, cleanable(log, None, 1_000), 1_000)
                    if plan is not None:
                        commit(log, clean(plan), 1_000)
                        log.deletions.run(None)

        acks = 10_000 if renames is not None else rng.randrange(10, 60)
        for _, number in killed(work, acks, rng, dies_alone=renames is not None):
            acked = max(acked, number)
        left = [path.suffix for path in (tmp_path / "t-0").iterdir()]
        swaps += any(suffix in (".cleaned", ".swap", ".deleted") for suffix in left)
        log = open_after_crash(tmp_path / "t-0", config)
        assert not [path for path in (tmp_path / "t-0").iterdir() if path.suffix in (".cleaned", ".swap", ".deleted")]
        assert log.log_end_offset > acked
        rows = read_records(log)
        assert [offset for offset, _, _ in rows] == sorted({offset for offset, _, _ in rows})
        assert all(value == value_at(offset) for offset, _, value in rows)
        latest = {key: offset for offset, key, _ in rows}
        assert latest == {
            b"key-%d" % (n % KEYS): n for n in range(max(0, log.log_end_offset - KEYS), log.log_end_offset)
        }
        assert [known.last_sequence for known in log.producers()] == [log.log_end_offset - 1]
        assert read_batches(log)[-1][0].last_offset == log.log_end_offset - 1
        log.close(clean=False)
    print(f"{swaps} of {ROUNDS} kills hit a pass")
    assert swaps, "no kill hit a pass: the test proves nothing"

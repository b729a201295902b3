"""Whatever becomes of one small file of a data directory, the logs beside it open as they were.

No checksum guards Kafka's checkpoints, so a file that reads as one is believed; these are damaged so that none could.
"""

from __future__ import annotations

import itertools
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from riacho.base.errors import ErrorCode, KafkaError
from riacho.broker.quorum.metadata_log import MetadataLog
from riacho.log.config import LogConfig
from riacho.log.directories import LogDirectories
from riacho.log.log import Log
from riacho.raft.quorum_state import QuorumState
from support.log_files import append, read_batches

TOPIC_ID = bytes(range(16))
CONFIG = LogConfig(segment_size_bytes_max=400, index_interval_bytes=100)
CHECKPOINTS = (
    "recovery-point-offset-checkpoint",
    "replication-offset-checkpoint",
    "cleaner-offset-checkpoint",
    "orders-0/leader-epoch-checkpoint",
    "orders-0/partition.metadata",
    "orders-0/00000000000000000005.snapshot",
    "orders-0/00000000000000000010.snapshot",
    "orders-0/00000000000000000005.index",
    "orders-0/00000000000000000005.timeindex",
    ".kafka_cleanshutdown",
)


def directories_at(path: Path) -> LogDirectories:
    numbers = itertools.count(1)
    opened = LogDirectories(
        [str(path)], node_id=1, cluster_id="cluster", new_directory_id=lambda: next(numbers).to_bytes(16, "big")
    )
    try:
        opened.open_all(lambda _: CONFIG, 1_000)
    except BaseException:
        opened.directories[0].unlock()
        raise
    return opened


def write(path: Path) -> LogDirectories:
    """Segments, three epochs, a producer; the older part is flushed, the younger only written."""
    opened = directories_at(path)
    log = opened.create("orders", 0, TOPIC_ID, CONFIG, 1_000)
    for number in range(16):
        append(log, b"value-%d" % number, epoch=number // 5, producer_id=7, producer_epoch=0, base_sequence=number)
        if number == 11:
            log.flush()
            opened.checkpoint()
    log.high_watermark = 12
    opened.checkpoint_high_watermarks()
    [directory] = opened.directories
    directory.cleaner_offsets["orders", 0] = 3
    directory.checkpoint_cleaner()
    return opened


def state(log: Log) -> tuple[Any, ...]:
    producers = [(known.producer_id, known.epoch, known.last_sequence) for known in log.producers()]
    return log.log_start_offset, log.log_end_offset, log.epochs.entries, producers, read_batches(log)


@pytest.fixture(scope="module")
def written() -> Iterator[dict[bool, tuple[Path, tuple[Any, ...]]]]:
    """A directory by whether it was closed in order, and what was in its log."""
    with TemporaryDirectory() as directory:
        found = {}
        for clean in (True, False):
            path = Path(directory) / str(clean)
            opened = write(path)
            found[clean] = (path, state(opened.logs["orders", 0]))
            opened.close(clean=clean)
            names = CHECKPOINTS if clean else CHECKPOINTS[:-1]
            assert [name for name in names if not (path / name).exists()] == []
        yield found


# Text that cannot be a checkpoint, and what a power failure makes of a file that was not synced.
damages = st.one_of(
    st.just(None),
    st.just(b""),
    st.builds(lambda size: bytes(size), st.integers(1, 600)),
    st.binary(min_size=1, max_size=200).filter(lambda data: not data[:1].isdigit()),
    st.builds(lambda share: ("cut", share), st.floats(0, 0.99)),
)


def damage(path: Path, how: Any) -> None:
    if how is None:
        path.unlink(missing_ok=True)
    elif isinstance(how, tuple):
        data = path.read_bytes() if path.exists() else b""
        path.write_bytes(data[: int(len(data) * how[1])])
    else:
        path.write_bytes(how)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(name=st.sampled_from(CHECKPOINTS), how=damages, clean=st.booleans())
def test_a_log_opens_as_it_was(
    written: dict[bool, tuple[Path, tuple[Any, ...]]], name: str, how: Any, clean: bool
) -> None:
    source, before = written[clean]
    with TemporaryDirectory() as directory:
        path = Path(directory) / "data"
        shutil.copytree(source, path)
        # A mark of an orderly stop that nobody made is no damage.
        if clean or name != CHECKPOINTS[-1]:
            damage(path / name, how)
        again = directories_at(path)
        log = again.create("orders", 0, TOPIC_ID, CONFIG, 1_000)
        assert state(log) == before
        assert log.topic_id == TOPIC_ID
        assert append(log, b"next", epoch=9, producer_id=7, producer_epoch=0, base_sequence=16).base_offset == 16
        again.close(clean=True)
        once_more = directories_at(path)
        assert state(once_more.logs["orders", 0])[:4] == (0, 17, (*before[2], (9, 16)), [(7, 0, 16)])
        assert once_more.logs["orders", 0].topic_id == TOPIC_ID
        once_more.close(clean=False)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(how=damages.filter(lambda how: how is not None))
def test_whose_a_directory_is_cannot_be_guessed(written: dict[bool, tuple[Path, tuple[Any, ...]]], how: Any) -> None:
    with TemporaryDirectory() as directory:
        path = Path(directory) / "data"
        shutil.copytree(written[True][0], path)
        file = path / "meta.properties"
        text = file.read_bytes()
        damage(file, how)
        # Without its last newline it still says all.
        assume(file.read_bytes().strip() != text.strip())
        with pytest.raises(KafkaError, match=r"log directory .*data"):
            directories_at(path)


@settings(max_examples=60, deadline=None)
@given(how=st.one_of(damages, st.sampled_from([b"[]", b"7", b"null", b'"x"', b'{"leaderId":{}}', b'{"a":1}'])))
def test_a_vote_that_cannot_be_read_is_told_and_not_given_again(how: Any) -> None:
    with TemporaryDirectory() as directory:
        path = Path(directory)
        log = MetadataLog(directory, 1 << 20, 1 << 40, 0)
        log.save_state(QuorumState(1, 7, 2), [1, 2, 3], 0)
        log.close()
        file = path / "__cluster_metadata-0" / "quorum-state"
        assert json.loads(file.read_text())["leaderEpoch"] == 7
        damage(file, how)
        again = MetadataLog(directory, 1 << 20, 1 << 40, 0)
        if how is None:
            assert again.load_state() is None
        else:
            with pytest.raises(KafkaError, match="quorum-state cannot be read") as refused:
                again.load_state()
            assert refused.value.code is ErrorCode.KAFKA_STORAGE_ERROR
        again.close()

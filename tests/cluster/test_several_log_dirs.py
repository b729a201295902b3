"""Several `log.dirs`, one of them out of service: the broker lives on the others and forgets nothing."""

from __future__ import annotations

import subprocess
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from confluent_kafka import Message

from conformance.confluent import admin, create_topic, produce, read_all
from conformance.raw import RawConnection
from riacho.base.errors import ErrorCode
from support.broker_command import assert_told_in_one_sentence, run_to_its_end
from support.ports import free_port
from support.riacho_process import RiachoProcess

NAMES = [f"topic-{number}" for number in range(4)]


class Disks:
    """A broker over two directories, `one` and `two`."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.one, self.two = directory / "one", directory / "two"
        self.metrics_port = free_port()
        self.broker = RiachoProcess(
            directory,
            {
                "log.dirs": f"{self.one},{self.two}",
                "offsets.topic.num.partitions": "1",
                "riacho.metrics.port": str(self.metrics_port),
            },
        )

    def homes(self) -> dict[str, Path]:
        """Which directory has which topic."""
        return {
            path.name.removesuffix("-0"): path.parent
            for each in (self.one, self.two)
            if each.is_dir()
            for path in each.glob("topic-*-0")
        }

    def offline_count(self) -> int:
        with urllib.request.urlopen(f"http://127.0.0.1:{self.metrics_port}/metrics", timeout=5) as answer:
            lines = answer.read().decode().splitlines()
        return int(next(line for line in lines if line.startswith("riacho_offline_log_dirs ")).split()[1])


@pytest.fixture
def disks(tmp_path: Path) -> Iterator[Disks]:
    made = Disks(tmp_path)
    yield made
    if made.broker.is_running:
        made.broker.stop()


@pytest.fixture
def cleanup() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


def break_by_a_file(path: Path, cleanup: ExitStack) -> None:
    path.rename(path.with_suffix(".aside")) if path.exists() else None
    path.write_text("not a directory")


def break_by_a_read_only_mount(path: Path, cleanup: ExitStack) -> None:
    path.mkdir(exist_ok=True)
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "ro,size=1m", "tmpfs", path], capture_output=True)
    if mounted.returncode != 0:
        pytest.skip(f"no file system can be mounted here: {mounted.stderr.decode().strip()}")
    cleanup.callback(lambda: subprocess.run(["umount", "-l", path], check=True))


@pytest.mark.parametrize("break_it", [break_by_a_file, break_by_a_read_only_mount])
def test_a_broker_starts_without_a_directory_that_cannot_be_used(
    disks: Disks, cleanup: ExitStack, break_it: Callable[[Path, ExitStack], None]
) -> None:
    break_it(disks.two, cleanup)
    disks.broker.start()
    for name in NAMES:
        create_topic(disks.broker.bootstrap, name)
        produce(disks.broker.bootstrap, name, [{"value": name}])
    assert [values(read_all(disks.broker.bootstrap, name, 1)) for name in NAMES] == [[name] for name in NAMES]
    assert disks.homes() == dict.fromkeys(NAMES, disks.one)
    assert disks.offline_count() == 1
    with RawConnection(("127.0.0.1", disks.broker.port)) as connection:
        told = connection.ask("DescribeLogDirs", 4, topics=None).results
    found = {each.log_dir: (each.error_code, {topic.name for topic in each.topics} & set(NAMES)) for each in told}
    assert found == {str(disks.one): (0, set(NAMES)), str(disks.two): (ErrorCode.KAFKA_STORAGE_ERROR, set())}
    assert f"log directory is out of service path={disks.two}" in disks.broker.output_tail()
    assert disks.broker.stop() == 0


def values(messages: list[Message]) -> list[str]:
    return [(message.value() or b"").decode() for message in messages]


def test_partitions_spread_over_the_directories_and_survive_the_loss_of_one(disks: Disks) -> None:
    bootstrap = disks.broker.start()
    for name in NAMES:
        create_topic(bootstrap, name)
        produce(bootstrap, name, [{"value": f"{name} {number}"} for number in range(3)])
    assert disks.broker.stop() == 0
    homes = disks.homes()
    here, away = [n for n in NAMES if homes[n] == disks.one], [n for n in NAMES if homes[n] == disks.two]
    assert len(here) == len(away) == 2, "new partitions go where the fewest are"

    aside = disks.two.rename(disks.directory / "aside")
    disks.two.write_text("the disk is gone")
    disks.broker.start()
    for name in here:
        assert values(read_all(bootstrap, name, 3)) == [f"{name} {number}" for number in range(3)]
    with RawConnection(("127.0.0.1", disks.broker.port)) as connection:
        for name in away:
            asked = [{"name": name, "partitions": [{"partition_index": 0, "timestamp": -1}]}]
            [answer] = connection.ask("ListOffsets", 5, replica_id=-1, topics=asked).topics
            assert answer.partitions[0].error_code != 0, "an empty log took the place of the one that is away"
    create_topic(bootstrap, "topic-new")
    produce(bootstrap, "topic-new", [{"value": "x"}])
    assert set(disks.homes()) == {*here, "topic-new"}
    assert disks.broker.stop() == 0

    disks.two.unlink()
    aside.rename(disks.two)
    disks.broker.start()
    for name in NAMES:
        assert values(read_all(bootstrap, name, 3)) == [f"{name} {number}" for number in range(3)]
    assert values(read_all(bootstrap, "topic-new", 1)) == ["x"]
    assert set(admin(bootstrap).list_topics(timeout=10).topics) >= {*NAMES, "topic-new"}


def test_without_the_directory_of_the_metadata_nothing_starts_and_nothing_is_deleted(disks: Disks) -> None:
    bootstrap = disks.broker.start()
    for name in NAMES:
        create_topic(bootstrap, name)
        produce(bootstrap, name, [{"value": name}])
    assert disks.broker.stop() == 0
    before = disks.homes()

    aside = disks.one.rename(disks.directory / "aside")
    disks.one.write_text("the disk is gone")
    done = run_to_its_end(str(disks.directory / "server.properties"), "--error-log", str(disks.directory / "error.log"))
    assert_told_in_one_sentence(done, str(disks.one), "metadata")

    disks.one.unlink()
    aside.rename(disks.one)
    disks.broker.start()
    assert disks.homes() == before
    for name in NAMES:
        assert values(read_all(bootstrap, name, 1)) == [name]


def test_without_any_directory_that_can_be_used_the_broker_says_so(disks: Disks, cleanup: ExitStack) -> None:
    break_by_a_file(disks.one, cleanup)
    break_by_a_file(disks.two, cleanup)
    listeners = f"listeners=PLAINTEXT://127.0.0.1:{free_port()}"
    done = run_to_its_end("--override", f"log.dirs={disks.one},{disks.two}", "--override", listeners)
    assert_told_in_one_sentence(done, "no log directory can be used", str(disks.one), str(disks.two))

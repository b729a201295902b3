"""kcat, the command line client on librdkafka: listing, producing, consuming, groups, queries by time."""

from __future__ import annotations

import json
import shutil
import subprocess

import pytest

from conformance.confluent import create_topic
from conformance.running_broker import RunningBroker

pytestmark = pytest.mark.skipif(shutil.which("kcat") is None, reason="kcat is not installed (Debian package kcat)")

TIMEOUT_S = 30


class Kcat:
    def __init__(self, bootstrap: str) -> None:
        self.bootstrap = bootstrap

    def __call__(self, *arguments: str, text: str | None = None) -> str:
        done = subprocess.run(
            ["kcat", "-b", self.bootstrap, *arguments],
            input=text,
            stdin=subprocess.DEVNULL if text is None else None,
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout


@pytest.fixture
def kcat(broker: RunningBroker) -> Kcat:
    return Kcat(broker.bootstrap)


def test_metadata_lists_brokers_and_topics(broker: RunningBroker, kcat: Kcat, name: str) -> None:
    create_topic(broker.bootstrap, name, partitions=2)
    listed = json.loads(kcat("-L", "-J"))
    assert [each["name"] for each in listed["brokers"]] == [broker.bootstrap]
    [topic] = [each for each in listed["topics"] if each["topic"] == name]
    assert [partition["partition"] for partition in topic["partitions"]] == [0, 1]


@pytest.mark.parametrize("codec", ["none", "gzip", "snappy", "lz4", "zstd"])
def test_produce_and_consume(broker: RunningBroker, kcat: Kcat, name: str, codec: str) -> None:
    create_topic(broker.bootstrap, name)
    lines = [f"key-{number}:value {number} " + "again " * 20 for number in range(50)]
    kcat("-P", "-t", name, "-K:", "-z", codec, "-X", "linger.ms=50", text="\n".join(lines) + "\n")
    assert kcat("-C", "-t", name, "-o", "beginning", "-e", "-q", "-K:").splitlines() == lines


def test_headers_nulls_and_offsets(broker: RunningBroker, kcat: Kcat, name: str) -> None:
    create_topic(broker.bootstrap, name)
    kcat("-P", "-t", name, "-H", "one=1", "-H", "two=2", "-k", "key", text="value\n")
    kcat("-P", "-t", name, "-K:", "-Z", text="deleted:\n")
    lines = kcat("-C", "-t", name, "-o", "beginning", "-e", "-q", "-J").splitlines()
    first, second = map(json.loads, lines)
    assert (first["key"], first["payload"], first["offset"]) == ("key", "value", 0)
    assert first["headers"] == ["one", "1", "two", "2"]
    assert (second["key"], second["payload"], second["offset"]) == ("deleted", None, 1)


def test_the_last_records_and_offsets_by_time(broker: RunningBroker, kcat: Kcat, name: str) -> None:
    create_topic(broker.bootstrap, name)
    kcat("-P", "-t", name, text="".join(f"{number}\n" for number in range(10)))
    assert kcat("-C", "-t", name, "-o", "-3", "-e", "-q").split() == ["7", "8", "9"]
    assert kcat("-C", "-t", name, "-o", "4", "-c", "2", "-q").split() == ["4", "5"]
    assert f"{name} [0] offset 0" in kcat("-Q", "-t", f"{name}:0:1")
    assert f"{name} [0] offset 10" in kcat("-Q", "-t", f"{name}:0:-1")


def test_a_group_reads_everything_once(broker: RunningBroker, kcat: Kcat, name: str) -> None:
    create_topic(broker.bootstrap, name, partitions=3)
    numbers = [str(number) for number in range(30)]
    kcat("-P", "-t", name, text="\n".join(numbers) + "\n")
    group = ("-G", name, "-X", "auto.offset.reset=earliest", "-X", "session.timeout.ms=6000", "-e", "-q", name)
    assert sorted(kcat(*group).split(), key=int) == numbers
    assert kcat(*group).split() == [], "the group committed"


def test_an_unknown_topic_is_an_error(broker: RunningBroker, name: str) -> None:
    done = subprocess.run(
        ["kcat", "-b", broker.bootstrap, "-C", "-t", name, "-e", "-X", "allow.auto.create.topics=false"],
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )
    assert done.returncode != 0
    assert "Unknown topic" in done.stderr

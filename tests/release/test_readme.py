"""The wheel, with the README's extras and nothing else, does what the README says, block by block.

Everything runs in an environment of its own (`support/release_environment.py`), from an empty directory, as a new user
would: what only developers have installed, and what only a checkout has, is not there.
"""

from __future__ import annotations

import json
import re
import time
import urllib.request
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from riacho.pipelines.spark.class_archive import java_executable
from support.readme import Block, Reader, blocks, extras
from support.release_environment import ROOT, ReleaseEnvironment

# Where the network is slow, or the machine busy, an environment takes minutes to make.
pytestmark = pytest.mark.timeout(900)
README = ROOT / "README.md"
PORTUGUESE = ROOT / "README.pt-BR.md"
DELIVERY_TIMEOUT_S = 150.0
# The Portuguese page names its things in Portuguese; the commands are the same.
WORDS = {
    "pedidos-grandes": "big-orders", "pedidos-dlq": "orders-dlq", "pedidos": "orders", "dois livros": "two books",
    "cliente": "customer", "contagem": "counts", "o_que": "what", "uma caneta": "a pen",
    "connectors/arquivo": "connectors/archive", "show arquivo": "show archive", "loja": "shop", "grandes": "big",
    "escritos": "written", "test_meu_consumidor": "test_my_consumer", "test_meu_produtor": "test_my_producer",
}  # fmt: skip


@pytest.fixture(scope="module")
def release(wheel: Path) -> ReleaseEnvironment:
    return ReleaseEnvironment(extras(blocks(README)[0]), wheel)


@pytest.fixture
def reader(release: ReleaseEnvironment, tmp_path: Path) -> Iterator[Reader]:
    reader = Reader(release, tmp_path)
    try:
        yield reader
    finally:
        reader.close()


@pytest.mark.skipif(java_executable() is None, reason="the README's pipelines need Java 17")
def test_the_readme_is_true_after_its_own_installation(release: ReleaseEnvironment, reader: Reader) -> None:
    install, commands, rest, pipeline, sql, spark, cluster, tests = blocks(README)
    assert "riacho" in release.installed()
    assert not release.installed() & {"pytest", "fastavro", "httpx", "mypy", "setuptools"}
    reader.run(install)
    assert "two books" in reader.run(commands)
    assert '"offsets"' in reader.run(rest)
    assert "archive" in reader.run(pipeline)
    _wait_for_files(reader)
    assert "Created query with ID CTAS_COUNTS" in reader.run(sql)
    assert "a pen" in reader.run(spark)
    assert "active" in reader.run(cluster)
    assert "2 passed" in reader.run(tests)


def test_both_languages_have_the_same_blocks() -> None:
    assert [_in_english(block) for block in blocks(PORTUGUESE)] == [
        (block.language, _plain(block)) for block in blocks(README)
    ]


def test_the_wheel_says_that_it_has_types(release: ReleaseEnvironment) -> None:
    with zipfile.ZipFile(release.wheel) as wheel:
        assert "riacho/py.typed" in wheel.namelist()


def _wait_for_files(reader: Reader) -> None:
    """Until the connector has written what is JSON; one that fails meanwhile says why."""
    deadline = time.monotonic() + DELIVERY_TIMEOUT_S
    url = reader.ports("http://127.0.0.1:8083/connectors/archive/status")
    while not list((reader.tmp / "orders").rglob("*.parquet")):
        with urllib.request.urlopen(url, timeout=30) as answer:
            status = json.load(answer)
        for task in status["tasks"]:
            assert task["state"] != "FAILED", task
        assert time.monotonic() < deadline, status
        time.sleep(0.5)


def _plain(block: Block) -> str:
    return re.sub(r"[ \t]+", " ", block.bare)


def _in_english(block: Block) -> tuple[str, str]:
    text = _plain(block)
    for theirs, ours in WORDS.items():
        text = text.replace(theirs, ours)
    return block.language, text

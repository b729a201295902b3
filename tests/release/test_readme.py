"""The wheel, with the README's extras and nothing else, does what the README says, block by block, in both languages.

Everything runs in an environment of its own (`support/release_environment.py`), from an empty directory, as a new user
would: what only developers have installed, and what only a checkout has, is not there.
"""

from __future__ import annotations

import json
import os
import re
import time
import urllib.request
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from riacho.pipelines.spark.class_archive import java_executable
from support.readme import Block, Reader, blocks, extras
from support.release_environment import ROOT, ReleaseEnvironment

# Where the network is slow, or the machine busy, an environment takes minutes to make.
pytestmark = pytest.mark.timeout(900)
README = ROOT / "README.md"
PORTUGUESE = ROOT / "README.pt-BR.md"


class Told(NamedTuple):
    """What the commands of a page print, and where its connector writes."""

    record: str
    connector: str
    directory: str
    query: str
    bought: str


TOLD = {
    README: Told("two books", "archive", "orders", "CTAS_COUNTS", "a pen"),
    PORTUGUESE: Told("dois livros", "arquivo", "pedidos", "CTAS_CONTAGEM", "uma caneta"),
}
# Its commands are those of the other page, with other names; so it is run where there is time.
_ONLY_AT_RELEASE = pytest.mark.skipif(
    not os.environ.get("RIACHO_PROOFS"), reason="takes a minute: make release-check, or RIACHO_PROOFS=1, runs it"
)
PAGES = [pytest.param(README, id="en"), pytest.param(PORTUGUESE, id="pt-BR", marks=_ONLY_AT_RELEASE)]
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
@pytest.mark.parametrize("page", PAGES)
def test_the_readme_is_true_after_its_own_installation(page: Path, release: ReleaseEnvironment, reader: Reader) -> None:
    install, commands, rest, pipeline, sql, spark, cluster, tests = blocks(page)
    told = TOLD[page]
    assert "riacho" in release.installed()
    assert not release.installed() & {"pytest", "fastavro", "httpx", "mypy", "setuptools"}
    reader.run(install)
    assert told.record in reader.run(commands)
    assert '"offsets"' in reader.run(rest)
    assert told.connector in reader.run(pipeline)
    _wait_for_files(reader, told)
    assert f"Created query with ID {told.query}" in reader.run(sql)
    assert told.bought in reader.run(spark)
    assert "active" in reader.run(cluster)
    assert "2 passed" in reader.run(tests)


def test_both_languages_have_the_same_blocks() -> None:
    assert [_in_english(block) for block in blocks(PORTUGUESE)] == [
        (block.language, _plain(block)) for block in blocks(README)
    ]


def test_the_wheel_says_that_it_has_types(release: ReleaseEnvironment) -> None:
    with zipfile.ZipFile(release.wheel) as wheel:
        assert "riacho/py.typed" in wheel.namelist()


def _wait_for_files(reader: Reader, told: Told) -> None:
    """Until the connector has written what is JSON; one that fails meanwhile says why."""
    deadline = time.monotonic() + DELIVERY_TIMEOUT_S
    url = reader.ports(f"http://127.0.0.1:8083/connectors/{told.connector}/status")
    while not list((reader.tmp / told.directory).rglob("*.parquet")):
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

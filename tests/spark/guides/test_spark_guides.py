"""The guides of Spark programs and the reference are true: their Python runs, page after page, in one session."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from riacho.pipelines.spark.session import register
from support.guides import ROOT, SPARK_GUIDES, bash_blocks, python_blocks
from support.service_process import running_service
from support.spark_brokers import running_broker

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

GUIDES = ROOT / "docs" / "guides"
PAGES = ("spark", "exactly-once")
REFERENCE = ROOT / "docs" / "reference" / "python-api.md"


class Addresses(NamedTuple):
    bootstrap: str
    registry: str

    def put_into(self, text: str) -> str:
        return text.replace("localhost:9092", self.bootstrap).replace("http://localhost:8081", self.registry)


@pytest.fixture(scope="module")
def addresses(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Addresses]:
    directory = tmp_path_factory.mktemp("registry")
    broker = running_broker(tmp_path_factory.mktemp("broker"))
    with broker as cluster, running_service("schema-registry", cluster.bootstrap_servers, directory) as service:
        yield Addresses(cluster.bootstrap_servers, service.url)


@pytest.mark.timeout(400)
@pytest.mark.parametrize("guide", [*(GUIDES / f"{page}.md" for page in PAGES), REFERENCE], ids=lambda path: path.stem)
def test_the_python_of_a_guide_runs(
    guide: Path, spark: SparkSession, addresses: Addresses, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    names: dict[str, Any] = {"__name__": guide.stem}
    try:
        for line, block in python_blocks(guide.read_text()):
            # Blank lines before it, so that a failure names the line of the page.
            exec(compile("\n" * (line - 1) + addresses.put_into(block), str(guide), "exec"), names)
    finally:
        # Other tests of this process say their brokers themselves.
        register(spark)


def test_nothing_in_these_pages_is_left_out() -> None:
    """The shell commands of a page in PAGES would not be run; the clusters of the last of these pages are elsewhere."""
    with_python = {page for page in SPARK_GUIDES if python_blocks((GUIDES / f"{page}.md").read_text())}
    assert with_python == {*PAGES, "spark-clusters"}
    assert {page for page in SPARK_GUIDES if bash_blocks((GUIDES / f"{page}.md").read_text())} == {"connect", "ksql"}

"""Every block of code that the README, the guides and the operations pages show is run or read by some test.

`how` says which. Blocks that only show something are ```console (a terminal) or ```text; a block without a language
would be neither. What is left is NOT_RUN, which has a reason for each, and is to become shorter.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import pytest
import yaml

from riacho.base.config import parse_properties
from riacho.broker.config import BrokerConfig
from riacho.console.config import console_config, load_console_settings
from riacho.pipelines.connect.config import load_worker_settings
from riacho.rest_proxy.config import load_proxy_settings, proxy_config
from riacho.schema_registry.config import load_registry_settings
from support import readme
from support.guides import ROOT, SPARK_GUIDES, bash_blocks, programs, python_blocks

READMES = ("README.md", "README.pt-BR.md")
PAGES = [
    *(ROOT / each for each in READMES),
    *sorted((ROOT / "docs" / "guides").glob("*.md")),
    *sorted((ROOT / "docs" / "operations").glob("*.md")),
]
# Pages of SPARK_GUIDES whose commands, and whose Python, tests/spark/guides runs; it checks that none has both.
SPARK_BASH, SPARK_PYTHON = ("connect", "ksql"), ("spark", "exactly-once")
SHOWN_ONLY = ("console", "text")
NOT_RUN = {
    ("docs/operations/docker.md", "properties"): "a container's file; tests/unit/web/test_config.py reads such",
    ("docs/operations/kubernetes.md", "properties"): "a client inside; tests/e2e/test_kubernetes_nodes.py logs in so",
    ("docs/operations/kubernetes.md", "yaml"): "a part of an overlay, which Kustomize reads with the rest",
    ("docs/operations/systemd.md", "ini"): "a part of a unit, which systemd reads with the rest",
    ("docs/operations/monitoring.md", "yaml"): "Prometheus's own file: its targets are those of a cluster that is gone",
    (
        "docs/operations/backup.md",
        "json",
    ): "connectors between two sites; tests/spark/connect mirrors with others like them",
}
_BLOCK = re.compile(r"^```(\w*)[^\n]*\n((?:(?!```).*\n)*)```$", re.MULTILINE)


class Block(NamedTuple):
    page: Path
    language: str
    text: str

    @property
    def name(self) -> str:
        return self.page.relative_to(ROOT).as_posix()


def blocks(page: Path) -> Iterator[Block]:
    return (Block(page, found[1], found[2]) for found in _BLOCK.finditer(page.read_text()))


def _broker(properties: Mapping[str, str]) -> None:
    assert BrokerConfig(dict(properties)).warnings() == []


def _console(properties: Mapping[str, str]) -> None:
    console_config(load_console_settings(properties))


def _proxy(properties: Mapping[str, str]) -> None:
    proxy_config(load_proxy_settings(properties))


# Who reads the properties of a page.
PROPERTIES: dict[str, Callable[[Mapping[str, str]], object]] = {
    "docs/guides/broker.md": _broker,
    "docs/operations/cluster.md": _broker,
    "docs/guides/connect.md": load_worker_settings,
    "docs/guides/spark-clusters.md": load_worker_settings,
    "docs/guides/control-center.md": _console,
    "docs/operations/control-center.md": _console,
    "docs/guides/rest-proxy.md": _proxy,
    "docs/guides/schema-registry.md": load_registry_settings,
}


def how(block: Block) -> str | None:
    """The test that runs or reads it; None where there is none."""
    if block.language == "properties":
        return "test_properties_are_known" if block.name in PROPERTIES else None
    if block.name in READMES:
        found = [each.text for each in readme.blocks(block.page)]
        return "tests/release/test_readme.py" if block.text in found else None
    if block.language == "bash":
        return _how_bash(block)
    if block.language == "python":
        return _how_python(block)
    return None


def _how_bash(block: Block) -> str | None:
    if block.text not in [each for _, each in bash_blocks(block.page.read_text())]:
        return None
    if block.page.parent.name == "operations":
        return "tests/e2e/test_operations_guides.py"
    if block.page.stem in SPARK_GUIDES:
        return "tests/spark/guides" if block.page.stem in SPARK_BASH else None
    return "tests/e2e/test_guides.py"


def _how_python(block: Block) -> str | None:
    text = block.page.read_text()
    for file, program in programs(text).items():
        if block.text.endswith(program):
            # By its name, or as a module that a setting names.
            commands = "".join(each for _, each in bash_blocks(text))
            return "its page's commands" if re.search(rf"\b{file.removesuffix('.py')}\b", commands) else None
    if block.page.stem == "testing":
        return "tests/e2e/test_testing_guide.py" if "def test_" in block.text else None
    run = block.page.stem in SPARK_PYTHON and block.text in [each for _, each in python_blocks(text)]
    return "tests/spark/guides/test_spark_guides.py" if run else None


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_block_is_run_or_shown_only(page: Path) -> None:
    fences = re.findall(r"^\s*```", page.read_text(), re.MULTILINE)
    assert len(fences) == 2 * len(list(blocks(page)))
    left = [each for each in blocks(page) if each.language not in SHOWN_ONLY and how(each) is None]
    assert [(each.language, each.text) for each in left if (each.name, each.language) not in NOT_RUN] == []


def test_what_is_not_run_is_still_there() -> None:
    left = {(each.name, each.language) for page in PAGES for each in blocks(page) if how(each) is None}
    assert set(NOT_RUN) <= left
    with_properties = {each.name for page in PAGES for each in blocks(page) if each.language == "properties"}
    assert set(PROPERTIES) == {name for name in with_properties if (name, "properties") not in NOT_RUN}


def test_what_is_not_run_can_be_read() -> None:
    for page in PAGES:
        for block in blocks(page):
            if block.language == "json":
                assert json.loads(block.text)
            elif block.language == "yaml":
                assert yaml.safe_load(block.text)


@pytest.mark.parametrize("name", PROPERTIES)
def test_properties_are_known(name: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    found = [block for block in blocks(ROOT / name) if block.language == "properties"]
    assert found
    for block in found:
        PROPERTIES[name](parse_properties(block.text))
    assert [record.getMessage() for record in caplog.records] == []


def test_a_block_that_nothing_runs_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(globals(), "ROOT", tmp_path)
    page = tmp_path / "docs" / "guides" / "page.md"
    page.parent.mkdir(parents=True)
    page.write_text(
        "```python\n# run.py\na = 1\n```\n```python\n# left.py\nb = 1\n```\n```python\nc = 1\n```\n"
        "```\nd\n```\n```bash\npython run.py\n```\n```properties\ne=1\n```\n"
    )
    assert [how(each) is None for each in blocks(page)] == [False, True, True, True, False, True]

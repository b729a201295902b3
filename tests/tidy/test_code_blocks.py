"""Every block of code of the READMEs, the guides, the reference and the site's first page is run or read by a test.

`how` says which. What is only shown, ```console (a terminal) and ```text that is not what a block right before it
prints, has a reason as well: NOT_RUN of `support/blocks_not_run.py`. A block without a language would be neither.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from support import readme
from support.block_readers import PROPERTIES, READ
from support.blocks_not_run import NOT_RUN
from support.code_blocks import PAGES, READMES, ROOT, SHOWN_ONLY, SITE_PAGE, Block, blocks
from support.guides import SPARK_GUIDES, bash_blocks, programs, python_blocks

# Pages of SPARK_GUIDES whose commands, and whose Python, tests/spark/guides runs; it checks that none has both.
SPARK_BASH, SPARK_PYTHON = ("connect", "ksql"), ("spark", "exactly-once", "python-api")


def how(block: Block) -> str | None:
    """The test that runs or reads it; None where there is none."""
    if block.language == "properties":
        return "tests/tidy/test_blocks_read.py" if block.name in PROPERTIES else None
    if (block.name, block.subject) in READ:
        return "tests/tidy/test_blocks_read.py"
    if block.is_output:
        return "its page's commands"
    if block.name in READMES:
        found = [each.text for each in readme.blocks(block.page)]
        return "tests/release/test_readme.py" if block.text in found else None
    if block.language == "bash":
        return _how_bash(block)
    if block.language == "python":
        return _how_python(block)
    return None


def _how_bash(block: Block) -> str | None:
    if block.name == SITE_PAGE:
        shown, *_ = readme.blocks(ROOT / READMES[0])
        return "tests/release/test_readme.py" if readme.Block("bash", block.text).bare == shown.bare else None
    if block.text not in [each for _, each in bash_blocks(block.page.read_text())]:
        return None
    if block.page.parent.name == "operations":
        return "tests/e2e/test_operations_guides.py"
    if block.page.parent.name != "guides":
        return None
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
def test_every_block_is_run_or_has_a_reason(page: Path) -> None:
    fences = re.findall(r"^\s*```", page.read_text(), re.MULTILINE)
    assert len(fences) == 2 * len(list(blocks(page)))
    left = [each for each in blocks(page) if how(each) is None]
    assert [(each.name, each.subject) for each in left if (each.name, each.subject) not in NOT_RUN] == []


def test_what_is_not_run_is_still_there() -> None:
    every = [each for page in PAGES for each in blocks(page)]
    assert set(NOT_RUN) <= {(each.name, each.subject) for each in every if how(each) is None}
    assert set(READ) <= {(each.name, each.subject) for each in every}
    with_properties = {each.name for each in every if each.language == "properties"}
    assert set(PROPERTIES) == {name for name in with_properties if (name, "properties") not in NOT_RUN}


def test_a_reason_names_what_is_there() -> None:
    for reason in NOT_RUN.values():
        for path in re.findall(r"\b(?:tests|docs)/[\w./-]*\w", reason):
            assert (ROOT / path).exists(), path


def test_both_languages_show_the_same_commands() -> None:
    shown = [
        [
            re.sub(r"\s+#.*", "", block.text, flags=re.MULTILINE)
            for block in blocks(ROOT / name)
            if block.language in SHOWN_ONLY
        ]
        for name in READMES
    ]
    assert shown[0] == shown[1] != []


def test_a_block_that_nothing_runs_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("support.code_blocks.ROOT", tmp_path)
    page = tmp_path / "docs" / "guides" / "page.md"
    page.parent.mkdir(parents=True)
    page.write_text(
        "```python\n# run.py\na = 1\n```\n```python\n# left.py\nb = 1\n```\n```python\nc = 1\n```\n"
        "```\nd\n```\n```bash\npython run.py\n```\n\n```text\nprinted\n```\n```text\nnot\n```\n"
        "```console\n$ typed\n```\n```properties\ne=1\n```\n"
    )
    is_left = [how(each) is None for each in blocks(page)]
    assert is_left == [False, True, True, True, False, False, True, True, True]

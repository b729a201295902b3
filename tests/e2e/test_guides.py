"""The guides are true: every ```bash block of docs/guides/*.md runs, in order, in one shell for each guide.

A guide that starts Riacho by itself (`riacho up`, `riacho broker`) gets free ports and a home of its own; others find a
broker running. Where a guide writes `localhost:9092`, its commands get the address of that broker. Guides that
start Spark are run by tests/spark/guides.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from support.guide_output import missing_output, shown
from support.guides import (
    ROOT,
    SPARK_GUIDES,
    SPARK_SECTIONS,
    GuideShell,
    bash_blocks,
    programs,
    python_blocks,
    with_ports,
    without_section,
)

GUIDES = sorted(path for path in (ROOT / "docs" / "guides").glob("*.md") if path.stem not in SPARK_GUIDES)
TIMEOUT_S = 170


@pytest.mark.timeout(TIMEOUT_S + 70)
@pytest.mark.parametrize("guide", GUIDES, ids=lambda path: path.stem)
def test_every_command_of_a_guide_runs(guide: Path, tmp_path: Path) -> None:
    starts_by_itself = any(re.search(r"riacho (up|broker)\b", each) for _, each in bash_blocks(guide.read_text()))
    before = "" if starts_by_itself else "riacho up --detach --ephemeral"
    left_out = SPARK_SECTIONS.get(guide.stem, "")
    code, out, err = GuideShell(tmp_path).run(guide, before, TIMEOUT_S, left_out=left_out)
    assert code == 0, f"{out[-3000:]}\n{err[-3000:]}"
    assert "Traceback" not in err


def test_blocks_are_found_with_their_lines() -> None:
    text = "one\n```bash\na\nb\n```\n```console\nnot run\n```\n\n```bash\nc\n```\n"
    assert bash_blocks(text) == [(3, "a\nb\n"), (11, "c\n")]


def test_programs_are_found_by_their_names() -> None:
    text = "```python\n# one.py\na = 1\n```\n```python\nnot_a_file = 1\n```\n```python\n# two.py\nb = 2\n```\n"
    assert programs(text) == {"one.py": "a = 1\n", "two.py": "b = 2\n"}
    assert python_blocks(text) == [(6, "not_a_file = 1\n")]


def test_a_section_is_left_out_and_lines_keep_their_numbers() -> None:
    text = "# A\n\n## B\n```bash\nb\n```\n\n## C\n```bash\nc\n```\n"
    assert bash_blocks(without_section(text, "B")) == [bash_blocks(text)[1]] == [(10, "c\n")]
    assert bash_blocks(without_section(text, "C")) == [(5, "b\n")]


def test_output_is_what_is_shown_right_behind_the_commands() -> None:
    text = "```bash\na\n```\n\n```text\nid   ...\n\nlag  1\n```\n\n```bash\nb\n```\n\nsaid\n\n```text\nno output\n```\n"
    assert shown(text) == [(2, "id   ...\n\nlag  1\n")]
    assert missing_output("g.md", text, "--- g.md:2\nid XyZ\nlag 1\n--- g.md:12\n") == []
    assert missing_output("g.md", text, "--- g.md:2\nid XyZ\nlag 12\n--- g.md:12\nlag 1\n") == ["g.md:2: lag  1"]


def test_default_ports_and_their_neighbours_are_moved_together() -> None:
    assert with_ports("localhost:8081 and 8083, not 8085", 20_000) == "localhost:20020 and 20022, not 8085"
    text = "localhost:9092 1@127.0.0.1:9093,2@127.0.0.1:9095 $((9090 + 2 * n)) 90920 50000000 0.9092 grep '9098'"
    assert with_ports(text, 20_000) == (
        "localhost:20000 1@127.0.0.1:20001,2@127.0.0.1:20003 $((19998 + 2 * n)) 90920 50000000 0.9092 grep '20006'"
    )


def test_there_are_guides_with_commands() -> None:
    counts = {guide.name: len(bash_blocks(guide.read_text())) for guide in GUIDES}
    assert counts.get("command-line.md", 0) > 5

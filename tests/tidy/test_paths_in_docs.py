"""Every path that the maps of this project name is there: a file that moves takes its mentions along.

A mention is text in backquotes, or in a block of code, that ends as a file of ours or in a slash. It is found from the
root, from `src` or from `src/riacho`; or, where it is short (`registry.py`), within a folder of a path that stands
before it in the same paragraph, row or block, or within a folder above that one. `<name>` and `*` stand for anything.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = ("ARCHITECTURE.md", "CONTRIBUTING.md", "docs/glossary.md")
STARTS = (ROOT, ROOT / "src", ROOT / "src" / "riacho")
_BLOCK = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_QUOTED = re.compile(r"`([^`\n]+)`")
_IN_BLOCK = re.compile(r"(?<![\w./-])([\w/<>*-]+(?:/|\.py))(?![\w/])")
_PATH = re.compile(r"(?!/)[\w./<>*-]+(?:/|\.(?:py|md|toml|sh|lock))")


def mentions(text: str) -> Iterator[list[str]]:
    """The paths of each paragraph, row of a table and block of code, in their order."""
    for block in _BLOCK.findall(text):
        yield _IN_BLOCK.findall(block)
    for paragraph in re.split(r"\n\s*\n|\n(?=\|)", _BLOCK.sub("", text)):
        # `log/log.py: read` names a function in it.
        quoted = [each.partition(": ")[0] for each in _QUOTED.findall(paragraph)]
        yield [each for each in quoted if _PATH.fullmatch(each)]


def missing(text: str) -> list[str]:
    found = []
    for paths in mentions(text):
        near: list[Path] = []
        for path in paths:
            pattern = re.sub(r"<[^>]*>", "*", path.rstrip("/"))
            places = (each for start in (*STARTS, *near) for each in start.glob(pattern))
            place = next((each for each in places if each.is_dir() == path.endswith("/")), None)
            if place is None:
                found.append(path)
                continue
            folders = (place, *place.parents) if place.is_dir() else place.parents
            near = [each for each in folders if each != ROOT and each.is_relative_to(ROOT)] + near
    return found


@pytest.mark.parametrize("page", PAGES)
def test_every_path_is_there(page: str) -> None:
    text = (ROOT / page).read_text()
    assert sum(map(len, mentions(text))) > 10
    assert missing(text) == []


def test_a_path_that_is_gone_is_found() -> None:
    text = "`log/log.py: read`, `segment.py` and `broker/gone.py`\n\n| x | `segment.py` |\n\n```\nlog/  nowhere/\n```\n"
    assert missing(text) == ["nowhere/", "broker/gone.py", "segment.py"]

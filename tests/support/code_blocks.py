"""The blocks of code of the documentation's pages: README, guides, operations, reference, the site's first page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from support.guides import ROOT

READMES = ("README.md", "README.pt-BR.md")
SITE_PAGE = "docs/site/index.md"
PAGES = [
    *(ROOT / each for each in (*READMES, SITE_PAGE)),
    *(
        page
        for folder in ("guides", "operations", "reference")
        for page in sorted((ROOT / "docs" / folder).glob("*.md"))
    ),
]
# For a terminal, or for people: no test runs them, unless they are what a block right before them prints.
SHOWN_ONLY = ("console", "text")
_BLOCK = re.compile(r"^```(\w*)[^\n]*\n((?:(?!```).*\n)*)```$", re.MULTILINE)


class Block(NamedTuple):
    page: Path
    language: str
    text: str
    is_output: bool

    @property
    def name(self) -> str:
        return self.page.relative_to(ROOT).as_posix()

    @property
    def subject(self) -> str:
        """By what a reason names it: its language, or its first line where it is shown only."""
        return re.sub(r"\s+#.*", "", self.text.splitlines()[0]) if self.language in SHOWN_ONLY else self.language


def blocks(page: Path) -> Iterator[Block]:
    text = page.read_text()
    commands_end = -1
    for found in _BLOCK.finditer(text):
        is_behind = commands_end >= 0 and not text[commands_end : found.start()].strip()
        yield Block(page, found[1], found[2], found[1] == "text" and is_behind)
        commands_end = found.end() if found[1] == "bash" else -1

"""Every link of the documentation leads somewhere: to a file that is there, and to a heading that it has.

Headings have the names that repository browsers give them: in lower case, without punctuation, `-` for each space; the
second of two alike ends in `-1`.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted(ROOT.glob("*.md")) + sorted((ROOT / "docs").rglob("*.md"))
_CODE = re.compile(r"^(`{3,}).*?^\1`*$|`[^`\n]*`", re.MULTILINE | re.DOTALL)
_BLOCK = re.compile(r"^(`{3,}).*?^\1`*$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\(<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\)")
_HEADING = re.compile(r"^#{1,6} +(.+?)(?: +#+)?$", re.MULTILINE)
_ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)


def links(text: str) -> list[str]:
    """Those to files and headings of this repository; what looks like one within code is none."""
    return [each for each in _LINK.findall(_CODE.sub("", text)) if not _ELSEWHERE.match(each)]


def anchors(text: str) -> set[str]:
    found: Counter[str] = Counter()
    names = set()
    for heading in _HEADING.findall(_BLOCK.sub("", text)):
        words = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        name = re.sub(r"[^\w\- ]", "", words).strip().replace(" ", "-")
        names.add(f"{name}-{found[name]}" if found[name] else name)
        found[name] += 1
    return names


def leads_somewhere(page: Path, link: str) -> bool:
    target, _, anchor = link.partition("#")
    to = (page.parent / target).resolve() if target else page
    if not to.exists() or not to.is_relative_to(ROOT):
        return False
    return not anchor or (to.suffix == ".md" and anchor in anchors(to.read_text()))


def broken(page: Path) -> list[str]:
    return [link for link in links(page.read_text()) if not leads_somewhere(page, link)]


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_link_leads_somewhere(page: Path) -> None:
    assert broken(page) == []


def test_every_picture_is_on_a_page() -> None:
    shown = {(page.parent / link).resolve() for page in PAGES for link in links(page.read_text())}
    pictures = {path for path in (ROOT / "docs" / "images").iterdir() if path.suffix in {".png", ".svg"}}
    assert pictures - shown == set()


def test_there_are_links_to_headings_too() -> None:
    found = [link for page in PAGES for link in links(page.read_text())]
    assert len(found) > 250
    assert sum("#" in each for each in found) > 30


def test_a_link_that_leads_nowhere_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(globals(), "ROOT", tmp_path)
    page = tmp_path / "page.md"
    (tmp_path / "other.md").write_text("# A `wheel`, alone\n\n## Again\n\n```\n# no heading\n```\n\n## Again\n")
    page.write_text(
        "# Page\n[a](#page) [b](other.md#a-wheel-alone) [c](other.md#again-1) [d](https://x.example/) `[e](gone.md)`\n"
        "[f](gone.md) [g](other.md#no-heading) [h](#gone) [i](other.md#again-2) ![j](gone.png) [k](../outside.md)\n"
    )
    (tmp_path.parent / "outside.md").write_text("")
    wrong = ["gone.md", "other.md#no-heading", "#gone", "other.md#again-2", "gone.png", "../outside.md"]
    assert broken(page) == wrong

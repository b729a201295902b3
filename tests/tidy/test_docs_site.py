"""The site of the documentation: every page is in it, every link leads somewhere, nothing is loaded from elsewhere."""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from types import ModuleType
from urllib.parse import unquote

import pytest

ROOT = Path(__file__).resolve().parents[2]
TOOL = ROOT / "tools" / "docs_site.py"
SECTIONS = ["Start", "Guides", "Operations", "Reference", "Decisions", "Bench"]


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("docs_site", TOOL)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    # Dataclasses look their module up by its name.
    sys.modules["docs_site"] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def html(tool: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Path:
    missing = [each for each in tool.PACKAGES if importlib.util.find_spec(each) is None]
    if missing:
        pytest.skip(f"no site of the documentation here: {', '.join(missing)} is not installed, `make docs` does it")
    into = tmp_path_factory.mktemp("docs")
    built = subprocess.run(
        [sys.executable, str(TOOL), "--into", str(into)], capture_output=True, text=True, timeout=120
    )
    assert built.returncode == 0, built.stderr
    return into / "html"


class _Page(HTMLParser):
    """Language, ids, links and pictures of a page that was built."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.language = ""
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.feed(path.read_text())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        if tag == "html":
            self.language = found.get("lang", "")
        if "id" in found:
            self.ids.add(found["id"])
        self.links += [found[name] for name in ("href", "src") if name in found]


# Without Sphinx


def test_every_page_is_in_the_navigation(tool: ModuleType) -> None:
    sections = tool.sections()
    assert [section.title for section in sections] == SECTIONS
    listed = [page for section in sections for page, _ in section.entries]
    assert len(listed) == len(set(listed))
    pages = {path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").rglob("*.md")}
    inside = {page for page in pages if page.startswith(("docs/adr/", "docs/site/"))}
    assert pages - inside - set(listed) == set()
    assert {"README.md", "README.pt-BR.md", "ARCHITECTURE.md", "CHANGELOG.md", "docs/adr"} <= set(listed)


def test_every_page_of_the_navigation_is_there(tool: ModuleType) -> None:
    listed = [page for section in tool.sections() for page, _ in section.entries]
    assert [page for page in listed if not (ROOT / page).exists()] == []


def test_the_first_page_leads_to_every_guide(tool: ModuleType) -> None:
    text = (ROOT / tool.FIRST_PAGE).read_text()
    linked = {(ROOT / "docs" / "site" / target).resolve() for target in re.findall(r"\]\(([^)#]+)[^)]*\)", text)}
    pages = {page for folder in ("guides", "operations", "reference") for page in (ROOT / "docs" / folder).glob("*.md")}
    assert pages | set((ROOT / "docs").glob("*.md")) <= linked


def test_a_link_leads_to_where_its_target_went(tool: ModuleType, tmp_path: Path) -> None:
    layout = tool.Layout(ROOT, tmp_path)
    text = (
        "[a](../../README.md#x) [b](../adr) [c](broker.md) ![d](../images/riacho.svg)"
        " [e](../../tools/setup.sh) [f](#y) `](z)`"
    )
    assert layout.with_links("docs/guides/spark.md", text) == (
        "[a](../start.md#x) [b](../adr/index.md) [c](broker.md) ![d](../images/riacho.svg)"
        " [e](../source/tools/setup.sh.md) [f](#y) `](z)`"
    )
    layout.write()
    assert (tmp_path / "images" / "riacho.svg").read_bytes() == (ROOT / "docs" / "images" / "riacho.svg").read_bytes()
    shown = (tmp_path / "source" / "tools" / "setup.sh.md").read_text()
    assert "```bash\n#!/usr/bin/env bash" in shown
    with pytest.raises(tool.PageError, match=r"docs/guides/spark\.md leads to docs/guides/gone\.md"):
        layout.with_links("docs/guides/spark.md", "[g](gone.md)")


def test_what_would_be_loaded_from_elsewhere_is_found(tool: ModuleType, tmp_path: Path) -> None:
    loads = [
        '<script src="https://cdn.example/a.js">',
        '<link rel="stylesheet" href="//cdn.example/a.css">',
        "<img alt='' src='http://badge.example/b.svg'>",
        "url(https://fonts.example/c.woff2",
    ]
    (tmp_path / "page.html").write_text("\n".join(f"{load})" for load in loads))
    (tmp_path / "fine.html").write_text('<a href="https://example.org">x</a><script src="_static/a.js"></script>')
    assert tool.external_loads(tmp_path) == [f"page.html: {load}" for load in loads]


def test_the_site_is_built_from_the_versions_that_tests_run_with() -> None:
    locks = {
        name: dict(line.lower().split("==") for line in (ROOT / "requirements" / name).read_text().splitlines())
        for name in ("dev.lock", "docs.lock")
    }
    both = locks["dev.lock"].keys() & locks["docs.lock"].keys()
    assert both
    assert {each for each in both if locks["dev.lock"][each] != locks["docs.lock"][each]} == set()
    assert locks["docs.lock"].keys() >= {"sphinx", "myst-parser", "furo"}


# With it


def test_nothing_is_loaded_from_elsewhere(tool: ModuleType, html: Path) -> None:
    assert len(list(html.rglob("*.html"))) > 60
    assert tool.external_loads(html) == []


def test_every_link_of_the_site_leads_to_something(html: Path) -> None:
    pages = {path: _Page(path) for path in html.rglob("*.html")}
    broken = []
    for path, page in pages.items():
        for link in page.links:
            target, _, anchor = unquote(link).partition("#")
            if ":" in target:
                continue
            to = (path.parent / target.partition("?")[0]).resolve() if target else path
            if not to.exists() or (anchor and to in pages and anchor not in pages[to].ids):
                broken.append(f"{path.relative_to(html)}: {link}")
    assert broken == []
    assert {pages[html / name].language for name in ("index.html", "start.html")} == {"en"}
    assert pages[html / "pt-br.html"].language == "pt-BR"


def test_pages_have_the_sections_beside_them(html: Path) -> None:
    for name in ("index.html", "guides/connect.html", "adr/0003-one-loop-per-broker.html"):
        text = (html / name).read_text()
        assert re.findall(r'class="caption"[^>]*><span class="caption-text">(\w+)</span>', text) == SECTIONS


def test_words_are_found_without_a_server(html: Path) -> None:
    index = json.loads((html / "searchindex.js").read_text().removeprefix("Search.setIndex(").removesuffix(")"))
    names = set()
    for terms in ("terms", "titleterms"):
        found = index[terms]["quorum"]
        names |= {index["docnames"][each] for each in (found if isinstance(found, list) else [found])}
    assert {"operations/quorum", "operations/failures", "adr/0006-quorum-and-controller"} <= names

"""Build the site of the documentation into build/docs/html, without a network.

python tools/docs_site.py                 build it
python tools/docs_site.py --into DIR      into another directory

Pages stay where repository browsers show them, with links that hold there. This lays them out as the site has them
(`docs/site/sections.toml`), each link changed to where its target went: a page, a picture, the page of a folder, or,
of any other file of the repository, a page that shows it. Then Sphinx makes HTML, and a warning is an error.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parent.parent
SITE = ROOT / "docs" / "site"
FIRST_PAGE = "docs/site/index.md"
PACKAGES = ("sphinx", "myst_parser", "furo")
# Where a page of the repository's root is in the site; those of docs/ keep their place below it.
NAMES = {
    "README.md": "start.md",
    "README.pt-BR.md": "pt-br.md",
    "ARCHITECTURE.md": "architecture.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changes.md",
    FIRST_PAGE: "index.md",
}
PICTURES = {".png", ".svg"}
LANGUAGES = {".py": "python", ".sh": "bash", ".toml": "toml", ".json": "json", ".yaml": "yaml"}
_LINK = re.compile(r"(^```.*?^```$|`[^`\n]*`)|\]\(([^)\s]+)\)", re.MULTILINE | re.DOTALL)
_LOAD = re.compile(
    r"<(?:script|img|iframe|source|embed)\b[^>]*\bsrc=[\"'](?:https?:)?//[^>]*>"
    r"|<link\b[^>]*\bhref=[\"'](?:https?:)?//[^>]*>"
    r"|(?:@import\s+[\"']|url\(\s*[\"']?)(?:https?:)?//[^\n;)]*",
    re.IGNORECASE,
)


class PageError(Exception):
    """A page that cannot be part of the site, in a sentence."""


@dataclass
class Section:
    title: str
    entries: list[tuple[str, str]] = field(default_factory=list)
    """Page, and the name that the navigation gives it, or none."""


def sections(root: Path = ROOT) -> list[Section]:
    """What the navigation has."""
    listed = tomllib.loads((root / "docs" / "site" / "sections.toml").read_text())["section"]
    named = [[each] if isinstance(each, str) else each for section in listed for each in section["pages"]]
    taken = {each[0] for each in named}
    found = []
    for section in listed:
        entries = [(each, "") if isinstance(each, str) else (each[0], each[1]) for each in section["pages"]]
        if "rest" in section:
            rest = sorted(path.relative_to(root).as_posix() for path in (root / section["rest"]).glob("*.md"))
            entries += [(each, "") for each in rest if each not in taken]
        found.append(Section(section["title"], entries))
    return found


def place(page: str) -> str:
    """Where a page, a picture or a folder of the repository is in the site."""
    if page in NAMES:
        return NAMES[page]
    below = page.removeprefix("docs/")
    return below if PurePosixPath(page).suffix else f"{below}/index.md"


class Layout:
    """The pages as they are laid out for Sphinx."""

    def __init__(self, root: Path, into: Path) -> None:
        self._root, self._into = root, into
        self._sections = sections(root)
        listed = [page for section in self._sections for page, _ in section.entries]
        self._folders = [page for page in listed if (root / page).is_dir()]
        self._pages = {
            FIRST_PAGE,
            *(page for page in listed if page not in self._folders),
            *(page for folder in self._folders for page in self._within(folder)),
        }
        self._shown: set[str] = set()

    def write(self) -> None:
        for page in sorted(self._pages):
            text = (self._root / page).read_text()
            self._put(place(page), self.with_links(page, text) + (self._navigation() if page == FIRST_PAGE else ""))
        for section in self._sections:
            for page, name in section.entries:
                if page in self._folders:
                    self._put(place(page), f"# {name or page}\n\n{_toctree(map(_name, self._within(page)))}")
        for page in sorted(self._shown):
            language = LANGUAGES.get(PurePosixPath(page).suffix, "text")
            text = (self._root / page).read_text()
            fence = "`" * max(3, 1 + max((len(each) for each in re.findall(r"`+", text)), default=0))
            self._put(_shown_at(page), f"---\norphan: true\n---\n\n# `{page}`\n\n{fence}{language}\n{text}\n{fence}\n")

    def with_links(self, page: str, text: str) -> str:
        """A page's text, its links changed to where the site has what they lead to; code is left as it is."""
        return _LINK.sub(lambda found: found[0] if found[1] else f"]({self._link(page, found[2])})", text)

    def _link(self, page: str, link: str) -> str:
        target, _, anchor = link.partition("#")
        if not target or ":" in target:
            return link
        path = os.path.normpath((PurePosixPath(page).parent / target).as_posix())
        to = self._target(page, path)
        beginning = PurePosixPath(place(page)).parent.as_posix()
        return os.path.relpath(to, beginning) + (f"#{anchor}" if anchor else "")

    def _target(self, page: str, path: str) -> str:
        if path in self._pages or path in self._folders:
            return place(path)
        file = self._root / path
        if path.startswith("..") or not file.is_file():
            raise PageError(f"{page} leads to {path}, which is neither a page of the site nor a file of the repository")
        if file.suffix in PICTURES:
            to = self._into / place(path)
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, to)
            return place(path)
        self._shown.add(path)
        return _shown_at(path)

    def _within(self, folder: str) -> list[str]:
        return sorted(path.relative_to(self._root).as_posix() for path in (self._root / folder).glob("*.md"))

    def _navigation(self) -> str:
        trees = []
        for section in self._sections:
            entries = (f"{name} </{_name(page)}>" if name else f"/{_name(page)}" for page, name in section.entries)
            trees.append(_toctree(entries, f":caption: {section.title}\n:hidden:\n"))
        return "\n" + "\n".join(trees)

    def _put(self, name: str, text: str) -> None:
        path = self._into / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def _name(page: str) -> str:
    return place(page).removesuffix(".md")


def _shown_at(page: str) -> str:
    return f"source/{page}.md"


def _toctree(entries: Iterator[str], options: str = "") -> str:
    lines = "\n".join(each if each.startswith("/") or "<" in each else f"/{each}" for each in entries)
    return f"```{{toctree}}\n{options}:maxdepth: 1\n\n{lines}\n```\n"


def external_loads(html: Path) -> list[str]:
    """What a browser would fetch from elsewhere to show the pages: there is to be nothing."""
    files = sorted(path for path in html.rglob("*") if path.suffix in {".html", ".css"})
    return [f"{path.relative_to(html)}: {load}" for path in files for load in _LOAD.findall(path.read_text())]


def build(into: Path) -> int:
    missing = [package for package in PACKAGES if find_spec(package) is None]
    if missing:
        print(f"docs: {', '.join(missing)} is not installed: pip install -r requirements/docs.lock", file=sys.stderr)
        return 1
    source, html = into / "source", into / "html"
    for directory in (source, html):
        shutil.rmtree(directory, ignore_errors=True)
    try:
        Layout(ROOT, source).write()
    except PageError as error:
        print(f"docs: {error}", file=sys.stderr)
        return 1
    from sphinx.cmd.build import build_main

    code = build_main(
        [
            "-W",
            "--keep-going",
            "-q",
            "-b",
            "html",
            "-c",
            str(SITE),
            "-d",
            str(into / "doctrees"),
            str(source),
            str(html),
        ]
    )
    loads = external_loads(html) if code == 0 else []
    for load in loads:
        print(f"docs: loaded from elsewhere: {load}", file=sys.stderr)
    return code or (1 if loads else 0)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--into", type=Path, default=ROOT / "build" / "docs", help="where to build")
    into = parser.parse_args(arguments).into
    code = build(into)
    if code == 0:
        print(f"docs: {into / 'html' / 'index.html'}")
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""No page has anybody install Riacho from a package index: it is on none yet, so its name alone would find nothing."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [
    *sorted(ROOT.glob("*.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted(path for path in (ROOT / "deploy").rglob("*") if path.is_file()),
    ROOT / "Dockerfile",
]
# By its name, with extras or a version or without; a wheel's file and a path to the sources are fine.
_FROM_AN_INDEX = re.compile(
    r"\b(?:pip3?|pipx|uv tool|uv pip) install\b[^\n`#]*?[\s'\"]riacho(?![\w./-])|\buvx (?:--from )?['\"]?riacho\b"
)


def from_an_index(text: str) -> list[str]:
    return [found[0] for found in _FROM_AN_INDEX.finditer(text)]


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_no_page_installs_it_by_its_name(page: Path) -> None:
    assert from_an_index(page.read_text(errors="replace")) == []


@pytest.mark.parametrize(
    "command",
    [
        "pip install riacho",
        "pip3 install 'riacho[all]'",
        "/opt/riacho/bin/pip install --upgrade riacho==0.1.0",
        'pipx install "riacho[services]"',
        "uvx riacho up",
        "uvx --from 'riacho[services]' riacho up",
    ],
)
def test_a_name_is_found(command: str) -> None:
    assert from_an_index(command)


@pytest.mark.parametrize(
    "command",
    [
        "/opt/riacho/bin/pip install '.[all]'",
        "pip install 'riacho-0.1.0-py3-none-any.whl[spark]'",
        "pip install --no-index ./dist/riacho-0.1.0.tar.gz",
        "uvx --from '.[services]' riacho up",
        "pip install confluent-kafka    # and `riacho up`",
    ],
)
def test_sources_and_wheels_are_no_names(command: str) -> None:
    assert from_an_index(command) == []

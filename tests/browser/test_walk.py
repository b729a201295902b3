"""Every screen, in both themes and languages, wide and narrow: nothing to complain about."""

from __future__ import annotations

import os
from itertools import product

import pytest
from playwright.sync_api import Browser

from browser.screens import COMPONENTS, screens
from browser.walking import walk
from support import axe
from support.browser import Language, Theme, visit
from support.browser_platform import BrowserPlatform

pytestmark = pytest.mark.timeout(600)
# Each theme, language and width once; `make proofs` walks with all eight.
FEW = [("light", "en", 1440), ("dark", "pt-BR", 360)]
ALL = list(product(("light", "dark"), ("en", "pt-BR"), (1440, 360)))
LOOKS = ALL if os.environ.get("RIACHO_PROOFS") else FEW


@pytest.fixture(scope="module")
def paths(browser: Browser, platform: BrowserPlatform) -> list[str]:
    with visit(browser, platform.url) as seen:
        return screens(seen)


def test_the_walk_finds_lists_and_the_pages_of_their_things(paths: list[str]) -> None:
    """Whichever a list has first: other tests make some as well."""
    cluster = paths[0]
    for noun, tab in (("topics", "config"), ("groups", "members"), ("schemas", "diff"), ("brokers", "log-dirs")):
        assert f"{cluster}/{noun}" in paths
        first = next(each for each in paths if each.startswith(f"{cluster}/{noun}/") and each.count("/") == 4)
        assert f"{first}/{tab}" in paths, first
    assert COMPONENTS in paths


@pytest.mark.parametrize(("theme", "language", "width"), LOOKS)
def test_every_screen(
    browser: Browser, platform: BrowserPlatform, paths: list[str], theme: Theme, language: Language, width: int
) -> None:
    with visit(browser, platform.url, theme=theme, language=language, width=width) as seen:
        assert walk(seen, paths) == []
    if reason := axe.missing():
        pytest.skip(f"{reason}; the rest of the walk is as it should be")

"""Every screen, in both themes and languages, wide and narrow: nothing to complain about, with a keyboard neither; and
each dialog that an address opens."""

from __future__ import annotations

import os
from itertools import product
from typing import NamedTuple
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, expect

from browser.screens import COMPONENTS, kind_of, screens
from browser.tabbing import NAVIGATION, SCREEN, wrong_by_tab
from browser.walking import walk, wrong_here
from support import axe
from support.browser import Language, Theme, visit
from support.browser_platform import BrowserPlatform

pytestmark = pytest.mark.timeout(600)
# Each theme, language and width once; `make proofs` walks with all eight.
FEW = [("light", "en", 1440), ("dark", "pt-BR", 360)]
ALL = list(product(("light", "dark"), ("en", "pt-BR"), (1440, 360)))
LOOKS = ALL if os.environ.get("RIACHO_PROOFS") else FEW


# What an address opens over its page.
DIALOGS = (
    "topics?create=true",
    "topics/orders/partitions?move=true",
    "topics/orders/partitions?move=0",
    "topics/orders?message=0-1",
    "groups/billing?reset=true",
    "schemas?create=true",
    "schemas/orders-value?evolve=true",
    "brokers/1?drain=true",
    "moves?move=true",
    "alerts/rules?add=true",
)


class Walked(NamedTuple):
    paths: list[str]
    # What the keyboard cannot do.
    wrong: list[str]


@pytest.fixture(scope="module")
def walked(browser: Browser, platform: BrowserPlatform) -> Walked:
    wrong: list[str] = []
    kinds: set[tuple[str, ...]] = set()
    with visit(browser, platform.url) as seen:

        def look() -> None:
            kind = kind_of(urlsplit(seen.page.url).path)
            # The navigation is the same on all of them, and so is one thing of a kind and the next.
            places = [] if kind in kinds else [SCREEN] if kinds else [NAVIGATION, SCREEN]
            kinds.add(kind)
            wrong.extend(f"{seen.page.url}: {each}" for place in places for each in wrong_by_tab(seen, place))

        return Walked(screens(seen, look), wrong)


@pytest.fixture(scope="module")
def paths(walked: Walked) -> list[str]:
    return walked.paths


def test_tab_reaches_everything_on_every_screen(walked: Walked) -> None:
    assert walked.wrong == []


@pytest.mark.parametrize(("theme", "language", "width"), FEW)
def test_every_dialog_that_an_address_opens(
    browser: Browser, platform: BrowserPlatform, theme: Theme, language: Language, width: int
) -> None:
    wrong: list[str] = []
    with visit(browser, platform.url, theme=theme, language=language, width=width) as seen:
        for path in DIALOGS:
            seen.open(f"/clusters/default/{path}")
            dialog = seen.page.get_by_role("dialog")
            expect(dialog).to_be_visible()
            expect(dialog.locator(".skeleton, tr.waiting")).to_have_count(0)
            wrong += [f"{path}, {seen}: {each}" for each in wrong_here(seen)]
            seen.page.keyboard.press("Escape")
            expect(dialog).to_be_hidden()
            if "=" in seen.page.url:
                wrong.append(f"{path} opens again at {seen.page.url}")
    assert wrong == []


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

"""Texts that others choose, everywhere they can get in: pages show them, and nothing else becomes of them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, Page, expect

from browser.screens import screens
from support.browser import Visit, visit
from support.hostile_texts import ALL, IMAGE, LINK, SCRIPT, TOPICS, TURNED, HostilePlatform, hostile_platform

pytestmark = pytest.mark.timeout(600)
# A service that answers nothing but errors, and things that there are none of.
TROUBLE = re.compile(r"console: Failed to load resource: the server responded with a status of (400|404|5\d\d) ")
_VIOLATIONS = "addEventListener('securitypolicyviolation', told => { window.violated = told.blockedURI || 'inline'; })"
# Nothing of ours is written so.
_HARMFUL = (
    "img[src=x], [onerror], script:not([src]), style:not([data-own]), iframe, object, embed, base, "
    "a[href^='javascript:' i], form[action^='javascript:' i]"
)


@pytest.fixture(scope="module")
def hostile(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[HostilePlatform]:
    with hostile_platform(tmp_path_factory.mktemp("hostile")) as running:
        yield running


@pytest.fixture
def seen(browser: Browser, hostile: HostilePlatform) -> Iterator[Visit]:
    with visit(browser, hostile.url, allowed=TROUBLE) as made:
        made.page.context.add_init_script(_VIOLATIONS)
        yield made


def unharmed(page: Page) -> None:
    assert page.evaluate("[window.harmed, window.violated, ({}).harmed]") == [None, None, None], page.url
    found = page.locator(_HARMFUL).evaluate_all("found => found.map(each => each.outerHTML.slice(0, 200))")
    assert found == [], page.url


def test_every_screen(seen: Visit) -> None:
    shown: set[str] = set()

    def look() -> None:
        unharmed(seen.page)
        # What a screen shows of them is text, and is there.
        shown.update(text for text in (IMAGE, SCRIPT) if text in seen.page.locator("body").inner_text())

    assert len(screens(seen, look)) > 20
    assert shown == {IMAGE, SCRIPT}


@pytest.mark.parametrize(
    "spoil",
    [
        "document.querySelector('main').insertAdjacentHTML('beforeend', IMAGE)",
        "document.querySelector('main').insertAdjacentHTML('beforeend', '<a href=\"javascript:x()\">x</a>')",
        "document.head.append(Object.assign(document.createElement('script'), {textContent: 'window.harmed = 1'}))",
        "Object.prototype.harmed = 1",
        "window.harmed = 1",
    ],
)
def test_what_the_look_would_tell(browser: Browser, hostile: HostilePlatform, spoil: str) -> None:
    with visit(browser, hostile.url, allowed=re.compile("")) as spoilt:
        spoilt.page.context.add_init_script(_VIOLATIONS)
        spoilt.page.goto("/components")
        expect(spoilt.page.locator("main h1")).not_to_be_empty()
        unharmed(spoilt.page)
        spoilt.page.evaluate(f"() => {{ const IMAGE = {json.dumps(IMAGE)}; {spoil} }}")
        with pytest.raises(AssertionError):
            unharmed(spoilt.page)


@pytest.mark.parametrize("text", [ALL, LINK, TURNED])
def test_pages_of_things_so_called(seen: Visit, text: str) -> None:
    name = quote(text, safe="")
    for path in ("groups", "topics", "schemas", "connectors", "brokers"):
        seen.page.goto(f"/clusters/default/{path}/{name}")
        expect(seen.page.locator("main h1")).not_to_be_empty()
        unharmed(seen.page)
    for path in (
        f"/clusters/{name}/topics",
        f"/clusters/default/{name}",
        f"/login?problem={name}&to={name}",
        f"/clusters/default/topics?q={name}&sort={name}&page={name}",
        f"/clusters/default/topics/hostile?key={name}&where={name}&message={name}&from={name}",
        f"/clusters/default/groups?q={name}#{name}",
        f"/{name}",
    ):
        seen.page.goto(path)
        expect(seen.page.locator("h1").first).not_to_be_empty()
        unharmed(seen.page)


@pytest.mark.parametrize("topic", TOPICS)
def test_messages(seen: Visit, topic: str) -> None:
    page = seen.page
    seen.open(f"/clusters/default/topics/{topic}?limit=50")
    expect(page.locator("main tbody tr:not(.waiting)").first).to_be_visible()
    unharmed(page)
    # The text, and documents made of it with and without escapes.
    for offset in (0, 1, 2, 12, 13, 14) if topic == "hostile" else (13,):
        seen.open(f"/clusters/default/topics/{topic}?message=0-{offset}")
        drawer = page.get_by_role("dialog")
        expect(drawer).to_be_visible()
        expect(drawer).to_contain_text("harmed" if offset < 12 else "gnp.exe")
        unharmed(page)


def test_texts_that_are_typed_in(seen: Visit) -> None:
    page = seen.page
    seen.open("/clusters/default/topics")
    for text in (IMAGE, SCRIPT, LINK, ALL):
        page.keyboard.press("Control+k")
        palette = page.get_by_role("combobox").last
        expect(palette).to_be_visible()
        palette.fill(text[:60])
        page.wait_for_timeout(300)
        unharmed(page)
        page.keyboard.press("Escape")
        page.keyboard.press("Escape")

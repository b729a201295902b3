"""A list as one looks at it: how much of it is seen, that nothing jumps, what shows while it takes its time, and its
rows as a file."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from confluent_kafka.admin import NewTopic
from playwright.sync_api import Browser, Page, Route, expect

from support.browser import visit
from support.browser_platform import WAIT_S, BrowserPlatform

LIST = "/clusters/default/topics?q=zz-many"
SEEN_MIN = 30
MANY = tuple(f"zz-many-{number:02}" for number in range(SEEN_MIN + 2))
RELOAD_MS = 5_000
SLOW_MS = 200
_SEEN_ROWS = """rows => rows.filter(row => {
  const box = row.getBoundingClientRect();
  const at = document.elementFromPoint(box.left + 20, box.bottom - 2);
  return box.top >= 0 && box.bottom <= innerHeight && row.contains(at);
}).length"""
# What moves because of a click or a key is none: nothing is clicked here. Nor is a number that grows in its column.
_WATCH = """() => {
  window.shifted = [];
  const elementOf = ({node}) => node instanceof Element ? node : node?.parentElement;
  const note = list => shifted.push(...list.getEntries().flatMap(each => each.sources).map(elementOf)
    .filter(each => !each?.closest("td.number")).map(each => each?.outerHTML.slice(0, 160) ?? "gone"));
  new PerformanceObserver(note).observe({type: "layout-shift"});
}"""
_TWO_FRAMES = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
_PUSH = """() => document.querySelector(".toolbar").before(
  Object.assign(document.createElement("div"), {style: "height: 90px; flex: none"}))"""


@pytest.fixture(scope="module")
def many(platform: BrowserPlatform) -> Iterator[BrowserPlatform]:
    made = platform.admin.create_topics([NewTopic(name, 1, 1) for name in MANY])
    for each in made.values():
        each.result(WAIT_S)
    platform.produce(MANY[1], 3)
    platform.wait_for(f"topics?q={MANY[-1]}", MANY[-1])
    yield platform
    for each in platform.admin.delete_topics([*MANY]).values():
        each.result(WAIT_S)


def test_thirty_topics_are_seen_at_once(browser: Browser, many: BrowserPlatform) -> None:
    with visit(browser, many.url, width=1920) as seen:
        seen.open(LIST)
        assert seen.page.locator("main tbody tr:not(.space)").evaluate_all(_SEEN_ROWS) >= SEEN_MIN
        seen.picture("topics-1920")


def test_a_list_that_asks_again_shifts_nothing(browser: Browser, many: BrowserPlatform) -> None:
    with visit(browser, many.url) as seen:
        page = seen.page
        page.clock.install()
        seen.open(LIST)
        page.evaluate(_TWO_FRAMES)
        page.evaluate(_WATCH)
        many.produce(MANY[0], 1_234)
        many.wait_for(f"topics?q={MANY[0]}", '"messages":1234')
        page.clock.run_for(RELOAD_MS)
        expect(page.locator("main tbody tr").first).to_contain_text("1,234")
        page.evaluate(_TWO_FRAMES)
        assert page.evaluate("shifted") == []
        # It would have been told.
        page.evaluate(_PUSH)
        page.wait_for_function("shifted.length > 0")


def test_a_wait_is_shown_when_it_is_one(browser: Browser, many: BrowserPlatform) -> None:
    """Nothing for a moment, then the shape of what is to come, then what has come."""
    held: list[Route] = []
    with visit(browser, many.url) as seen:
        page = seen.page
        page.clock.install()
        page.route("**/api/v1/clusters/default/topics?*", lambda route: held.append(route))
        page.goto("/clusters/default/brokers")
        seen.settle()
        page.clock.pause_at(page.evaluate("Date.now() + 1000"))
        page.get_by_role("link", name="Topics", exact=True).click()
        step_ms = 20
        while not held:
            page.clock.run_for(step_ms)
        page.clock.run_for(SLOW_MS - 2 * step_ms)
        expect(page.locator("main h1")).to_have_text("Topics")
        assert _waiting(page) == 0
        page.clock.run_for(2 * step_ms)
        expect(page.locator("main tr.waiting .wait-bar").first).to_be_visible()
        assert _waiting(page) > 0
        held[0].continue_()
        expect(page.get_by_role("link", name="orders", exact=True)).to_be_visible()
        assert _waiting(page) == 0
        for each in held[1:]:
            each.continue_()


def _waiting(page: Page) -> int:
    """What turns, breathes or stands in for something, as far as it is seen."""
    return page.locator(":is(.wait-bar, .skeleton .bar, [class*=spin], progress):visible").count()


def test_the_file_of_a_list_has_its_rows(browser: Browser, many: BrowserPlatform) -> None:
    """As they are searched and sorted; no column of buttons."""
    with visit(browser, many.url) as seen:
        page = seen.page
        seen.open(f"{LIST}&sort=-name")
        shown = page.locator("main tbody tr:not(.space) td:first-child").all_inner_texts()
        with page.expect_download() as download:
            page.get_by_role("button", name="Save as CSV").click()
        assert download.value.suggested_filename == "topics.csv"
        with Path(download.value.path()).open(newline="") as file:
            rows = list(csv.DictReader(file))
        expect(page.locator(".toasts")).to_be_empty()
    assert [each["name"] for each in rows] == shown == sorted(MANY, reverse=True)
    asked = {"q": "zz-many", "page_size": 500}
    items = httpx.get(f"{many.url}/api/v1/clusters/default/topics", params=asked, timeout=WAIT_S).json()["items"]
    told = {each["name"]: (str(each["messages"]), str(each["partitions"])) for each in items}
    assert {each["name"]: (each["messages"], each["partitions"]) for each in rows} == told
    assert told[MANY[1]] == ("3", "1")
    assert "actions" not in rows[0]

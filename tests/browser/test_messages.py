"""Messages as they come, and as files: what a reader sees, and what the topic has."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import httpx
import pytest
from confluent_kafka import Message
from playwright.sync_api import Browser, Locator, Page, expect

from browser.signing_in import MASKED, GuardedConsole, sign_in
from support.browser import visit
from support.browser_platform import WAIT_S, BrowserPlatform

TOPICS = "/clusters/default/topics"
CARD = "4111111111111111"
# Of each kind that a file could get wrong: a separator, a quote, a line's end, a formula, a number, nothing.
VALUES = ("plain", 'a,"b";c', "two\nlines", "=1+1", "-7", '{"ação": "não"}', "")


def test_a_live_tail_is_held_and_let_go(browser: Browser, platform: BrowserPlatform) -> None:
    platform.create_topic("tailed")
    platform.produce_values("tailed", "before")
    platform.wait_for("topics", '"tailed"')
    with visit(browser, platform.url) as seen:
        page = seen.page
        seen.open(f"{TOPICS}/tailed")
        page.get_by_role("button", name="Live", exact=True).click()
        line = page.locator(".message-progress")
        expect(line.get_by_role("status")).to_have_text("Following")
        expect(_values(page)).to_have_text(["before"])
        platform.produce_values("tailed", "meanwhile")
        expect(_values(page)).to_have_text(["meanwhile", "before"])
        line.get_by_role("button", name="Pause").click()
        platform.produce_values("tailed", "held", "and this")
        expect(line.get_by_role("button", name="2 new")).to_be_visible()
        expect(line.get_by_role("status")).to_have_text("Paused")
        expect(_values(page)).to_have_text(["meanwhile", "before"])
        line.get_by_role("button", name="Resume").click()
        expect(_values(page)).to_have_text(["and this", "held", "meanwhile", "before"])
        expect(line.get_by_role("button", name=re.compile("new$"))).to_have_count(0)
        line.get_by_role("button", name="Stop").click()
        expect(line.get_by_role("status")).to_have_text("Stopped")
    assert platform.watermarks("tailed") == (0, 4)


def test_what_a_rule_masks_is_seen_nowhere(
    browser: Browser, platform: BrowserPlatform, guarded: GuardedConsole
) -> None:
    """The topic itself has it, and whom the rule leaves out is shown it."""
    platform.produce_values(MASKED, json.dumps({"card": CARD, "city": "Recife"}))
    with visit(browser, guarded.url, allowed=re.compile("status of 401")) as seen:
        page = seen.page
        page.goto(f"{TOPICS}/{MASKED}")
        sign_in(page, "vera")
        expect(_rows(page)).to_have_count(1)
        expect(_rows(page)).to_contain_text("Recife")
        expect(_rows(page)).to_contain_text("••••")
        assert CARD not in page.content()
        _rows(page).click()
        opened = page.get_by_role("dialog")
        expect(opened).to_contain_text("Parts are hidden by a masking rule.")
        for view in ("Raw", "Hex", "Pretty"):
            opened.get_by_role("button", name=view, exact=True).click()
            expect(opened).to_contain_text("so its bytes are not shown" if view == "Hex" else "Recife")
            assert CARD not in page.content()
        page.keyboard.press("Escape")
        exported = [_exported(page, name).read_text() for name in ("NDJSON", "CSV")]
    assert all("Recife" in text and "••••" in text and CARD not in text for text in exported)
    assert CARD.encode() in (platform.message(MASKED, 0).value() or b"")
    whole = f"{guarded.url}/api/v1{TOPICS}/{MASKED}/messages/0/0"
    assert CARD in httpx.get(whole, auth=("ann", "ann-secret"), timeout=WAIT_S).text


@pytest.fixture(scope="module")
def produced(platform: BrowserPlatform) -> Sequence[Message]:
    platform.create_topic("taken")
    platform.produce_values("taken", *VALUES)
    platform.wait_for("topics", '"taken"')
    found = platform.messages("taken", len(VALUES))
    assert [(each.value() or b"").decode() for each in found] == [*VALUES]
    return found


def test_files_of_messages_have_what_the_topic_has(
    browser: Browser, platform: BrowserPlatform, produced: Sequence[Message]
) -> None:
    with visit(browser, platform.url) as seen:
        page = seen.page
        seen.open(f"{TOPICS}/taken")
        expect(_rows(page)).to_have_count(len(VALUES))
        lines = [json.loads(line) for line in _exported(page, "NDJSON").read_text().splitlines()]
        with _exported(page, "CSV").open(newline="") as file:
            cells = list(csv.DictReader(file))
        # All that match, and no more.
        page.get_by_label("Value has").fill("lines")
        page.keyboard.press("Enter")
        expect(_rows(page)).to_have_count(1)
        found = [json.loads(line) for line in _exported(page, "NDJSON").read_text().splitlines()]
    wanted = [_place_and_value(each) for each in produced]
    assert sorted((each["offset"], each["timestamp_ms"], each["value"]) for each in lines) == wanted
    safe = [(offset, time, "'=1+1" if value == "=1+1" else value) for offset, time, value in wanted]
    assert sorted((int(each["offset"]), int(each["timestamp_ms"]), each["value"]) for each in cells) == safe
    assert [each["value"] for each in found] == ["two\nlines"]


def test_a_parquet_file_has_what_the_topic_has(
    browser: Browser, platform: BrowserPlatform, produced: Sequence[Message]
) -> None:
    parquet: Any = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    with visit(browser, platform.url) as seen:
        seen.open(f"{TOPICS}/taken")
        rows = parquet.read_table(_exported(seen.page, "Parquet")).to_pylist()
    found = [(each["offset"], round(each["timestamp_ms"].timestamp() * 1000), each["value"]) for each in rows]
    assert sorted(found) == [_place_and_value(each) for each in produced]


def _place_and_value(message: Message) -> tuple[int | None, int, str]:
    return message.offset(), message.timestamp()[1], (message.value() or b"").decode()


def _exported(page: Page, kind: str) -> Path:
    """The file, by the menu."""
    page.get_by_role("button", name="Export all that match", exact=True).click()
    with page.expect_download() as download:
        page.get_by_role("menuitem", name=f"Export all that match as {kind}").click()
    return Path(download.value.path())


def _rows(page: Page) -> Locator:
    return page.locator("main tbody tr:not(.waiting)")


def _values(page: Page) -> Locator:
    return _rows(page).locator("td:nth-child(5)")

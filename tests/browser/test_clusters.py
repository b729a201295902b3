"""Two clusters in one console: whoever goes over to the other sees that one, and copies commands for its servers."""

from __future__ import annotations

import re
import shlex

import httpx
from playwright.sync_api import Browser, Page, expect

from browser.signing_in import PLAYED, GuardedConsole, sign_in
from support.browser import visit
from support.browser_platform import WAIT_S, BrowserPlatform

_KEEP_COPIES = "navigator.clipboard.writeText = async text => { window.copied = text; }"


def test_page_address_and_commands_follow_the_cluster(
    browser: Browser, platform: BrowserPlatform, guarded: GuardedConsole
) -> None:
    login = ("ann", "ann-secret")
    rows = httpx.get(f"{guarded.url}/api/v1/clusters", auth=login, timeout=WAIT_S).json()
    told = {row["id"]: (row["ksql_url"], row["connect_url"]) for row in rows}
    assert told == {"default": (platform.ksql_url, None), "played": (guarded.ksql.url, guarded.connect.url)}
    with visit(browser, guarded.url, allowed=re.compile("status of 401")) as seen:
        page = seen.page
        page.add_init_script(_KEEP_COPIES)
        page.goto("/clusters/default/sql")
        sign_in(page, "ann")
        assert _copied_sql(page)[:3] == ["riacho", "ksql", platform.ksql_url]
        # It has none, so there is no way to a screen of its connectors.
        expect(page.get_by_role("link", name="Connectors", exact=True)).to_have_count(0)

        page.get_by_role("button", name="Switch cluster").click()
        page.get_by_role("menuitem", name="played").click()
        page.wait_for_url(f"**{PLAYED}")
        expect(page.locator(".nav-cluster")).to_contain_text("played")
        page.get_by_role("link", name="Connectors", exact=True).click()
        page.wait_for_url(f"**{PLAYED}/connectors")
        shown = page.locator("main pre, main code").first.inner_text()
        words = shlex.split(shown)
        assert words[:3] == ["riacho", "pipeline", "create"]
        assert words[words.index("--connect") + 1] == guarded.connect.url
        page.get_by_role("link", name="SQL", exact=True).click()
        page.wait_for_url(f"**{PLAYED}/sql")
        assert _copied_sql(page)[:3] == ["riacho", "ksql", guarded.ksql.url]

        page.get_by_role("button", name="Switch cluster").click()
        page.get_by_role("menuitem", name="default").click()
        page.wait_for_url("**/clusters/default")
        expect(page.locator(".nav-cluster")).to_contain_text("default")
        # Whoever comes again is where they were last.
        page.goto("/")
        page.wait_for_url("**/clusters/default")


def _copied_sql(page: Page) -> list[str]:
    editor = page.get_by_role("textbox", name="SQL text")
    editor.click()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text("SHOW STREAMS;")
    page.get_by_role("button", name="Copy as a command").click()
    page.get_by_role("menuitem", name="Copy as command line").click()
    return shlex.split(str(page.evaluate("window.copied")))

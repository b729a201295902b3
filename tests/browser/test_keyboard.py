"""Keys: where they lead, what they do, and that they can be turned off. What Tab reaches is looked at by the walk."""

from __future__ import annotations

from playwright.sync_api import Browser, expect

from support.browser import visit
from support.browser_platform import BrowserPlatform


def test_keys_without_a_mouse(browser: Browser, platform: BrowserPlatform) -> None:
    """Skip the navigation, go by `g t`, search by `/`, everything by the palette, help by `?`."""
    with visit(browser, platform.url) as seen:
        page = seen.page
        seen.open("/clusters/default")
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        expect(page.locator("main")).to_be_focused()
        page.keyboard.press("g")
        page.keyboard.press("t")
        page.wait_for_url("**/clusters/default/topics")
        seen.settle()
        page.keyboard.press("/")
        page.keyboard.type("ord")
        page.wait_for_url("**/topics?*ord*")
        page.keyboard.press("Control+k")
        expect(page.locator("dialog.palette")).to_be_visible()
        page.keyboard.type("billing")
        expect(page.get_by_role("option").first).to_contain_text("billing")
        page.keyboard.press("Enter")
        page.wait_for_url("**/groups/billing")
        seen.settle()
        page.keyboard.press("?")
        expect(page.get_by_role("dialog")).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_be_hidden()


def test_letters_do_what_a_screen_offers_until_they_are_turned_off(browser: Browser, platform: BrowserPlatform) -> None:
    with visit(browser, platform.url) as seen:
        page = seen.page
        seen.open("/clusters/default/topics")
        page.keyboard.press("c")
        expect(page.get_by_role("dialog", name="Create topic")).to_be_visible()
        page.keyboard.press("Escape")
        page.keyboard.press("j")
        expect(page.locator("main tbody a").first).to_be_focused()
        page.keyboard.press("Enter")
        page.wait_for_url("**/topics/*")
        seen.settle()
        page.keyboard.press("u")
        page.wait_for_url("**/topics")
        page.keyboard.press("?")
        page.get_by_role("dialog").get_by_label("Keys of a single letter").uncheck()
        page.keyboard.press("Escape")
        page.keyboard.press("c")
        page.keyboard.press("Control+k")
        expect(page.locator("dialog.palette")).to_be_visible()
        expect(page.get_by_role("dialog", name="Create topic")).to_have_count(0)


def test_the_palette_takes_what_is_typed_before_it_is_there(browser: Browser, platform: BrowserPlatform) -> None:
    with visit(browser, platform.url) as seen:
        page = seen.page
        seen.open("/clusters/default/topics")
        page.keyboard.press("Control+k")
        page.keyboard.type("create top")
        expect(page.locator("dialog.palette input")).to_have_value("create top")
        page.keyboard.press("Enter")
        expect(page.get_by_role("dialog", name="Create topic")).to_be_visible()
        page.keyboard.press("Escape")
        page.keyboard.press("Control+k")
        page.keyboard.type("broker 1")
        expect(page.get_by_role("option").first).to_contain_text("Broker 1 ·")


_OPENED_AND_ESCAPED = """async () => {
  document.querySelector(".page-menu").click();
  const isOpen = () => document.querySelector("aside.nav.open") !== null;
  for (let turn = 0; turn < 10_000 && !isOpen(); turn += 1) await Promise.resolve();
  if (!isOpen()) throw new Error("it did not open");
  document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {key: "Escape", bubbles: true}));
}"""


def test_the_navigation_of_a_narrow_screen_opens_by_keys(browser: Browser, platform: BrowserPlatform) -> None:
    with visit(browser, platform.url, width=360) as seen:
        page = seen.page
        seen.open("/clusters/default/topics")
        page.locator(".page-menu").focus()
        page.keyboard.press("Enter")
        expect(page.locator("nav a:visible").first).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.locator("nav a:visible")).to_have_count(0)
        # Both before another frame is drawn.
        page.evaluate(_OPENED_AND_ESCAPED)
        expect(page.locator("nav a:visible")).to_have_count(0)

"""What the walk would say of a page that is not as it should be."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser

from browser.tabbing import wrong_by_tab
from browser.walking import wrong_here
from support import axe
from support.browser import visit
from support.browser_platform import BrowserPlatform

_FAINT = """() => {
  const text = document.createElement("p");
  text.textContent = "hardly to be read";
  text.style.cssText = "color: #ccc; background: #fff; width: 3000px";
  document.querySelector(".page-room").append(text, document.createElement("h1"));
}"""

_OUT_OF_REACH = """() => {
  const add = (text, change) => {
    const button = Object.assign(document.createElement("button"), {textContent: text, ...change});
    document.querySelector(".page-room").append(button);
    return button;
  };
  add("never reached", {inert: true});
  add("never seen").style.cssText = "outline: none; box-shadow: none";
}"""

_ERRORS = """() => {
  console.error("an error");
  addEventListener("error", () => { window.isThrown = true; });
  setTimeout(() => { throw new Error("of a script"); });
  return fetch("http://127.0.0.2:9/elsewhere").catch(() => null);
}"""


def test_a_page_that_is_not_as_it_should_be(browser: Browser, platform: BrowserPlatform) -> None:
    if reason := axe.missing():
        pytest.skip(reason)
    with visit(browser, platform.url) as seen:
        seen.open("/components")
        assert wrong_here(seen) == []
        seen.page.evaluate(_FAINT)
        told = "\n".join(wrong_here(seen))
    assert "color-contrast" in told
    assert "has 2 headings of the first level" in told
    assert "scrolls sideways" in told


def test_what_a_keyboard_cannot_do(browser: Browser, platform: BrowserPlatform) -> None:
    with visit(browser, platform.url) as seen:
        seen.open("/clusters/default/moves")
        seen.page.evaluate(_OUT_OF_REACH)
        missed, unseen = wrong_by_tab(seen)
    assert missed.startswith("Tab does not reach <button")
    assert "never reached" in missed
    assert unseen.startswith("the focus is not seen on <button")
    assert "never seen" in unseen


def test_errors_and_requests_to_other_hosts_are_told(browser: Browser, platform: BrowserPlatform) -> None:
    with pytest.raises(AssertionError) as told:
        _misbehave(browser, platform.url)
    for each in ("console: an error", "script error: ", "Content Security Policy"):
        assert each in str(told.value)


def _misbehave(browser: Browser, url: str) -> None:
    with visit(browser, url) as seen:
        seen.open("/components")
        seen.page.evaluate(_ERRORS)
        seen.page.wait_for_function("() => window.isThrown")

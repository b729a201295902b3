"""What is done to a topic and cannot be undone, through the page: with the name, and with no other."""

from __future__ import annotations

from playwright.sync_api import Browser, Locator, Page, expect

from browser.walking import wrong_here
from support.browser import visit
from support.browser_platform import BrowserPlatform
from support.schema_registry_process import until


def test_messages_and_then_the_topic_go_with_the_name_only(browser: Browser, platform: BrowserPlatform) -> None:
    platform.create_topic("spare")
    platform.produce("spare", 5)
    platform.wait_for("topics", '"spare"')
    with visit(browser, platform.url) as seen:
        page = seen.page
        seen.open("/clusters/default/topics/spare")
        expect(page.locator("main tbody tr:not(.waiting)")).to_have_count(5)
        dialog = _asked(page, "Delete all messages")
        _takes_no_other_name(dialog, "Delete messages")
        assert wrong_here(seen) == []
        assert platform.watermarks("spare") == (0, 5)
        dialog.get_by_label("Type spare to confirm").fill("spare")
        dialog.get_by_role("button", name="Delete messages").click()
        expect(dialog).to_be_hidden()
        expect(page.locator(".toasts")).to_contain_text("The messages of spare have been deleted.")
        assert platform.watermarks("spare") == (5, 5)

        dialog = _asked(page, "Delete topic")
        _takes_no_other_name(dialog, "Delete")
        assert "spare" in platform.topics()
        dialog.get_by_label("Type spare to confirm").fill("spare")
        page.keyboard.press("Enter")
        page.wait_for_url("**/clusters/default/topics")
        expect(page.locator(".toasts")).to_contain_text("spare has been deleted.")
        expect(page.locator("main tbody").get_by_role("link", name="spare", exact=True)).to_have_count(0)
    until(lambda: "spare" not in platform.topics())


def _asked(page: Page, what: str) -> Locator:
    page.get_by_role("button", name="What can be done to this topic").click()
    page.get_by_role("menuitem", name=what, exact=True).click()
    return page.get_by_role("dialog", name=what)


def _takes_no_other_name(dialog: Locator, verb: str) -> None:
    """Neither by its button nor by Enter."""
    button = dialog.get_by_role("button", name=verb, exact=True)
    field = dialog.get_by_label("Type spare to confirm")
    for wrong in ("", "spar", "Spare", "spare "):
        field.fill(wrong)
        expect(button).to_be_disabled()
    field.press("Enter")
    expect(dialog).to_be_visible()

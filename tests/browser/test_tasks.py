"""What people come for, done through the pages, and looked at with a Kafka client."""

from __future__ import annotations

from playwright.sync_api import Browser, expect

from support.browser import visit
from support.browser_platform import BrowserPlatform


def test_create_a_topic_produce_and_find_by_key(browser: Browser, platform: BrowserPlatform) -> None:
    with visit(browser, platform.url) as seen:
        page = seen.page
        seen.open("/clusters/default/topics")
        page.get_by_role("button", name="Create topic").first.click()
        dialog = page.get_by_role("dialog")
        dialog.get_by_label("Name", exact=True).fill("payments")
        dialog.get_by_label("Partitions", exact=True).fill("2")
        dialog.get_by_role("button", name="Create", exact=True).click()
        page.wait_for_url("**/topics/payments")
        seen.settle()
        for key in ("ana", "bia"):
            page.locator(".message-line").get_by_role("button", name="Produce", exact=True).click()
            dialog.locator("input[id$=-key]").fill(key)
            dialog.locator("textarea").fill(f'{{"from": "{key}"}}')
            dialog.get_by_role("button", name="Produce", exact=True).click()
            expect(dialog).to_be_hidden()
        page.get_by_label("Key has").fill("bia")
        page.keyboard.press("Enter")
        page.wait_for_url("**/topics/payments?*key=bia*")
        rows = page.locator("main tbody tr:not(.waiting)", has_text="bia")
        expect(rows).to_have_count(1)
        expect(page.locator("main tbody")).not_to_contain_text("ana")
    assert "payments" in platform.topics()


def test_reset_a_group_after_a_preview(browser: Browser, platform: BrowserPlatform) -> None:
    platform.commit("reporting", "orders", 150)
    platform.wait_for("groups", '"reporting"')
    with visit(browser, platform.url) as seen:
        page = seen.page
        seen.open("/clusters/default/groups/reporting")
        page.get_by_role("button", name="Reset offsets").first.click()
        dialog = page.get_by_role("dialog")
        dialog.get_by_label("Offset", exact=True).check()
        dialog.get_by_role("spinbutton", name="Offset").fill("40")
        expect(dialog.locator("tbody")).to_contain_text("-110")
        assert platform.committed("reporting", "orders") == 150
        dialog.get_by_role("button", name="Set offsets").click()
        expect(dialog).to_be_hidden()
    assert platform.committed("reporting", "orders") == 40

"""Rules of alerts through the pages: each of them as a command line too, and the way back."""

from __future__ import annotations

import json
import re

import httpx
from playwright.sync_api import Browser, Locator, Page, expect

from browser.signing_in import GuardedConsole, sign_in
from browser.walking import wrong_here
from riacho.console.history.webhook import signature
from support.browser import visit
from support.browser_platform import BrowserPlatform
from support.schema_registry_process import until

RULE = "Group far behind"
_KEEP_COPIES = "navigator.clipboard.writeText = async text => { window.copied = text; }"


def test_a_rule_is_changed_deleted_and_back(browser: Browser, platform: BrowserPlatform) -> None:
    with visit(browser, platform.url) as seen:
        page = seen.page
        page.add_init_script(_KEEP_COPIES)
        seen.open("/clusters/default/alerts/rules")
        page.get_by_role("button", name=RULE, exact=True).click()
        dialog = page.get_by_role("dialog")
        dialog.get_by_label("Above", exact=True).fill("500")
        dialog.get_by_label("The rule is on").uncheck()
        assert wrong_here(seen) == []
        seen.picture("alert-rule")
        command = _copied(page, dialog)
        assert command == (
            f"riacho alert set '{RULE}' --kind lag --above 500 --for 300 --target '' --webhook '' --off "
            f"--console {platform.url}"
        )
        dialog.get_by_role("button", name="Save").click()
        expect(dialog).to_be_hidden()
        assert (_rules(platform)[RULE]["above"], _rules(platform)[RULE]["is_on"]) == (500, False)
        page.get_by_role("button", name="Undo").click()
        until(lambda: _rules(platform)[RULE]["above"] == 100_000)

        page.get_by_role("button", name=f"What can be done to {RULE}").click()
        page.get_by_role("menuitem", name="Delete").click()
        assert _copied(page, dialog) == f"riacho alert delete '{RULE}' --yes --console {platform.url}"
        assert RULE in _rules(platform)
        dialog.get_by_role("button", name="Delete").click()
        expect(dialog).to_be_hidden()
        assert RULE not in _rules(platform)
        page.get_by_role("button", name="Undo").last.click()
        until(lambda: RULE in _rules(platform))


def test_a_webhook_is_tried_by_its_button(browser: Browser, guarded: GuardedConsole) -> None:
    """It is called as an alert would call it; what it answers is told, and its address is not."""
    receiver = guarded.receiver
    with visit(browser, guarded.url, allowed=re.compile("status of 401")) as seen:
        page = seen.page
        page.goto("/clusters/default/alerts/rules")
        sign_in(page, "ann")
        webhook = page.locator(".alerts-webhooks li", has_text="ops")
        webhook.get_by_role("button", name="Send a test").click()
        expect(webhook).to_contain_text("Delivered (status 200).")
        assert len(receiver.got) == 1
        receiver.statuses = [503]
        webhook.get_by_role("button", name="Send a test").click()
        expect(webhook).to_contain_text("503")
        expect(webhook).not_to_contain_text("Delivered")
        assert receiver.url not in page.content()
        assert wrong_here(seen) == []
    headers, body = receiver.got[0]
    assert json.loads(body)["cluster"] == "default"
    assert headers["x-riacho-signature"] == signature("signs", headers["x-riacho-timestamp"], body)


def _copied(page: Page, dialog: Locator) -> str:
    dialog.get_by_role("button", name="Copy as a command").click()
    page.get_by_role("menuitem", name="Copy as command line").click()
    return str(page.evaluate("window.copied"))


def _rules(platform: BrowserPlatform) -> dict[str, dict[str, object]]:
    found = httpx.get(f"{platform.url}/api/v1/clusters/default/alerts", timeout=60).json()["rules"]
    return {rule["name"]: rule for rule in found}

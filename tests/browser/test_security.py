"""Who may do what, done through the pages, and looked at with a Kafka client; and what the audit log says of it."""

from __future__ import annotations

import re
from urllib.parse import quote

import httpx
import pytest
from confluent_kafka import KafkaException
from confluent_kafka.admin import AclOperation, ResourcePatternType, ResourceType, ScramMechanism
from playwright.sync_api import Browser, Locator, Page, Route, expect

from browser.walking import wrong_here
from support.browser import Visit, visit
from support.browser_platform import HOSTILE, WAIT_S, BrowserPlatform

SECURITY = "/clusters/default/security"
LITERAL, PREFIXED = ResourcePatternType.LITERAL, ResourcePatternType.PREFIXED


def test_a_consumer_is_given_its_rights_after_a_preview(browser: Browser, platform: BrowserPlatform) -> None:
    with visit(browser, platform.url) as seen:
        page = seen.page
        seen.open(f"{SECURITY}/acls")
        dialog = _opened(page, "Grant by purpose")
        dialog.get_by_label("Consumer", exact=True).check()
        _fill(dialog, "Principal", "User:bia")
        _fill(dialog, "Topics", "orders, pay.*")
        _fill(dialog, "Group", "billing")
        expect(dialog.locator("tbody tr")).to_have_count(5)
        assert wrong_here(seen) == []
        assert platform.rights_of("User:bia") == set(), "a preview makes nothing"
        dialog.get_by_role("button", name="Make 5 entries").click()
        expect(dialog).to_be_hidden()
        assert platform.rights_of("User:bia") == {
            (ResourceType.TOPIC, "orders", LITERAL, AclOperation.READ),
            (ResourceType.TOPIC, "orders", LITERAL, AclOperation.DESCRIBE),
            (ResourceType.TOPIC, "pay.", PREFIXED, AclOperation.READ),
            (ResourceType.TOPIC, "pay.", PREFIXED, AclOperation.DESCRIBE),
            (ResourceType.GROUP, "billing", LITERAL, AclOperation.READ),
        }
        page.get_by_label("Search ACLs").fill("user:bia")
        page.wait_for_url("**q=user%3Abia")
        _remove_and_undo(seen, platform)
        expect(page.locator("main tbody tr")).to_have_count(5)


def _remove_and_undo(seen: Visit, platform: BrowserPlatform) -> None:
    page = seen.page
    page.get_by_role("button", name="Delete READ of User:bia on billing").click()
    dialog = page.get_by_role("dialog")
    assert wrong_here(seen) == []
    dialog.get_by_role("button", name="Delete", exact=True).click()
    expect(dialog).to_be_hidden()
    assert len(platform.rights_of("User:bia")) == 4
    page.get_by_role("status").get_by_role("button", name="Undo").last.click()
    expect(page.get_by_text("Undone").first).to_be_visible()
    assert len(platform.rights_of("User:bia")) == 5


def test_what_was_there_stays_when_the_rest_is_undone(browser: Browser, platform: BrowserPlatform) -> None:
    platform.allow("User:carla", AclOperation.WRITE, "orders")
    with visit(browser, platform.url) as seen:
        page = seen.page
        seen.open("/clusters/default/topics/orders/acls")
        dialog = _opened(page, "Grant by purpose")
        _fill(dialog, "Principal", "User:carla")
        expect(dialog.locator("tbody")).to_contain_text("there already")
        dialog.get_by_role("button", name="Make 3 entries").click()
        expect(dialog).to_be_hidden()
        assert len(platform.rights_of("User:carla")) == 3
        page.get_by_role("status").get_by_role("button", name="Undo").last.click()
        expect(page.get_by_text("Undone").first).to_be_visible()
    assert platform.rights_of("User:carla") == {(ResourceType.TOPIC, "orders", LITERAL, AclOperation.WRITE)}


def test_one_entry(browser: Browser, platform: BrowserPlatform) -> None:
    with visit(browser, platform.url) as seen:
        seen.open(f"{SECURITY}/acls")
        dialog = _opened(seen.page, "Add entry")
        _fill(dialog, "Principal", "User:davi")
        dialog.get_by_label("Kind").select_option("CLUSTER")
        dialog.get_by_label("Operation").select_option("IDEMPOTENT_WRITE")
        assert wrong_here(seen) == []
        dialog.get_by_role("button", name="Make 1 entry").click()
        expect(dialog).to_be_hidden()
    rights = (ResourceType.BROKER, "kafka-cluster", LITERAL, AclOperation.IDEMPOTENT_WRITE)
    assert platform.rights_of("User:davi") == {rights}


def test_brokers_without_an_authorizer(browser: Browser, platform: BrowserPlatform) -> None:
    with visit(browser, platform.url) as seen:
        seen.page.route("**/acls?*", _without_authorizer)
        seen.open(f"{SECURITY}/acls")
        expect(seen.page.get_by_text("These brokers have no authorizer")).to_be_visible()
        assert wrong_here(seen) == []


def _without_authorizer(route: Route) -> None:
    page = {"items": [], "total": 0, "page": 1, "page_size": 100, "as_of_ms": 0, "stale_reason": None}
    route.fulfill(json={**page, "has_authorizer": False})


def test_a_user_whose_password_is_seen_nowhere(browser: Browser, platform: BrowserPlatform) -> None:
    with visit(browser, platform.url) as seen:
        page = seen.page
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        seen.open(f"{SECURITY}/users")
        dialog = _opened(page, "Create user")
        dialog.get_by_label("User", exact=True).fill("eva")
        dialog.get_by_label("Password", exact=True).fill("s3cr3t-eva")
        dialog.get_by_label("Password again").fill("s3cr3t-ev")
        expect(dialog.get_by_role("button", name="Create", exact=True)).to_be_disabled()
        dialog.get_by_label("Password again").fill("s3cr3t-eva")
        dialog.get_by_label("SCRAM-SHA-256").check()
        assert wrong_here(seen) == []
        for what in ("Copy as command line", "Copy as curl"):
            dialog.get_by_role("button", name="Copy as").first.click()
            page.get_by_role("menuitem", name=what).click()
            copied = page.evaluate("() => navigator.clipboard.readText()")
            assert "eva" in copied
            assert "PASSWORD" in copied
            assert "s3cr3t" not in copied
        dialog.get_by_role("button", name="Create", exact=True).click()
        expect(dialog).to_be_hidden()
        expect(page.locator("main tbody")).to_contain_text("eva")
        assert not [each for each in asked if "s3cr3t" in each]
    assert set(platform.users()["eva"]) == {ScramMechanism.SCRAM_SHA_256, ScramMechanism.SCRAM_SHA_512}
    assert "s3cr3t" not in _audit(platform, "")


def test_a_user_is_deleted_by_its_whole_name(browser: Browser, platform: BrowserPlatform) -> None:
    platform.create_user("gone", "x")
    with visit(browser, platform.url) as seen:
        page = seen.page
        seen.open(f"{SECURITY}/users?q=gone")
        page.get_by_role("button", name="Actions of gone").click()
        page.get_by_role("menuitem", name="Delete").click()
        dialog = page.get_by_role("dialog")
        dialog.locator("input").fill("gon")
        expect(dialog.get_by_role("button", name="Delete", exact=True)).to_be_disabled()
        dialog.locator("input").fill("gone")
        dialog.get_by_role("button", name="Delete", exact=True).click()
        expect(dialog).to_be_hidden()
    assert "gone" not in platform.users()


def test_a_quota_is_set_changed_and_in_the_audit_log(browser: Browser, platform: BrowserPlatform) -> None:
    with visit(browser, platform.url) as seen:
        page = seen.page
        seen.open(f"{SECURITY}/quotas")
        dialog = _opened(page, "Set quota")
        _fill(dialog, "User", "fabi")
        dialog.get_by_label("Produce", exact=True).fill("2.5")
        dialog.get_by_label("Request time", exact=True).fill("50")
        assert wrong_here(seen) == []
        dialog.get_by_role("button", name="Save").click()
        expect(dialog).to_be_hidden()
        row = page.locator("main tbody tr", has_text="fabi")
        expect(row).to_contain_text("2.50MiB/s")
        assert _quotas(platform)["fabi"] == {"producer_byte_rate": 2_621_440.0, "request_percentage": 50.0}
        row.locator("td").first.click()
        dialog.get_by_label("Request time", exact=True).fill("")
        dialog.get_by_role("button", name="Save").click()
        expect(dialog).to_be_hidden()
        assert _quotas(platform)["fabi"] == {"producer_byte_rate": 2_621_440.0}
        page.get_by_role("status").get_by_role("button", name="Undo").last.click()
        expect(page.get_by_text("Undone").first).to_be_visible()
        assert _quotas(platform)["fabi"] == {"producer_byte_rate": 2_621_440.0, "request_percentage": 50.0}
        seen.open("/audit")
        page.get_by_label("What", exact=True).select_option("quotas")
        page.wait_for_url("**what=%2Fquotas")
        expect(page.locator("main tbody tr").first).to_contain_text("user=fabi")
        page.locator("main tbody tr").first.get_by_role("button").first.click()
        drawer = page.get_by_role("dialog")
        expect(drawer).to_contain_text("HTTP 204")
        expect(drawer).to_contain_text("request_percentage")
        assert wrong_here(seen) == []


def test_a_transaction_that_hangs_is_aborted(browser: Browser, platform: BrowserPlatform) -> None:
    name = f"{HOSTILE}/abort"
    producer = platform.transact(name, "orders")
    with visit(browser, platform.url) as seen:
        page = seen.page
        seen.open("/clusters/default/topics/orders/producers?open=true")
        page.locator("main tbody a").last.click()
        page.wait_for_url("**/transactions?q=*")
        seen.open("/clusters/default/transactions?state=Ongoing")
        page.get_by_role("link", name=name, exact=True).click()
        page.wait_for_url(f"**/transactions/{quote(name, safe='()')}")
        expect(page.get_by_role("heading", level=1)).to_have_text(name)
        expect(page.get_by_role("link", name="orders", exact=True)).to_be_visible()
        page.get_by_role("button", name="Abort").click()
        dialog = page.get_by_role("dialog")
        dialog.locator("input").fill(name)
        assert wrong_here(seen) == []
        dialog.get_by_role("button", name="Abort", exact=True).click()
        expect(dialog).to_be_hidden()
        expect(page.get_by_text("not open", exact=True)).to_be_visible()
    with pytest.raises(KafkaException):
        producer.commit_transaction(WAIT_S)


def test_a_setting_of_all_brokers(browser: Browser, platform: BrowserPlatform) -> None:
    with visit(browser, platform.url) as seen:
        page = seen.page
        seen.open("/clusters/default/brokers/defaults?q=message.max.bytes")
        page.get_by_role("button", name="Change message.max.bytes").click()
        dialog = page.get_by_role("dialog")
        dialog.get_by_label("Value").fill("2000000")
        expect(dialog.locator("code")).to_contain_text("--entity-type brokers --entity-default --add-config")
        assert wrong_here(seen) == []
        dialog.get_by_role("button", name="Save").click()
        expect(dialog).to_be_hidden()
        expect(page.locator("main tbody")).to_contain_text("2000000")
        seen.open("/clusters/default/brokers/1/config?q=message.max.bytes")
        expect(page.locator("main tbody")).to_contain_text("2000000")
        seen.open("/clusters/default/brokers/1/config?q=node.id")
        expect(page.locator("main tbody")).to_contain_text("restart")


def _opened(page: Page, button: str) -> Locator:
    page.get_by_role("button", name=button, exact=True).first.click()
    return page.get_by_role("dialog")


def _fill(dialog: Locator, label: str, text: str) -> None:
    """A field with suggestions, which would lie over the next one."""
    field = dialog.get_by_role("combobox", name=re.compile(f"^{label}$"))
    field.fill(text)
    field.press("Escape")


def _quotas(platform: BrowserPlatform) -> dict[str, dict[str, float]]:
    rows = httpx.get(f"{platform.url}/api/v1/clusters/default/quotas", timeout=WAIT_S).json()
    return {row["user"]: row["rates"] for row in rows}


def _audit(platform: BrowserPlatform, text: str) -> str:
    return httpx.get(f"{platform.url}/api/v1/audit", params={"q": text, "page_size": 500}, timeout=WAIT_S).text

"""Brokers through the pages: replicas are moved, one dies and then all, and the console itself starts again."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from browser.walking import wrong_here
from support.browser import visit
from support.browser_cluster import BrowserCluster, running_cluster
from support.schema_registry_process import until

pytestmark = pytest.mark.timeout(600)
# What a browser itself says of a console that is away for a moment, and of a cluster that cannot answer.
AWAY = re.compile(r"Failed to load resource|ERR_CONNECTION|ERR_INCOMPLETE_CHUNKED|ERR_EMPTY_RESPONSE")


@pytest.fixture(scope="module")
def three(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[BrowserCluster]:
    """The browser first: without it nothing is started."""
    with running_cluster(tmp_path_factory.mktemp("three")) as running:
        running.brokers.create_topic("orders", 3, replication_factor=2)
        running.produce("orders", 30)
        running.wait_for("topics", '"orders"')
        yield running


def test_a_partition_moves_to_another_broker(browser: Browser, three: BrowserCluster) -> None:
    three.brokers.create_topic("moved", 2, replication_factor=1)
    three.produce("moved", 50)
    three.wait_for("topics", '"moved"')
    [old] = three.replicas("moved")
    [other] = three.replicas("moved", 1)
    new = next(each for each in (1, 2, 3) if each != old)
    with visit(browser, three.url) as seen:
        page = seen.page
        seen.open("/clusters/default/topics/moved/partitions")
        page.get_by_role("button", name="Move replicas of moved-0").click()
        dialog = page.get_by_role("dialog")
        for each in {1, 2, 3} - {new}:
            dialog.get_by_role("checkbox", name=f"Broker {each}").uncheck()
        rows = dialog.locator("tbody tr")
        expect(rows).to_have_count(1)
        expect(rows.first).to_contain_text(f"{old}→+{new}")
        assert wrong_here(seen) == []
        seen.picture("move-preview")
        assert three.replicas("moved") == [old]
        dialog.get_by_role("button", name="Start moving").click()
        expect(dialog).to_be_hidden()
        until(lambda: three.replicas("moved") == [new])
        expect(page.locator("main tbody tr").first.locator(".replicas .tag")).to_have_text([re.compile(rf"^{new} ")])
        assert three.replicas("moved", 1) == [other]
        # The way back.
        page.get_by_role("button", name="Undo").click()
        until(lambda: three.replicas("moved") == [old])


def test_a_broker_is_emptied(browser: Browser, three: BrowserCluster) -> None:
    with visit(browser, three.url) as seen:
        page = seen.page
        seen.open("/clusters/default/brokers/3")
        expect(page.locator("main tbody tr", has_text="orders").first).to_be_visible()
        page.get_by_role("button", name="Move everything off").click()
        dialog = page.get_by_role("dialog")
        expect(dialog.get_by_role("checkbox", name="Broker 3")).to_be_disabled()
        expect(dialog.locator("tbody tr", has_text="orders").first).to_be_visible()
        dialog.get_by_role("button", name="Start moving").click()
        expect(dialog).to_be_hidden()
        until(lambda: all(3 not in three.replicas("orders", each) for each in range(3)))
        expect(page.locator("main tbody")).not_to_contain_text("orders")
        seen.open("/clusters/default/moves")
        expect(page.locator("main")).to_contain_text("Nothing is moving")
        assert wrong_here(seen) == []


def test_a_move_under_way_is_shown_and_cancelled(browser: Browser, three: BrowserCluster) -> None:
    before = three.replicas("orders")
    assert 3 not in before
    three.brokers.kill(3)
    try:
        three.wait_for("brokers", '"is_fenced":true')
        # It cannot end: the third broker copies nothing.
        three.move("orders", 0, [*before, 3])
        with visit(browser, three.url) as seen:
            page = seen.page
            seen.open("/clusters/default/moves")
            row = page.locator("main tbody tr", has_text="orders")
            expect(row).to_contain_text(f"{before[0]}{before[1]}→{before[0]}{before[1]}+3")
            expect(row).to_contain_text("waits for broker 3")
            assert wrong_here(seen) == []
            seen.picture("move-under-way")
            page.get_by_role("button", name="Cancel the move of orders-0").click()
            page.get_by_role("dialog").get_by_role("button", name="Cancel the moves").click()
            expect(page.locator("main")).to_contain_text("Nothing is moving")
            until(lambda: three.replicas("orders") == before)
    finally:
        three.brokers.start(3)


def test_the_console_starts_again_and_the_page_goes_on(browser: Browser, three: BrowserCluster) -> None:
    """With the same search on the same page; what is followed comes back by itself."""
    with visit(browser, three.url, allowed=AWAY) as seen:
        page = seen.page
        seen.open("/clusters/default/topics?q=ord&sort=-messages")
        expect(_live(page)).to_have_text("live")
        page.evaluate("() => { window.isSamePage = true; }")
        three.console.stop()
        expect(_live(page)).to_have_text(re.compile("reconnecting|from "))
        expect(page.locator("main tbody tr", has_text="orders")).to_have_count(1)
        three.console.start()
        expect(_live(page)).to_have_text("live")
        assert page.evaluate("() => window.isSamePage")
        assert page.url.endswith("/clusters/default/topics?q=ord&sort=-messages")
        expect(page.get_by_label("Search topics")).to_have_value("ord")
        three.brokers.create_topic("ordered-later", 1)
        expect(page.locator("main tbody tr", has_text="ordered-later")).to_have_count(1)


def test_brokers_die_and_the_pages_tell(browser: Browser, three: BrowserCluster) -> None:
    three.commit("billing", "orders", 1)
    three.wait_for("groups", '"billing"')
    with visit(browser, three.url, allowed=AWAY) as seen:
        page = seen.page
        seen.open("/clusters/default/brokers")
        row = page.locator("main tbody tr", has=page.get_by_role("link", name="2", exact=True))
        expect(row).to_contain_text("online")
        three.brokers.kill(2)
        expect(row).to_contain_text("fenced")
        seen.open("/clusters/default")
        expect(page.locator(".headline")).to_contain_text("1 broker is away.")
        expect(_figure(page, "Brokers online")).to_have_text("2 / 3")
        seen.picture("broker-dead")
        seen.open("/clusters/default/brokers/2/config")
        expect(page.locator("main")).to_contain_text("Broker 2 is away.")
        seen.open("/clusters/default")
        three.brokers.start(2)
        expect(_figure(page, "Brokers online")).to_have_text("3 / 3")
        expect(page.locator(".headline")).not_to_contain_text("away")

        for each in (1, 2, 3):
            three.brokers.kill(each)
        expect(page.locator(".headline-age")).to_contain_text("What is shown is from")
        expect(_live(page)).to_have_text(re.compile("^from .* ago"))
        expect(_figure(page, "Topics")).not_to_have_text("0")
        seen.picture("all-dead")
        seen.open("/clusters/default/topics/orders/partitions")
        expect(page.locator("main tbody tr")).to_have_count(3)
        assert wrong_here(seen) == []
        seen.open("/clusters/default/groups/billing")
        expect(page.locator(".group-as-seen")).to_contain_text("Shown as it was last seen")
        expect(_live(page)).to_have_text(re.compile("^from .* ago"))
        expect(page.locator("main tbody tr")).to_contain_text("orders")
        assert wrong_here(seen) == []
        seen.picture("group-away")
        seen.open("/clusters/default/groups/billing/members")
        expect(page.locator("main")).to_contain_text("Members are not known now")
        three.brokers.start()
        expect(_live(page)).to_have_text("live")


def _live(page: Page) -> Locator:
    return page.locator(".live-word")


def _figure(page: Page, name: str) -> Locator:
    return page.locator(".figure", has_text=name).locator(".figure-value")

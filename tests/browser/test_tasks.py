"""What people come for, done through the pages, and looked at with a Kafka client."""

from __future__ import annotations

from confluent_kafka import Producer
from playwright.sync_api import Browser, expect

from browser.walking import wrong_here
from support.browser import visit
from support.browser_platform import BrowserPlatform
from support.schema_registry_process import until


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


def test_more_partitions_take_the_name_and_a_copy_can_be_taken_back(
    browser: Browser, platform: BrowserPlatform
) -> None:
    platform.create_topic("narrow")
    platform.wait_for("topics", '"narrow"')
    with visit(browser, platform.url) as seen:
        page = seen.page
        seen.open("/clusters/default/topics/narrow")
        actions = page.get_by_role("button", name="What can be done to this topic")
        actions.click()
        page.get_by_role("menuitem", name="Add partitions").click()
        dialog = page.get_by_role("dialog")
        add = dialog.get_by_role("button", name="Add partitions")
        expect(dialog.get_by_label("Partitions", exact=True)).to_have_value("2")
        expect(add).to_be_disabled()
        dialog.get_by_label("Type narrow to confirm").fill("narrow")
        assert wrong_here(seen) == []
        seen.picture("add-partitions")
        add.click()
        expect(dialog).to_be_hidden()
        expect(page.locator(".toasts")).to_contain_text("There are 2 partitions now.")
        actions.click()
        page.get_by_role("menuitem", name="Clone").click()
        dialog.get_by_role("button", name="Clone", exact=True).click()
        page.wait_for_url("**/topics/narrow-copy")
        assert "narrow-copy" in platform.topics()
        page.get_by_role("button", name="Undo").click()
        page.wait_for_url("**/topics")
        until(lambda: "narrow-copy" not in platform.topics())


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


def test_a_group_forgets_an_offset_and_gets_it_back(browser: Browser, platform: BrowserPlatform) -> None:
    platform.commit("forgetful", "orders", 77)
    platform.wait_for("groups", '"forgetful"')
    with visit(browser, platform.url) as seen:
        page = seen.page
        seen.open("/clusters/default/groups?state=Empty")
        page.locator("main tbody").get_by_role("link", name="forgetful").click()
        page.get_by_role("button", name="Forget the offset of orders-0").click()
        dialog = page.get_by_role("dialog")
        dialog.get_by_role("button", name="Forget", exact=True).click()
        expect(dialog).to_be_hidden()
        assert platform.committed("forgetful", "orders") < 0
        page.get_by_role("button", name="Undo").click()
        until(lambda: platform.committed("forgetful", "orders") == 77)


def test_a_search_by_a_field_and_an_expression(browser: Browser, platform: BrowserPlatform) -> None:
    """As the URL has it; a field may be named without its dollar."""
    with visit(browser, platform.url) as seen:
        page = seen.page
        seen.open("/clusters/default/topics/orders?field=number%3D42&where=partition%20%3D%3D%200")
        rows = page.locator("main tbody tr:not(.waiting)")
        expect(rows).to_have_count(1)
        expect(rows.first).to_contain_text("k42")


def test_a_dead_letter_goes_back_where_it_came_from(browser: Browser, platform: BrowserPlatform) -> None:
    """Byte for byte, and without what was said of it."""
    for name in ("letters", "parcels"):
        platform.create_topic(name)
    producer = Producer({"bootstrap.servers": platform.bootstrap})
    headers = [("trace", b"\xff\x00"), ("__connect.errors.topic", b"parcels")]
    producer.produce("letters", b"\x80 no text", b"\xfe", headers=headers)
    assert producer.flush(60) == 0
    platform.wait_for("topics", '"letters"')
    with visit(browser, platform.url) as seen:
        page = seen.page
        seen.open("/clusters/default/topics/letters?message=0-0")
        page.get_by_role("button", name="Replay", exact=True).click()
        dialog = page.get_by_role("dialog", name="Replay offset 0 of partition 0")
        expect(dialog.get_by_label("Topic", exact=True)).to_have_value("parcels")
        expect(dialog.get_by_label("Without the headers that say what was wrong")).to_be_checked()
        assert wrong_here(seen) == []
        seen.picture("replay-of-a-dead-letter")
        dialog.get_by_role("button", name="Replay", exact=True).click()
        expect(dialog).to_be_hidden()
    again = platform.message("parcels", 0)
    assert (again.key(), again.value(), again.headers()) == (b"\xfe", b"\x80 no text", headers[:1])

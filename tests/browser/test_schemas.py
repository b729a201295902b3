"""Schemas through the pages, and looked at by asking the registry itself."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from browser.walking import wrong_here
from support.browser import Visit, visit
from support.browser_platform import BrowserPlatform
from support.schema_registry_process import until

SCHEMAS = "/clusters/default/schemas"
V1: dict[str, Any] = {"type": "record", "name": "Payment", "fields": [{"name": "id", "type": "string"}]}
V2 = {**V1, "fields": [*V1["fields"], {"name": "cents", "type": "long", "default": 0}]}
INCOMPATIBLE = {**V1, "fields": [*V1["fields"], {"name": "cents", "type": "long"}]}
PROTOBUF = 'syntax = "proto3";\n\nmessage Visit {\n  string page = 1; // where\n}\n'


def new_version(seen: Visit, subject: str) -> Locator:
    seen.open(f"{SCHEMAS}/{subject}")
    seen.page.get_by_role("button", name="New version").click()
    return seen.page.get_by_role("dialog")


def write(dialog: Locator, schema: Any) -> None:
    text = schema if isinstance(schema, str) else json.dumps(schema)
    dialog.get_by_role("textbox", name="Schema").fill(text)


def type_name(page: Page, name: str) -> None:
    dialog = page.get_by_role("dialog")
    delete = dialog.get_by_role("button", name="Delete", exact=True)
    expect(delete).to_be_disabled()
    dialog.get_by_role("textbox").fill(name)
    delete.click()


def test_a_compatible_version_is_saved(browser: Browser, platform: BrowserPlatform) -> None:
    platform.register("payments-value", V1)
    with visit(browser, platform.url) as seen:
        dialog = new_version(seen, "payments-value")
        save = dialog.get_by_role("button", name="Save")
        expect(dialog.get_by_role("textbox", name="Schema")).to_contain_text('{ "name": "id", "type": "string" }')
        # As it is there is nothing to save.
        expect(save).to_be_disabled()
        write(dialog, V2)
        dialog.get_by_role("button", name="Check").click()
        expect(dialog.get_by_role("status")).to_contain_text("Compatible")
        assert platform.versions("payments-value") == [1]
        dialog.get_by_role("button", name="Show changes").click()
        expect(dialog.locator(".diff .added")).to_contain_text("cents")
        assert wrong_here(seen) == []
        save.click()
        expect(dialog).to_be_hidden()
        expect(seen.page.locator(".toasts")).to_contain_text("version 2")
        expect(seen.page.locator("main").get_by_label("Version", exact=True)).to_have_value("2")
        seen.open(f"{SCHEMAS}/payments-value/diff?from=1&to=2")
        expect(seen.page.locator(".diff .added")).to_have_count(1)
        expect(seen.page.locator(".diff .added")).to_contain_text('{ "name": "cents", "type": "long", "default": 0 }')
    assert platform.versions("payments-value") == [1, 2]
    assert json.loads(platform.schema("payments-value")["schema"]) == V2


def test_what_was_saved_is_taken_back(browser: Browser, platform: BrowserPlatform) -> None:
    """Only what came of it: what was registered before stays, whatever the page knew."""
    platform.register("undone-value", V1)
    with visit(browser, platform.url) as seen:
        dialog = new_version(seen, "undone-value")
        write(dialog, V2)
        dialog.get_by_role("button", name="Save").click()
        expect(dialog).to_be_hidden()
        assert platform.versions("undone-value") == [1, 2]
        seen.page.get_by_role("button", name="Undo").click()
        until(lambda: platform.versions("undone-value") == [1])
        # A name that is typed for a new subject may be of one that is there.
        seen.open(f"{SCHEMAS}?create=true&subject=undone-value")
        write(dialog, V1)
        dialog.get_by_role("button", name="Save").click()
        expect(dialog).to_be_hidden()
        expect(seen.page.locator(".toasts")).to_contain_text("version 1")
        expect(seen.page.get_by_role("button", name="Undo")).to_have_count(0)
    assert platform.versions("undone-value") == [1]


def test_an_incompatible_version_is_refused_with_its_reason(browser: Browser, platform: BrowserPlatform) -> None:
    platform.register("refunds-value", V1)
    with visit(browser, platform.url) as seen:
        dialog = new_version(seen, "refunds-value")
        save = dialog.get_by_role("button", name="Save")
        write(dialog, INCOMPATIBLE)
        # Without having been asked for, the check comes before saving.
        save.click()
        expect(dialog.get_by_role("alert")).to_contain_text("Nothing was saved")
        expect(dialog.get_by_role("status")).to_contain_text("Not compatible with version 1")
        reason = dialog.locator(".verdict-reasons li")
        expect(reason).to_have_count(1)
        expect(reason).to_contain_text("READER_FIELD_MISSING_DEFAULT_VALUE")
        expect(reason).to_contain_text("cents")
        expect(save).to_be_disabled()
        dialog.get_by_text("In the registry's words").click()
        expect(dialog.locator(".verdict pre")).to_contain_text("{oldSchemaVersion: 1}")
        assert wrong_here(seen) == []
        write(dialog, '{"type": "record"}')
        expect(save).to_be_enabled()
        dialog.get_by_role("button", name="Check").click()
        expect(dialog.get_by_role("status")).to_contain_text("Not a schema")
        expect(save).to_be_disabled()
    assert platform.versions("refunds-value") == [1]


def test_a_subject_is_made_with_a_reference_and_deleted(browser: Browser, platform: BrowserPlatform) -> None:
    with visit(browser, platform.url) as seen:
        page = seen.page
        seen.open(SCHEMAS)
        page.get_by_role("button", name="Create schema").click()
        dialog = page.get_by_role("dialog")
        dialog.get_by_label("Subject", exact=True).fill("baskets-value")
        write(dialog, {"type": "record", "name": "Basket", "fields": [{"name": "item", "type": "shop.Item"}]})
        dialog.get_by_role("button", name="Check").click()
        expect(dialog.get_by_role("status")).to_contain_text("Not a schema")
        dialog.get_by_role("button", name="Add a reference").click()
        dialog.get_by_label("What the schema calls it").fill("shop.Item")
        line = dialog.locator(".reference-line")
        line.get_by_role("combobox", name="Subject").fill("shop.I")
        line.get_by_role("option", name="shop.Item").click()
        line.get_by_role("combobox", name="Version").click()
        line.get_by_role("option", name="1").click()
        with page.expect_response("**/schemas/baskets-value/versions") as answered:
            dialog.get_by_role("button", name="Save").click()
        assert answered.value.status == 201
        page.wait_for_url("**/schemas/baskets-value/schema")
        assert platform.schema("baskets-value")["references"][0]["subject"] == "shop.Item"
        page.get_by_role("link", name="References").click()
        expect(page.locator(".flow-node.current")).to_contain_text("baskets-value")
        expect(page.locator(".flow-node.schema")).to_contain_text("shop.Item")
        page.evaluate("window.isSamePage = true")
        page.locator(".flow-node.schema").click()
        expect(page.locator(".flow-node.current")).to_contain_text("shop.Item")
        assert page.evaluate("window.isSamePage")
        page.go_back()
        page.get_by_role("button", name="What can be done to this subject").click()
        page.get_by_role("menuitem", name="Delete subject").click()
        type_name(page, "baskets-value")
        page.wait_for_url(f"**{SCHEMAS}")
    assert platform.versions("baskets-value") == []


def test_protobuf_and_one_version_that_goes(browser: Browser, platform: BrowserPlatform) -> None:
    platform.register("visits-value", PROTOBUF, schemaType="PROTOBUF")
    platform.register("visits-value", PROTOBUF.replace("}", "  int64 ms = 2;\n}"), schemaType="PROTOBUF")
    with visit(browser, platform.url) as seen:
        page = seen.page
        seen.open(f"{SCHEMAS}/visits-value")
        expect(page.get_by_role("textbox", name="Schema")).to_contain_text("int64 ms = 2;")
        page.get_by_role("link", name="Versions").click()
        page.get_by_role("button", name="Delete version 1").click()
        type_name(page, "visits-value")
        expect(page.locator("main tbody tr")).to_have_count(1)
        expect(page.locator("main tbody")).to_contain_text("Version 2")
    assert platform.versions("visits-value") == [2]


def test_the_level_is_set_and_taken_back(browser: Browser, platform: BrowserPlatform) -> None:
    platform.register("ratings-value", V1)
    with visit(browser, platform.url) as seen:
        page = seen.page
        seen.open(f"{SCHEMAS}/ratings-value")
        page.get_by_role("button", name="What can be done to this subject").click()
        page.get_by_role("menuitem", name="Set compatibility").click()
        page.get_by_role("radio", name="FULL_TRANSITIVE").check()
        assert wrong_here(seen) == []
        page.get_by_role("dialog").get_by_role("button", name="Save").click()
        expect(page.locator(".facts")).to_contain_text("FULL_TRANSITIVE")
        page.get_by_role("button", name="Undo").click()
        expect(page.locator(".facts")).to_contain_text("BACKWARD the registry's")


HOSTILE = """<img src=x onerror="window.isRun=1">/'"&?#%2e"""


@pytest.mark.parametrize("name", [HOSTILE, "</script><script>window.isRun=1</script>"])
def test_hostile_names_and_texts_stay_texts(browser: Browser, platform: BrowserPlatform, name: str) -> None:
    platform.register(name, {**V1, "doc": name})
    platform.register(name, {**V2, "doc": f"{name} {name}"})
    with visit(browser, platform.url) as seen:
        page = seen.page
        seen.open(SCHEMAS)
        page.get_by_role("link", name=name, exact=True).click()
        expect(page.get_by_role("heading", level=1)).to_have_text(name)
        expect(page.get_by_role("textbox", name="Schema")).to_contain_text(json.dumps(name)[1:-1])
        for tab in ("versions", "diff", "references"):
            seen.open(f"{SCHEMAS}/{quote(name, safe='')}/{tab}")
        page.keyboard.press("Control+k")
        page.get_by_role("combobox", name="Find anything").fill(name[:8])
        expect(page.get_by_role("option", name=name)).to_be_visible()
        assert page.evaluate("window.isRun") is None
        page.get_by_role("option", name=name).click()
        page.get_by_role("button", name="What can be done to this subject").click()
        page.get_by_role("menuitem", name="Delete subject").click()
        type_name(page, name)
        page.wait_for_url(f"**{SCHEMAS}")
        assert page.evaluate("window.isRun") is None
    assert platform.versions(name) == []

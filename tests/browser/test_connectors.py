"""Connectors and pipelines on a platform whose Connect runs Spark: one is created by the form, a record that fails is a
click away, and the screens are walked with something on them. It costs a JVM, so it is a platform of its own.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import quote

import httpx
import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from browser.walking import walk
from support import axe
from support.browser import Language, Theme, Visit, visit
from support.browser_platform import WAIT_S, BrowserPlatform, running_platform
from support.connect_runner import SPARK, why_no_runner

pytestmark = pytest.mark.timeout(1_200)
CLUSTER = "/clusters/default"
SINK = "riacho.connect.DirectorySinkConnector"
# Text that is set as anything but text would run this, or be missed.
HOSTILE = "<img src=x onerror=document.title='run'>"
BAD_RECORD = "this is no JSON"
# Spark starts with the first connector; other tests may have the cores.
SPARK_MS = 400_000


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("connectors")


@pytest.fixture(scope="module")
def connecting(browser: Browser, home: Path) -> Iterator[BrowserPlatform]:
    pytest.importorskip("pyspark", reason="Spark is not installed")
    if reason := why_no_runner():
        pytest.skip(reason)
    with running_platform(home, {**SPARK, "riacho.connectors.allowed.paths": str(home)}) as running:
        running.create_topic("sales")
        running.produce_values("sales", '{"id": 1}', BAD_RECORD, '{"id": 2}')
        running.wait_for("topics", '"sales"')
        yield running


@pytest.fixture(scope="module")
def archive(browser: Browser, connecting: BrowserPlatform, home: Path) -> str:
    """The connector that is created by the form."""
    with visit(browser, connecting.url) as seen:
        _create_by_form(seen, home / "archive")
        page = seen.page
        page.wait_for_url("**/connectors/archive")
        expect(page.get_by_role("button", name="Undo")).to_be_visible()
        expect(_fact(page, "State")).to_have_text("running")
        expect(_fact(page, "Dead letters")).to_have_text("sales-dlq", timeout=SPARK_MS)
    _spark_until(lambda: '"dead_letters":1' in _api(connecting, "GET", "pipelines").text)
    return "archive"


def _create_by_form(seen: Visit, directory: Path) -> None:
    page = seen.page
    seen.open(f"{CLUSTER}/connectors")
    page.get_by_role("link", name="Create connector").first.click()
    page.get_by_role("link", name="DirectorySinkConnector").click()
    seen.settle()
    page.get_by_role("button", name="Create", exact=True).click()
    # The server's words, at the field that they are about.
    expect(_setting(page, "directory").locator(".wrong")).to_contain_text("Missing required configuration")
    expect(_setting(page, "name").locator(".wrong")).to_be_visible()
    _fill(page, "name", "archive")
    _fill(page, "directory", str(directory))
    _fill(page, "topics", "sales")
    expect(_setting(page, "directory").locator(".wrong")).to_be_hidden()
    page.get_by_label(re.compile(r"All \d+ settings")).check()
    _fill(page, "format", "json")
    _fill(page, "value.converter", "org.apache.kafka.connect.json.JsonConverter")
    _fill(page, "key.converter", "org.apache.kafka.connect.storage.StringConverter")
    _fill(page, "errors.tolerance", "all")
    _fill(page, "errors.deadletterqueue.topic.name", "sales-dlq")
    # One that the form does not know by itself.
    page.get_by_role("combobox", name="Another setting").fill("value.converter.schemas.enable")
    page.locator(".setting-add").get_by_label("Value").fill("false")
    page.get_by_role("button", name="Add", exact=True).click()
    page.get_by_role("button", name="JSON", exact=True).click()
    expect(page.locator(".cm-content")).to_contain_text('"errors.deadletterqueue.topic.name": "sales-dlq"')
    expect(page.locator(".cm-content")).to_contain_text('"value.converter.schemas.enable": "false"')
    # What cannot be read cannot be sent, and what is typed here is in the form.
    text = page.locator(".cm-content").inner_text()
    page.locator(".cm-content").fill(text[:-3])
    expect(page.get_by_role("button", name="Create", exact=True)).to_be_disabled()
    page.locator(".cm-content").fill(text.replace('"config": {', '"config": {\n"tasks.max": 1,'))
    page.get_by_role("button", name="Form", exact=True).click()
    expect(_setting(page, "tasks.max").locator("input")).to_have_value("1")
    expect(_setting(page, "directory").locator("input")).to_have_value(str(directory))
    page.get_by_role("button", name="Create", exact=True).click()


def _setting(page: Page, name: str) -> Locator:
    return page.locator(f'[data-setting="{name}"]')


def _fill(page: Page, name: str, value: str) -> None:
    _setting(page, name).locator("input").fill(value)
    page.keyboard.press("Escape")


def _fact(page: Page, name: str) -> Locator:
    return page.locator(".facts > div", has=page.get_by_text(name, exact=True)).locator("dd")


def test_a_record_that_failed_is_one_click_away(browser: Browser, connecting: BrowserPlatform, archive: str) -> None:
    with visit(browser, connecting.url) as seen:
        page = seen.page
        seen.open(f"{CLUSTER}/connectors/{archive}")
        page.get_by_role("link", name="Dead letters", exact=True).click()
        page.wait_for_url("**/topics/sales-dlq/messages")
        expect(page.locator("main tbody tr:not(.waiting)", has_text=BAD_RECORD)).to_have_count(1)
        seen.open(f"{CLUSTER}/connectors")
        page.locator("main tbody").get_by_role("link", name="sales-dlq").click()
        expect(page.locator("main tbody tr:not(.waiting)", has_text=BAD_RECORD)).to_have_count(1)


def test_a_change_is_shown_before_it_is_saved(browser: Browser, connecting: BrowserPlatform, archive: str) -> None:
    with visit(browser, connecting.url) as seen:
        page = seen.page
        seen.open(f"{CLUSTER}/connectors/{archive}/config")
        page.get_by_role("button", name="Edit config").click()
        _fill(page, "tasks.max", "2")
        page.get_by_role("button", name="Review changes").click()
        dialog = page.get_by_role("dialog")
        expect(dialog.locator(".diff")).to_contain_text("tasks.max=2")
        assert _config(connecting, archive)["tasks.max"] == "1"
        dialog.get_by_role("button", name="Save", exact=True).click()
        expect(dialog).to_be_hidden()
    assert _config(connecting, archive)["tasks.max"] == "2"


def test_offsets_are_moved_while_it_is_stopped_only(
    browser: Browser, connecting: BrowserPlatform, archive: str
) -> None:
    with visit(browser, connecting.url) as seen:
        page = seen.page
        seen.open(f"{CLUSTER}/connectors/{archive}/offsets")
        expect(page.get_by_text("Offsets can be moved only while the connector is stopped.")).to_be_visible()
        page.locator(".connector-note").get_by_role("button", name="Stop").click()
        page.get_by_role("dialog").get_by_role("button", name="Stop", exact=True).click()
        expect(page.get_by_text("Stopped: offsets can be moved.")).to_be_visible()
        expect(page.locator("main tbody")).to_contain_text("kafka_offset: 3")
        page.get_by_role("button", name="Move the offset of").click()
        page.get_by_role("dialog").get_by_label("Forget this offset").check()
        page.get_by_role("dialog").get_by_role("button", name="Save", exact=True).click()
        expect(page.locator("main tbody tr:not(.waiting)")).to_have_count(0)
        page.locator(".page-actions").get_by_role("button", name="Resume").click()
        page.get_by_role("dialog").get_by_role("button", name="Resume", exact=True).click()
        expect(_fact(page, "State")).to_have_text("running")


@pytest.fixture(scope="module")
def hostile(connecting: BrowserPlatform, archive: str, home: Path) -> str:
    """A connector with such a name, that fails with such an error."""
    connecting.create_topic("hostile")
    connecting.produce_values("hostile", HOSTILE)
    config = {"connector.class": SINK, "topics": "hostile", "directory": str(home / "hostile"), "format": "json"}
    _api(connecting, "POST", "connectors", {"name": HOSTILE, "config": config})
    path = f"connectors/{quote(HOSTILE, safe='')}"
    _spark_until(lambda: "FAILED" in _api(connecting, "GET", path).text)
    return HOSTILE


def test_names_and_errors_are_text(browser: Browser, connecting: BrowserPlatform, hostile: str) -> None:
    with visit(browser, connecting.url) as seen:
        page = seen.page
        seen.open(f"{CLUSTER}/connectors")
        row = page.locator("main tbody tr", has_text=hostile)
        expect(row).to_contain_text("1 failed")
        row.get_by_role("link", name=hostile).click()
        expect(page.locator(".connector-trace pre")).not_to_be_empty()
        expect(page.get_by_role("heading", level=1)).to_have_text(hostile)
        seen.open(f"{CLUSTER}/pipelines")
        page.get_by_role("button", name=hostile).click()
        expect(page.get_by_role("dialog").get_by_role("heading", name=hostile)).to_be_visible()
        assert page.locator("main img, dialog img").count() == 0
        assert page.title() != "run"


@pytest.mark.parametrize(("theme", "language", "width"), [("light", "en", 1440), ("dark", "pt-BR", 360)])
def test_every_screen(
    browser: Browser,
    connecting: BrowserPlatform,
    archive: str,
    hostile: str,
    theme: Theme,
    language: Language,
    width: int,
) -> None:
    one, plugin = f"{CLUSTER}/connectors/{archive}", f"{CLUSTER}/connector-plugins/{SINK}"
    paths = [
        f"{CLUSTER}/connectors",
        *(f"{one}/{tab}" for tab in ("tasks", "config", "offsets", "topics", "history")),
        f"{one}/config?edit=true",
        f"{CLUSTER}/connectors/{quote(hostile, safe='')}",
        f"{CLUSTER}/connector-plugins",
        f"{plugin}?all=true",
        f"{plugin}?as=json",
        f"{CLUSTER}/pipelines",
        f"{CLUSTER}/pipelines?pipeline=connector:{archive}",
    ]
    with visit(browser, connecting.url, theme=theme, language=language, width=width) as seen:
        assert walk(seen, paths) == []
    if reason := axe.missing():
        pytest.skip(f"{reason}; the rest of the walk is as it should be")


def _spark_until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + SPARK_MS / 1000
    while not holds():
        assert time.monotonic() < deadline, "Spark did not come to that in time"
        time.sleep(0.5)


def _api(platform: BrowserPlatform, method: str, path: str, body: object = None) -> httpx.Response:
    base = f"{platform.url}/api/v1"
    token = httpx.get(f"{base}/me", timeout=WAIT_S).json()["csrf"]
    headers = {"X-Riacho-Csrf": token}
    answer = httpx.request(method, f"{base}/clusters/default/{path}", json=body, headers=headers, timeout=WAIT_S)
    assert answer.is_success, answer.text
    return answer


def _config(platform: BrowserPlatform, name: str) -> dict[str, str]:
    found: dict[str, str] = _api(platform, "GET", f"connectors/{name}").json()["config"]
    return found

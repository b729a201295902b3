"""SQL through its screen: statements, rows as they come, errors where they are, plans; and who may run nothing."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from browser.signing_in import GuardedConsole, sign_in
from browser.walking import wrong_here
from support import axe
from support.browser import Language, Theme, Visit, visit
from support.browser_platform import BrowserPlatform
from support.schema_registry_process import until

SQL = "/clusters/default/sql"
CREATE = """CREATE STREAM rides (id VARCHAR KEY, km BIGINT, city VARCHAR)
  WITH (kafka_topic = 'rides', value_format = 'json', partitions = 1);"""
INSERTS = """INSERT INTO rides (id, km, city) VALUES ('a', 12, 'Recife');
INSERT INTO rides (id, km, city) VALUES ('b', 7, 'Olinda');"""
TAIL = "SELECT id, km, city FROM rides WHERE km > 0 EMIT CHANGES"
# What a server refuses is a line in the console of every browser.
REFUSED = re.compile("the server responded with a status of 40[03]")


def write(page: Page, sql: str, language: Language = "en") -> None:
    editor = page.get_by_role("textbox", name="SQL text" if language == "en" else "Texto SQL")
    editor.click()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(sql)


def run_all(page: Page, sql: str) -> None:
    write(page, sql)
    page.keyboard.press("Control+a")
    page.keyboard.press("Control+Enter")


def rows(page: Page) -> Locator:
    return page.locator(".sql-results tbody tr:not(.waiting)")


@pytest.fixture(scope="module")
def rides(browser: Browser, platform: BrowserPlatform) -> str:
    """A stream with two rows, made by the page itself."""
    with visit(browser, platform.url) as seen:
        seen.open(SQL)
        run_all(seen.page, f"{CREATE}\n{INSERTS}")
        expect(seen.page.locator(".sql-outcome")).to_have_count(3)
        expect(seen.page.locator(".sql-outcome").first).to_contain_text("Stream created")
        expect(seen.page.locator(".sql-outcome").last).to_contain_text("Done.")
    return "RIDES"


def test_rows_of_a_push_query_are_seen(browser: Browser, platform: BrowserPlatform, rides: str) -> None:
    with visit(browser, platform.url) as seen:
        page = seen.page
        seen.open(SQL)
        write(page, f"SHOW STREAMS;\n\n{TAIL} LIMIT 2;")
        page.keyboard.press("Control+Enter")
        expect(rows(page)).to_have_count(2)
        expect(rows(page).last).to_contain_text("Recife")
        expect(page.locator(".sql-rows-bar")).to_contain_text("complete")
        rows(page).first.click()
        expect(page.get_by_role("dialog")).to_contain_text("BIGINT")
        page.keyboard.press("Escape")
        # The text is there again after a reload.
        page.reload()
        expect(page.get_by_role("textbox", name="SQL text")).to_contain_text("LIMIT 2;")


def test_rows_come_while_one_looks_until_it_is_stopped(browser: Browser, platform: BrowserPlatform, rides: str) -> None:
    with visit(browser, platform.url) as seen:
        page = seen.page
        seen.open(SQL)
        page.get_by_label("Read from").select_option("latest")
        write(page, f"{TAIL};")
        page.keyboard.press("Control+Enter")
        expect(page.locator(".sql-results")).to_contain_text("No rows yet")
        platform.run("ksql", platform.ksql_url, "-e", "INSERT INTO rides (id, km, city) VALUES ('c', 3, 'Natal');")
        expect(rows(page)).to_have_count(1)
        expect(rows(page)).to_contain_text("Natal")
        page.get_by_role("button", name="Pause").click()
        platform.run("ksql", platform.ksql_url, "-e", "INSERT INTO rides (id, km, city) VALUES ('d', 4, 'Caruaru');")
        expect(page.locator(".sql-rows-bar")).to_contain_text("1 waits")
        expect(rows(page)).to_have_count(1)
        page.get_by_role("button", name="Go on").click()
        expect(rows(page)).to_have_count(2)
        page.get_by_role("button", name="Stop").click()
        expect(page.locator(".sql-rows-bar")).to_contain_text("stopped")


def test_errors_are_shown_where_they_are(browser: Browser, platform: BrowserPlatform, rides: str) -> None:
    with visit(browser, platform.url, allowed=REFUSED) as seen:
        page = seen.page
        seen.open(SQL)
        write(page, "SHOW STREAMS;\n\nSELECT id,\n  kmm\nFROM rides EMIT CHANGES;")
        page.keyboard.press("Control+Enter")
        expect(page.get_by_role("alert")).to_contain_text("Line 4, column 3")
        expect(page.locator(".cm-wrong")).to_have_text("kmm")
        write(page, "SHOW STREAMS;\nCREATE STREM x;")
        page.keyboard.press("Control+Enter")
        expect(page.get_by_role("alert")).to_contain_text("Line 2, column 8")
        expect(page.locator(".cm-wrong")).to_have_text("STREM")
        write(page, "SELECT FROMM rides;")
        page.get_by_role("button", name="Explain").click()
        expect(page.get_by_role("alert")).to_contain_text("Line 1, column 19")
        page.get_by_role("button", name="History").click()
        expect(page.get_by_role("dialog")).to_contain_text("CREATE STREM x;")
        expect(page.get_by_role("dialog")).to_contain_text("refused")


def test_lists_prints_and_plans(browser: Browser, platform: BrowserPlatform, rides: str) -> None:
    with visit(browser, platform.url) as seen:
        page = seen.page
        seen.open(SQL)
        write(page, "LIST STREAMS;")
        page.keyboard.press("Control+Enter")
        expect(rows(page).filter(has_text=rides)).to_have_count(1)
        write(page, "PRINT rides FROM BEGINNING LIMIT 2;")
        page.keyboard.press("Control+Enter")
        expect(rows(page).filter(has_text="Olinda")).to_have_count(1)
        write(page, "SET 'ksql.query.push.v2.enabled' = 'false';")
        page.keyboard.press("Control+Enter")
        expect(page.locator(".sql-property")).to_contain_text("ksql.query.push.v2.enabled=false")
        page.get_by_role("button", name="Unset ksql.query.push.v2.enabled").click()
        expect(page.locator(".sql-property")).to_have_count(0)
        write(page, "SELECT city, COUNT(*) AS n FROM rides WHERE km > 1 GROUP BY city EMIT CHANGES;")
        page.get_by_role("button", name="Explain").click()
        for name in ("rides", "FILTER", "GROUP BY", "AGGREGATE", "to the client"):
            expect(page.locator(".flow-name", has_text=re.compile(f"^{name}$"))).to_have_count(1)
        expect(page.locator(".sql-plan-text").first).to_contain_text("[ AGGREGATE ]")


def test_a_stream_is_looked_at_and_selected_from(browser: Browser, platform: BrowserPlatform, rides: str) -> None:
    with visit(browser, platform.url) as seen:
        page = seen.page
        seen.open(f"{SQL}/sources")
        page.get_by_role("link", name=rides, exact=True).click()
        expect(page.get_by_role("dialog")).to_contain_text("BIGINT")
        page.get_by_role("link", name="SELECT in the editor").click()
        page.wait_for_url(f"**{SQL}/editor")
        editor = page.get_by_role("textbox", name="SQL text")
        expect(editor).to_contain_text("SELECT ID, KM, CITY")
        # Columns of what is named are offered while typing.
        page.keyboard.type("\nSELECT ci")
        expect(page.locator(".cm-tooltip-autocomplete")).to_contain_text("CITY")


def test_what_is_gone_for_good_takes_its_name(browser: Browser, platform: BrowserPlatform, rides: str) -> None:
    """By the keyboard too; what only a yes can bring back asks for no name."""
    with visit(browser, platform.url) as seen:
        page = seen.page
        seen.open(SQL)
        run_all(
            page, "CREATE STREAM walks (id STRING KEY) WITH (kafka_topic='walks', value_format='json', partitions=1);"
        )
        expect(page.locator(".sql-outcome")).to_contain_text("Stream created")
        run_all(page, "DROP STREAM walks DELETE TOPIC;\nTERMINATE no_such_query;")
        dialog = page.get_by_role("dialog")
        expect(dialog).to_contain_text("walks is dropped, and its topic is deleted with all records.")
        run = dialog.get_by_role("button", name="Run", exact=True)
        expect(run).to_be_disabled()
        assert wrong_here(seen) == []
        seen.picture("sql-danger")
        page.keyboard.press("Escape")
        expect(dialog).to_be_hidden()
        assert "walks" in platform.topics()
        page.get_by_role("textbox", name="SQL text").click()
        run_all(page, "DROP STREAM walks DELETE TOPIC;")
        dialog.get_by_label("Type walks to confirm").fill("walks")
        page.keyboard.press("Enter")
        expect(dialog).to_be_hidden()
        expect(page.locator(".sql-outcome")).to_have_count(1)
        until(lambda: "walks" not in platform.topics())


@pytest.mark.parametrize(("theme", "language", "width"), [("light", "en", 1440), ("dark", "pt-BR", 360)])
def test_nothing_to_complain_about(
    browser: Browser, platform: BrowserPlatform, rides: str, theme: Theme, language: Language, width: int
) -> None:
    if reason := axe.missing():
        pytest.skip(reason)
    wrong: list[str] = []
    with visit(browser, platform.url, theme=theme, language=language, width=width) as seen:
        page = seen.page
        seen.open(SQL)
        wrong += _looked_at(seen, "sql-empty")
        write(page, f"{TAIL} LIMIT 2;", language)
        page.keyboard.press("Control+Enter")
        expect(rows(page)).to_have_count(2)
        wrong += _looked_at(seen, "sql-rows")
        page.get_by_role("button", name="Explain" if language == "en" else "Explicar").click()
        expect(page.locator(".flow-name").first).to_be_attached()
        wrong += _looked_at(seen, "sql-plan")
        for name, path in (
            ("sql-sources", "/sources"),
            ("sql-source", f"/sources?source={rides}"),
            ("sql-queries", "/queries"),
            ("sql-history", "/editor?history=true"),
        ):
            seen.open(SQL + path)
            wrong += _looked_at(seen, name)
    assert wrong == []


def _looked_at(seen: Visit, name: str) -> list[str]:
    seen.picture(f"{name}-{seen.theme}-{seen.language}-{seen.width}")
    return [f"{name}, {seen}: {each}" for each in wrong_here(seen)]


# Roles


def test_a_viewer_is_told_that_nothing_can_be_run(browser: Browser, guarded: GuardedConsole, rides: str) -> None:
    with visit(browser, guarded.url, allowed=re.compile("status of 401")) as seen:
        page = seen.page
        seen.page.goto(SQL)
        sign_in(page, "vera")
        expect(page.get_by_role("note")).to_contain_text("You are viewer: running SQL needs the role operator")
        expect(page.get_by_role("button", name=re.compile("^(Run|Explain)"))).to_have_count(0)
        write(page, "SHOW STREAMS;")
        page.keyboard.press("Control+Enter")
        expect(page.locator(".sql-outcome")).to_have_count(0)
        seen.open(f"{SQL}/sources")
        expect(page.get_by_role("link", name=rides, exact=True)).to_be_visible()

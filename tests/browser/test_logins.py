"""Who logs in: what each role is shown and may not do, how a session ends, and a query ended through the page."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from browser.signing_in import PLAYED, ROLES, GuardedConsole, sign_in
from browser.walking import wrong_here
from support.browser import visit

# What a server refuses is a line in the console of every browser.
REFUSED = re.compile("the server responded with a status of 40[13]")
DEFAULT = "/clusters/default"
_CHANGE = """async ([method, path, body]) => {
  const me = await (await fetch("/api/v1/me")).json();
  const headers = {"Content-Type": "application/json", "X-Riacho-Csrf": me.csrf};
  const answer = await fetch(`/api/v1${path}`, {method, headers, body: JSON.stringify(body)});
  return [answer.status, answer.status < 300 ? "" : (await answer.json()).message];
}"""
# Button, where it is, and the role that it takes.
OFFERED = (
    ("Produce", f"{DEFAULT}/topics/orders", "operator"),
    ("Reset offsets", f"{DEFAULT}/groups/billing", "operator"),
    ("Create topic", f"{DEFAULT}/topics", "admin"),
    ("Create user", f"{DEFAULT}/security/users", "admin"),
)
# What a page could ask for, whatever it shows.
CHANGES = (
    ("POST", f"{DEFAULT}/topics/orders/messages", {"records": []}, "operator"),
    ("POST", f"{DEFAULT}/topics", {}, "admin"),
    ("DELETE", f"{DEFAULT}/topics/orders", None, "admin"),
)
_RANK = ("viewer", "operator", "admin")


@pytest.mark.parametrize(("name", "role"), ROLES.items())
def test_what_each_sees_and_may_not_do(browser: Browser, guarded: GuardedConsole, name: str, role: str) -> None:
    with visit(browser, guarded.url, allowed=REFUSED) as seen:
        page = seen.page
        page.goto(f"{DEFAULT}/topics")
        sign_in(page, name)
        # Back where one wanted to go.
        expect(page.get_by_role("link", name="orders", exact=True)).to_be_visible()
        expect(page.locator(".nav-who")).to_contain_text(role)
        for button, path, needed in OFFERED:
            seen.open(path)
            is_offered = _RANK.index(role) >= _RANK.index(needed)
            found = page.get_by_role("button", name=button, exact=True)
            expect(found).to_have_count(1 if is_offered else 0)
        for method, path, body, needed in CHANGES:
            if _RANK.index(role) < _RANK.index(needed):
                told = page.evaluate(_CHANGE, [method, path, body])
                assert told == [403, f"This needs the role {needed}; you are {role}."], path
        assert wrong_here(seen) == []
        seen.picture(f"login-{role}")
        _leave(page)
        assert page.evaluate("async () => (await fetch('/api/v1/clusters')).status") == 401


def test_a_session_that_has_ended_leads_back_to_the_door(browser: Browser, guarded: GuardedConsole) -> None:
    """Ended from another tab, and forgotten by the browser; the wrong password lets nobody in."""
    with visit(browser, guarded.url, allowed=REFUSED) as seen:
        page = seen.page
        page.goto("/")
        page.get_by_label("Name").fill("vera")
        page.get_by_label("Password").fill("guessed")
        page.get_by_role("button", name="Sign in").click()
        expect(page.get_by_role("alert")).to_contain_text("Name or password is wrong.")
        assert wrong_here(seen) == []
        sign_in(page, "vera")
        expect(page.locator("main h1")).not_to_be_empty()
        seen.open(f"{DEFAULT}/groups")
        other = page.context.new_page()
        other.goto(f"{DEFAULT}/topics")
        _leave(other)
        page.get_by_role("link", name="Topics", exact=True).click()
        expect(page.get_by_label("Password")).to_be_visible()
        sign_in(page, "vera")
        expect(page.get_by_role("link", name="orders", exact=True)).to_be_visible()
        page.context.clear_cookies()
        page.reload()
        expect(page.get_by_label("Password")).to_be_visible()


def test_an_operator_ends_a_query_for_good(browser: Browser, guarded: GuardedConsole) -> None:
    ksql = guarded.ksql
    ksql.run(
        "CREATE STREAM zz_trips (id STRING KEY, km INT) WITH (kafka_topic='zz_trips', value_format='json', "
        "partitions=1);"
    )
    [made] = ksql.run("CREATE STREAM zz_long AS SELECT * FROM zz_trips WHERE km > 9;")
    query_id = made["commandStatus"]["queryId"]
    ksql.until_state(query_id, "RUNNING")
    with visit(browser, guarded.url, allowed=REFUSED) as seen:
        page = seen.page
        page.goto(f"{PLAYED}/sql/queries")
        sign_in(page, "opal")
        page.get_by_role("link", name=query_id, exact=True).click()
        drawer = page.get_by_role("dialog")
        expect(drawer).to_contain_text("8.00KiB")
        link = drawer.get_by_role("link", name="Spark's own pages")
        assert (link.get_attribute("href"), link.get_attribute("rel")) == (
            "http://127.0.0.1:40404/", "noopener noreferrer",
        )  # fmt: skip
        assert wrong_here(seen) == []
        seen.picture("query-drawer")
        drawer.get_by_role("button", name="Terminate").click()
        asked = page.get_by_role("dialog").last
        asked.locator("input").fill(query_id[:-1])
        end = asked.get_by_role("button", name="Terminate", exact=True)
        expect(end).to_be_disabled()
        asked.locator("input").fill(query_id)
        end.click()
        expect(page.get_by_text(f"{query_id} has been terminated.")).to_be_visible()
        expect(page.get_by_role("link", name=query_id, exact=True)).to_have_count(0)
    assert query_id not in ksql.queries()


def _leave(page: Page) -> None:
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_label("Password")).to_be_visible()

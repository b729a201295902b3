"""Pages of other sites, in the browser of somebody who is logged in: forms, fetches, images, frames and windows of
theirs change nothing, learn nothing and start nothing.

The other site is another port of this machine: for cookies that is the same site, which is the harder case.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from riacho.testing import KafkaCluster
from support.browser import WAIT_MS
from support.service_process import ServiceProcess, running_service

CLUSTER = "/api/v1/clusters/default"
CHANGES = (
    ("POST", f"{CLUSTER}/topics", '{"name": "planted", "partitions": 1}'),
    ("POST", f"{CLUSTER}/topics/orders/messages", '{"records": [{"value": "planted"}]}'),
    ("DELETE", f"{CLUSTER}/topics/orders", ""),
    ("POST", "/api/v1/logout", ""),
)
KINDS = ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data")
# All that a page may try without being let: what it sees of the answers is told.
_ATTACK = """async ([console, changes]) => {
  const seen = [];
  for (const [method, path, body] of changes)
    for (const mode of ["cors", "no-cors"])
      for (const type of ["application/json", "text/plain", "application/x-www-form-urlencoded", ""])
        try {
          const headers = type ? {"Content-Type": type} : {};
          const options = {method, mode, credentials: "include", headers, body: body || undefined};
          const answer = await fetch(console + path, options);
          if (answer.type !== "opaque" || answer.status) seen.push(`${method} ${path}: ${answer.status}`);
        } catch { /* refused, as it should be */ }
  for (const path of ["/api/v1/me", "/api/v1/audit", "/api/v1/clusters/default/topics"])
    try {
      seen.push(`GET ${path}: ${await (await fetch(console + path, {credentials: "include"})).text()}`);
    } catch { /* refused */ }
  const stream = new EventSource(console + "/api/v1/clusters/default/events", {withCredentials: true});
  await new Promise((done) => {
    stream.onerror = done;
    stream.addEventListener("cluster", () => { seen.push("events"); done(); });
  });
  stream.close();
  const address = `${console}/api/v1/clusters/default/topics/orders/messages`;
  for (const tag of ["img", "script", "iframe", "object", "link"]) {
    const made = document.createElement(tag);
    made[{object: "data", link: "href"}[tag] ?? "src"] = address;
    if (tag === "link") made.rel = "stylesheet";
    const loaded = new Promise((done) => {
      made.onload = () => done(true);
      made.onerror = () => done(false);
      setTimeout(done, 2000);
    });
    document.body.append(made);
    if (await loaded && tag !== "iframe") seen.push(`${tag} was loaded`);
    try {
      if (made.contentDocument?.body?.textContent) seen.push(`${tag} was read`);
    } catch { /* not ours */ }
  }
  return seen;
}"""


class _OtherSite(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        body = b"<!doctype html><meta charset=utf-8><title>Other</title><body><h1>Other</h1>"
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture(scope="module")
def other_site() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _OtherSite)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def cluster(browser: Browser) -> Iterator[KafkaCluster]:
    with KafkaCluster() as made:
        made.create_topic("orders", partitions=1)
        made.produce("orders", "kept")
        yield made


def _console(cluster: KafkaCluster, home: Path, **settings: str) -> Any:
    (home / "users").write_text("ann: ann-secret,admin\n")
    users = {"authentication.method": "BASIC", "authentication.user.file": str(home / "users")}
    return running_service("control-center", cluster.bootstrap_servers, home, users | settings)


@pytest.fixture(scope="module")
def console(cluster: KafkaCluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServiceProcess]:
    with _console(cluster, tmp_path_factory.mktemp("console")) as running:
        yield running


@pytest.fixture(scope="module")
def open_console(cluster: KafkaCluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServiceProcess]:
    """Where nobody logs in: whoever is on this machine is admin, and its browsers are."""
    settings = {"authentication.method": "NONE"}
    with _console(cluster, tmp_path_factory.mktemp("open-console"), **settings) as running:
        yield running


@contextmanager
def context_of(browser: Browser, console: ServiceProcess, *, logs_in: bool) -> Iterator[BrowserContext]:
    context = browser.new_context(locale="en-US")
    context.set_default_timeout(WAIT_MS)
    try:
        if logs_in:
            page = context.new_page()
            page.goto(console.url)
            page.get_by_label("Name").fill("ann")
            page.get_by_label("Password").fill("ann-secret")
            page.keyboard.press("Enter")
            expect(page.locator("aside nav a").first).to_be_visible()
        yield context
    finally:
        context.close()


def _is_unchanged(console: ServiceProcess, cluster: KafkaCluster) -> None:
    login = ("ann", "ann-secret")
    found = httpx.get(f"{console.url}{CLUSTER}/topics", auth=login, timeout=60).json()
    assert [each["name"] for each in found["items"] if not each["name"].startswith("_")] == ["orders"]
    assert [each.value for each in cluster.consume("orders")] == [b"kept"]
    audit = httpx.get(f"{console.url}/api/v1/audit", auth=login, timeout=60).json()["items"]
    assert [each for each in audit if each["outcome"] == "done" and not each["route"].endswith("/login")] == []


@pytest.mark.parametrize(("host", "logs_in"), [("127.0.0.1", True), ("localhost", True), ("localhost", False)])
def test_fetches_images_frames_and_streams(
    browser: Browser,
    request: pytest.FixtureRequest,
    cluster: KafkaCluster,
    other_site: str,
    host: str,
    logs_in: bool,
) -> None:
    """`localhost` is another site for cookies, 127.0.0.1 another origin of the same."""
    console: ServiceProcess = request.getfixturevalue("console" if logs_in else "open_console")
    with context_of(browser, console, logs_in=logs_in) as context:
        page = context.new_page()
        page.goto(other_site.replace("127.0.0.1", host))
        assert page.evaluate(_ATTACK, [console.url, CHANGES]) == []
        _is_unchanged(console, cluster)
        if logs_in:
            _is_still_logged_in(context, console)


def test_forms(browser: Browser, console: ServiceProcess, cluster: KafkaCluster, other_site: str) -> None:
    with context_of(browser, console, logs_in=True) as context:
        for method, path, body in CHANGES:
            for kind in KINDS if path.endswith("/topics") else KINDS[:1]:
                page = context.new_page()
                page.goto(other_site)
                told = _submitted(page, "POST", console.url + path, kind, body)
                assert re.search(r'"error_code":(401|403|404|405|415)', told), (method, path, told[:200])
                page.close()
        _is_unchanged(console, cluster)
        _is_still_logged_in(context, console)


def _submitted(page: Page, method: str, url: str, kind: str, body: str) -> str:
    """What the browser shows after a form was sent. In the text a form makes of it, the body is JSON all the same."""
    page.evaluate(
        """([method, action, enctype, body]) => {
          const form = Object.assign(document.createElement("form"), {method, action, enctype});
          const name = body.slice(0, -1) + ', "x": "';
          const field = Object.assign(document.createElement("input"), {name, value: '"}'});
          form.append(field);
          document.body.append(form);
          form.submit();
        }""",
        [method, url, kind, body or "{}"],
    )
    page.wait_for_url(url)
    return page.locator("body").inner_text()


def test_frames_and_windows(browser: Browser, console: ServiceProcess, other_site: str) -> None:
    """A page cannot put the console into a frame, to have its clicks; nor keep a hand on a window of it."""
    with context_of(browser, console, logs_in=True) as context:
        page = context.new_page()
        page.goto(other_site)
        page.evaluate(
            """url => new Promise((done) => {
              const frame = Object.assign(document.createElement("iframe"), {src: url, onload: done});
              document.body.append(frame);
            })""",
            f"{console.url}/clusters/default/topics",
        )
        assert page.locator("iframe").content_frame.locator("aside nav").count() == 0
        with context.expect_page() as opened:
            page.evaluate("url => { window.taken = window.open(url); }", f"{console.url}/clusters/default/topics")
        opened.value.wait_for_load_state()
        assert page.evaluate("window.taken.closed") is True, "the console has cut the thread"


def test_a_page_without_an_origin(browser: Browser, console: ServiceProcess, other_site: str) -> None:
    """A sandboxed frame sends `Origin: null`."""
    with context_of(browser, console, logs_in=True) as context:
        page = context.new_page()
        page.goto(other_site)
        seen = page.evaluate(
            """([console, path, body]) => new Promise((done) => {
              addEventListener("message", (told) => done(told.data));
              const tell = (text) => `parent.postMessage(${text}, "*")`;
              const script = `fetch(${JSON.stringify(console + path)}, {method: "POST", mode: "no-cors",
                credentials: "include", body: ${JSON.stringify(body)}})
                .then((answer) => ${tell('"sent " + answer.status')}, () => ${tell('"refused"')})`;
              const frame = document.createElement("iframe");
              frame.sandbox = "allow-scripts";
              frame.srcdoc = `<script>${script}</script>`;
              document.body.append(frame);
            })""",
            [console.url, f"{CLUSTER}/topics", '{"name": "planted", "partitions": 1}'],
        )
        assert seen in ("sent 0", "refused")
        _is_still_logged_in(context, console)


def _is_still_logged_in(context: BrowserContext, console: ServiceProcess) -> None:
    page = context.new_page()
    page.goto(f"{console.url}/clusters/default/topics")
    expect(page.locator("main tbody")).to_contain_text("orders")
    page.close()


def test_cookies_are_out_of_reach_of_scripts(browser: Browser, console: ServiceProcess) -> None:
    with context_of(browser, console, logs_in=True) as context:
        [cookie] = [each for each in context.cookies() if "riacho" in each.get("name", "")]
        assert (cookie.get("httpOnly"), cookie.get("sameSite")) == (True, "Strict")
        page = context.pages[0]
        assert "riacho_session" not in page.evaluate("document.cookie")
        page.context.clear_cookies()
        page.reload()
        expect(page.get_by_label("Password")).to_be_visible()

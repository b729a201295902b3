"""The whole demo: every page that its tour names shows what it promises, and the count at the end is right."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, expect

from support.browser import Visit, visit

pytestmark = [
    pytest.mark.skipif(
        not os.environ.get("RIACHO_PROOFS"), reason="takes minutes: make proofs, or RIACHO_PROOFS=1, runs it"
    ),
    pytest.mark.timeout(600),
]
PAGE = re.compile(r"^ +\S.*? {2,}(http://\S+/clusters/\S+)$", re.MULTILINE)
# What stands on a page, by its path.
SHOWN = {
    "flow": "transfers-archive",
    "topics/transfers": "acc-",
    "connectors/transfers-archive": "running",
    "groups/connect-transfers-archive": "transfers",
    "pipelines": "transfers-archive",
    "sql": "balances",
}
COUNTED = "Nothing lost, nothing twice."


@pytest.fixture
def demo(browser: Browser, tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("RIACHO_")}
    started = subprocess.Popen(
        [sys.executable, "-m", "riacho", "demo"],
        stdout=subprocess.PIPE,
        env=kept | {"PYTHONUNBUFFERED": "1", "NO_COLOR": "1", "TMPDIR": str(tmp_path)},
        text=True,
    )
    assert started.stdout is not None
    try:
        yield started
    finally:
        started.terminate()
        # To its end: one whose words nobody reads cannot end in good order.
        started.stdout.read()
        started.wait()
        started.stdout.close()


def test_every_page_of_the_tour_shows_what_it_promises(demo: subprocess.Popen[str], browser: Browser) -> None:
    told = _until(demo, "Transfers go on.")
    pages = PAGE.findall(told)
    assert [_place(url) for url in pages] == list(SHOWN)
    with visit(browser, pages[0]) as seen:
        for url in pages:
            seen.open(url)
            expect(seen.page.locator("main")).to_contain_text(SHOWN[_place(url)])
        _ask(seen)
    demo.send_signal(signal.SIGINT)
    assert COUNTED in _until(demo, COUNTED)
    assert demo.wait() == 0


def _until(demo: subprocess.Popen[str], text: str) -> str:
    assert demo.stdout is not None
    told = ""
    for line in demo.stdout:
        told += line
        if text in line:
            return told
    raise AssertionError(told)


def _place(url: str) -> str:
    return urlsplit(url).path.partition("/clusters/default/")[2]


def _ask(seen: Visit) -> None:
    """The last page is SQL's, with a statement that runs by Ctrl+Enter."""
    seen.page.locator(".editor").click()
    seen.page.keyboard.press("Control+Enter")
    expect(seen.page.locator("main")).to_contain_text("acc-01")

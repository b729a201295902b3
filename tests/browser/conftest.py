from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from support.browser import running_browser
from support.browser_platform import BrowserPlatform, running_platform


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with running_browser() as running:
        yield running


@pytest.fixture(scope="session")
def platform(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[BrowserPlatform]:
    """With something to see on every screen. The browser first: without it nothing is started."""
    with running_platform(tmp_path_factory.mktemp("platform")) as running:
        running.create_topic("orders", 3)
        running.produce("orders", 200, headers={"source": "shop"})
        running.commit("billing", "orders", 120)
        running.wait_for("topics", '"orders"')
        running.wait_for("groups", '"billing"')
        yield running

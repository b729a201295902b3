from __future__ import annotations

from collections.abc import Iterator

import pytest
from confluent_kafka.admin import AclOperation
from playwright.sync_api import Browser

from browser.signing_in import GuardedConsole, guarded_console
from support.browser import running_browser
from support.browser_platform import HOSTILE, BrowserPlatform, running_platform


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
        _register(running)
        running.allow(f"User:{HOSTILE}", AclOperation.READ, "orders")
        running.create_user(HOSTILE, "not-hers-any-more")
        running.run("quota", "set", "--client-id", HOSTILE, "producer_byte_rate=1048576", "-b", running.bootstrap)
        transaction = running.transact(HOSTILE, "orders")
        running.wait_for("topics", '"orders"')
        running.wait_for("groups", '"billing"')
        yield running
        del transaction


@pytest.fixture(scope="session")
def guarded(platform: BrowserPlatform, tmp_path_factory: pytest.TempPathFactory) -> Iterator[GuardedConsole]:
    with guarded_console(platform, tmp_path_factory.mktemp("guarded")) as running:
        yield running


def _register(platform: BrowserPlatform) -> None:
    """Values of `orders`: three versions, the last of which refers to another subject. The walk takes the first of the
    list, so no test keeps a subject whose name comes before this one."""
    item = {"type": "record", "name": "Item", "namespace": "shop", "fields": [{"name": "sku", "type": "string"}]}
    platform.register("shop.Item", item)
    fields: list[dict[str, object]] = [{"name": "id", "type": "string"}]
    order = {"type": "record", "name": "Order", "namespace": "shop", "doc": "What somebody buys.", "fields": fields}
    platform.register("orders-value", order)
    fields.append({"name": "note", "type": ["null", "string"], "default": None})
    platform.register("orders-value", order)
    fields.append({"name": "item", "type": ["null", "shop.Item"], "default": None})
    reference = {"name": "shop.Item", "subject": "shop.Item", "version": 1}
    platform.register("orders-value", order, references=[reference])

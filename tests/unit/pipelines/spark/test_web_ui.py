"""Where Spark's own pages are, and which names they answer to; what Jetty makes of that is in tests/spark."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from riacho.pipelines.spark.web_ui import CHILD_DEFAULTS, open_web_ui


class Handler:
    """Of Jetty: it refuses other names while it runs."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.is_running = True

    def stop(self) -> None:
        self.is_running = False

    def start(self) -> None:
        self.is_running = True

    def setVirtualHosts(self, names: list[str]) -> None:
        assert not self.is_running
        self.names = list(names)


class Names(list[str]):
    def add(self, name: str) -> None:
        self.append(name)


class Handlers(list[Handler]):
    """As Java's iterators are called."""

    def iterator(self) -> Any:
        left = list(self)
        return SimpleNamespace(hasNext=lambda: bool(left), next=lambda: left.pop(0))


def session(address: str | None, handlers: Handlers) -> Any:
    ui = SimpleNamespace(getHandlers=lambda: handlers)
    java_context = SimpleNamespace(ui=lambda: SimpleNamespace(get=lambda: ui))
    context = SimpleNamespace(
        uiWebUrl=address,
        _jvm=SimpleNamespace(java=SimpleNamespace(util=SimpleNamespace(ArrayList=Names))),
        _jsc=SimpleNamespace(sc=lambda: java_context),
    )
    # Pages of streaming queries come when somebody asks for these.
    return SimpleNamespace(
        sparkContext=context, _jsparkSession=SimpleNamespace(streams=lambda: handlers.append(Handler()))
    )


def test_every_page_on_loopback_answers_to_its_names_alone() -> None:
    handlers = Handlers([Handler(), Handler()])
    assert open_web_ui(session("http://127.0.0.1:4040", handlers), "local[2]") == "http://127.0.0.1:4040"
    assert len(handlers) == 3, "with those of streaming queries"
    for each in handlers:
        assert each.is_running
        assert each.names == ["127.0.0.1@Spark", "localhost@Spark", "[::1]@Spark"]


def test_a_driver_that_others_reach_is_told_as_it_is() -> None:
    handlers = Handlers([Handler()])
    address = "http://driver.example:4040"
    assert open_web_ui(session(address, handlers), "spark://master:7077") == address
    assert [each.names for each in handlers] == [[]]


@pytest.mark.parametrize(("address", "master"), [(None, "local[2]"), ("http://127.0.0.1:1", "sc://h:15002")])
def test_no_pages(address: str | None, master: str) -> None:
    assert open_web_ui(session(address, Handlers()), master) is None


def test_children_share_no_port_and_end_no_job() -> None:
    assert CHILD_DEFAULTS == {"spark.ui.port": "0", "spark.ui.killEnabled": "false"}

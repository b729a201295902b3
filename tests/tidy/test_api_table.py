"""The table of served APIs is complete and honest."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

from riacho.broker.handlers.table import CONTROLLER_TABLE, TABLE
from riacho.broker.requests.api import Api
from riacho.wire import apis

HANDLERS = Path(__file__).resolve().parents[2] / "src/riacho/broker/handlers"


BOTH = (*TABLE, *CONTROLLER_TABLE)


@pytest.mark.parametrize("api", BOTH, ids=lambda api: api.name)
def test_each_served_api_has_a_handler_a_name_and_versions_that_exist(api: Api) -> None:
    info = apis.APIS[api.key]
    assert api.name == info.name
    assert info.min_version <= api.version_min <= api.version_max <= info.max_version
    assert callable(api.handle())
    for version in range(api.version_min, api.version_max + 1):
        api.codec(version)


@pytest.mark.parametrize(("table", "listener"), [(TABLE, "broker"), (CONTROLLER_TABLE, "controller")])
def test_a_table_is_sorted_has_no_key_twice_and_only_what_belongs_to_its_listeners(
    table: tuple[Api, ...], listener: str
) -> None:
    keys = [api.key for api in table]
    assert keys == sorted(set(keys))
    assert [api.name for api in table if listener not in apis.APIS[api.key].listeners] == []


def test_what_a_broker_forwards_the_controller_serves() -> None:
    served = {(api.key, api.version_min, api.version_max) for api in CONTROLLER_TABLE}
    forwarded = {(api.key, api.version_min, api.version_max) for api in TABLE if api.is_forwarded}
    assert forwarded - served == set()


def test_no_handler_file_is_unserved() -> None:
    served = {api.handle().__module__.rpartition(".")[2] for api in BOTH}
    files = {path.stem for path in HANDLERS.glob("*.py")} - {"__init__", "table"}
    assert files - served == set()


def test_every_handler_says_which_versions_it_serves() -> None:
    for api in BOTH:
        module = import_module(api.handle().__module__)
        first_line = (module.__doc__ or "").strip().splitlines()[0]
        assert api.name in first_line, f"{module.__name__}: {first_line}"

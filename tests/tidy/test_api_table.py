"""The table of served APIs is complete and honest."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

from riacho.broker.api import Api
from riacho.broker.handlers.table import TABLE
from riacho.wire import apis

HANDLERS = Path(__file__).resolve().parents[2] / "src/riacho/broker/handlers"


@pytest.mark.parametrize("api", TABLE, ids=lambda api: api.name)
def test_each_served_api_has_a_handler_a_name_and_versions_that_exist(api: Api) -> None:
    info = apis.APIS[api.key]
    assert api.name == info.name
    assert info.min_version <= api.version_min <= api.version_max <= info.max_version
    assert callable(api.handle())
    for version in range(api.version_min, api.version_max + 1):
        api.codec(version)


def test_the_table_is_sorted_and_has_no_key_twice() -> None:
    keys = [api.key for api in TABLE]
    assert keys == sorted(set(keys))


def test_no_handler_file_is_unserved() -> None:
    served = {api.handle().__module__.rpartition(".")[2] for api in TABLE}
    files = {path.stem for path in HANDLERS.glob("*.py")} - {"__init__", "table"}
    assert files - served == set()


def test_every_handler_says_which_versions_it_serves() -> None:
    for api in TABLE:
        module = import_module(api.handle().__module__)
        first_line = (module.__doc__ or "").strip().splitlines()[0]
        assert api.name in first_line, f"{module.__name__}: {first_line}"

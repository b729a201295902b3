"""The table of APIs, against the schema's own."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from riacho.wire.apis import APIS, request_class, response_class

SCHEMA = Path(__file__).resolve().parents[3] / "tools" / "schema" / "apis.tsv"


def schema_rows() -> dict[int, dict[str, str]]:
    with SCHEMA.open() as file:
        return {int(row["api_key"]): row for row in csv.DictReader(file, delimiter="\t") if row["min_version"]}


def test_the_table_is_the_schemas() -> None:
    rows = schema_rows()
    assert APIS.keys() == rows.keys()
    for key, row in rows.items():
        api = APIS[key]
        assert api.key == key
        assert api.name == row["name"]
        assert (api.min_version, api.max_version) == (int(row["min_version"]), int(row["max_version"]))
        flexible = "none" if api.flexible is None else f"{api.flexible}+"
        assert flexible == row["flexibleVersions"] == row["response_flexibleVersions"]
        assert api.listeners == set(row["listeners"].split(","))
        assert (str(api.forwardable), str(api.cluster_action)) == (
            row["forwardable_to_controller"].title(),
            row["clusterAction"].title(),
        )
        shown = (row["broker_ApiVersions_min"], row["broker_ApiVersions_max"])
        assert shown == ("", "") if api.advertised is None else tuple(map(int, shown)) == api.advertised


@pytest.mark.parametrize("key", APIS)
def test_classes_agree_with_the_table(key: int) -> None:
    api = APIS[key]
    for cls, suffix in ((request_class(key), "Request"), (response_class(key), "Response")):
        assert cls.NAME == cls.__name__ == api.name + suffix
        assert key == cls.API_KEY
        assert cls.VERSIONS[1] == api.max_version
        assert cls.VERSIONS[0] <= api.min_version
        assert api.flexible == cls.FLEXIBLE


def test_unknown_keys() -> None:
    with pytest.raises(KeyError):
        request_class(4)
    with pytest.raises(KeyError):
        response_class(-1)


def test_flexibility() -> None:
    assert APIS[0].is_flexible(9)
    assert not APIS[0].is_flexible(8)
    assert not APIS[17].is_flexible(1)

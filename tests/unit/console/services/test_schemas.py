"""Schemas by this project's own registry: pages, versions, a trial before saving, levels, references, deleting."""

from __future__ import annotations

import json
from typing import Any

import pytest

from support.control_center import CLUSTER, ControlCenterService

SCHEMAS = f"{CLUSTER}/schemas"
V1 = {"type": "record", "name": "Order", "fields": [{"name": "id", "type": "string"}]}
V2 = {**V1, "fields": [*V1["fields"], {"name": "total", "type": "long", "default": 0}]}
INCOMPATIBLE = {**V1, "fields": [*V1["fields"], {"name": "total", "type": "long"}]}


def body(schema: Any, **more: Any) -> dict[str, Any]:
    return {"schema": json.dumps(schema), **more}


def register(console: ControlCenterService, subject: str, schema: Any, **more: Any) -> Any:
    answer = console.post(f"{SCHEMAS}/{subject}/versions", body(schema, **more))
    assert answer.status_code == 201, answer.text
    return answer.json()


def test_a_schema_evolves_and_an_incompatible_one_is_refused(with_registry: ControlCenterService) -> None:
    console, one = with_registry, f"{SCHEMAS}/orders-value"
    first = register(console, "orders-value", V1)
    assert first["version"] == 1
    trial = console.post(f"{one}/check", body(V2)).json()
    assert trial == {"is_valid": True, "is_compatible": True, "messages": []}
    refused = console.post(f"{one}/check", body(INCOMPATIBLE)).json()
    assert (refused["is_valid"], refused["is_compatible"]) == (True, False)
    assert "READER_FIELD_MISSING_DEFAULT_VALUE" in " ".join(refused["messages"])
    assert console.get(f"{one}").json()["versions"] == [1]
    answer = console.post(f"{one}/versions", body(INCOMPATIBLE))
    assert (answer.status_code, answer.json()["error_code"]) == (409, 409)
    second = register(console, "orders-value", V2)
    assert second["version"] == 2
    subject = console.get(one).json()
    assert subject["versions"] == [1, 2]
    assert subject["latest"]["id"] == second["id"]
    assert json.loads(subject["latest"]["schema"]) == V2
    assert subject["compatibility"] == {"level": "BACKWARD", "own": None, "registry": "BACKWARD"}
    assert json.loads(console.get(f"{one}/versions/1").json()["schema"]) == V1


def test_versions_with_their_ids_the_newest_first(with_registry: ControlCenterService) -> None:
    ids = [register(with_registry, "versioned", schema)["id"] for schema in (V1, V2)]
    page = with_registry.get(f"{SCHEMAS}/versioned/versions").json()
    assert (page["total"], page["stale_reason"]) == (2, None)
    assert page["items"] == [
        {"version": 2, "id": ids[1], "type": "AVRO", "references": 0},
        {"version": 1, "id": ids[0], "type": "AVRO", "references": 0},
    ]
    older = with_registry.get(f"{SCHEMAS}/versioned/versions?page=2&page_size=1").json()
    assert [row["version"] for row in older["items"]] == [1]
    with_registry.delete(f"{SCHEMAS}/versioned/versions/1")
    assert [row["version"] for row in with_registry.get(f"{SCHEMAS}/versioned/versions").json()["items"]] == [2]
    assert with_registry.get(f"{SCHEMAS}/nowhere/versions").status_code == 404


def test_what_is_no_schema_is_told_before_saving(with_registry: ControlCenterService) -> None:
    answer = with_registry.post(f"{SCHEMAS}/broken/check", {"schema": '{"type": "nothing"}'})
    assert answer.status_code == 200
    outcome = answer.json()
    assert (outcome["is_valid"], outcome["is_compatible"]) == (False, None)
    assert len(outcome["messages"]) == 1
    assert with_registry.post(f"{SCHEMAS}/broken/check", {"schema": "", "type": "XML"}).status_code == 422


def test_pages_of_subjects(with_registry: ControlCenterService) -> None:
    for index in range(7):
        register(with_registry, f"paged-{index}", V1)
    page = with_registry.get(f"{SCHEMAS}?q=PAGED&page=2&page_size=3").json()
    assert (page["total"], page["page"], page["stale_reason"]) == (7, 2, None)
    assert [row["subject"] for row in page["items"]] == ["paged-3", "paged-4", "paged-5"]
    row = page["items"][0]
    assert (row["type"], row["versions"], row["latest_version"], row["compatibility"]) == ("AVRO", 1, 1, "BACKWARD")
    turned = with_registry.get(f"{SCHEMAS}?q=paged&sort=-subject&page_size=1").json()
    assert turned["items"][0]["subject"] == "paged-6"
    assert with_registry.get(f"{SCHEMAS}?sort=type").status_code == 400


def test_the_level_of_a_subject(with_registry: ControlCenterService) -> None:
    register(with_registry, "levelled", V1)
    path = f"{SCHEMAS}/levelled/compatibility"
    assert with_registry.call("PUT", path, {"level": "NONE"}).status_code == 204
    assert with_registry.get(f"{SCHEMAS}/levelled").json()["compatibility"]["own"] == "NONE"
    [row] = with_registry.get(f"{SCHEMAS}?q=levelled").json()["items"]
    assert row["compatibility"] == "NONE"
    for _ in range(2):
        assert with_registry.call("PUT", path, {"level": None}).status_code == 204
    assert with_registry.get(f"{SCHEMAS}/levelled").json()["compatibility"]["own"] is None
    assert with_registry.call("PUT", path, {"level": "SOMEHOW"}).status_code == 422


def test_what_a_schema_refers_to_and_what_refers_to_it(with_registry: ControlCenterService) -> None:
    register(with_registry, "part", {"type": "record", "name": "Part", "fields": []})
    whole = {"type": "record", "name": "Whole", "fields": [{"name": "part", "type": "Part"}]}
    named = [{"name": "Part", "subject": "part", "version": 1}]
    register(with_registry, "whole", whole, references=named)
    top = {"type": "record", "name": "Top", "fields": [{"name": "whole", "type": "Whole"}]}
    register(with_registry, "top", top, references=[{"name": "Whole", "subject": "whole", "version": 1}])
    for subject in ("part", "whole", "top"):
        graph = with_registry.get(f"{SCHEMAS}/{subject}/references").json()
        assert not graph["is_cut"]
        edges = {(edge["from"], edge["to"], edge["name"]) for edge in graph["edges"]}
        assert edges == {("whole/1", "part/1", "Part"), ("top/1", "whole/1", "Whole")}
        assert {node["subject"] for node in graph["nodes"]} == {"part", "whole", "top"}
    in_use = with_registry.delete(f"{SCHEMAS}/part")
    assert (in_use.status_code, in_use.json()["error_code"]) == (422, 42206)


def test_what_is_reached_both_ways_is_followed_both_ways(with_registry: ControlCenterService) -> None:
    """`near` uses the root at once, and `far`, which uses it by two steps: what uses `far` belongs to it as well."""
    uses: dict[str, list[str]]
    uses = {"root": [], "one": ["root"], "two": ["one"], "far": ["two"], "near": ["root", "far"], "last": ["far"]}
    for name, used in uses.items():
        record = {"type": "record", "name": name.title(), "fields": [{"name": x, "type": x.title()} for x in used]}
        references = [{"name": x.title(), "subject": f"way-{x}", "version": 1} for x in used]
        register(with_registry, f"way-{name}", record, references=references)
    graph = with_registry.get(f"{SCHEMAS}/way-root/references").json()
    assert {node["subject"] for node in graph["nodes"]} == {f"way-{name}" for name in uses}


def test_a_subject_is_deleted(with_registry: ControlCenterService) -> None:
    register(with_registry, "passing", V1)
    register(with_registry, "passing", V2)
    assert with_registry.delete(f"{SCHEMAS}/passing/versions/1").json() == {"versions": [1]}
    assert with_registry.get(f"{SCHEMAS}/passing").json()["versions"] == [2]
    assert with_registry.delete(f"{SCHEMAS}/passing").json() == {"versions": [2]}
    assert with_registry.get(f"{SCHEMAS}/passing").status_code == 404
    assert with_registry.get(f"{SCHEMAS}?q=passing").json()["total"] == 0


def test_subjects_of_a_topic(with_registry: ControlCenterService) -> None:
    register(with_registry, "sales-value", V1)
    rows = with_registry.get(f"{CLUSTER}/topics/sales/schemas").json()
    assert [row["subject"] for row in rows] == ["sales-value"]


@pytest.mark.parametrize("name", ["a%2Fb", "%2e%2e%2fadmin", "x%3Fdeleted=true", "%E2%98%83", "a%0d%0aX:%20y"])
def test_a_name_is_one_segment_whatever_is_in_it(with_registry: ControlCenterService, name: str) -> None:
    assert with_registry.get(f"{SCHEMAS}/{name}").json()["error_code"] == 40401


@pytest.mark.parametrize("name", ["%2e", "%2e%2e", "x" * 2_000])
def test_what_is_no_name(with_registry: ControlCenterService, name: str) -> None:
    assert with_registry.get(f"{SCHEMAS}/{name}").status_code in (400, 404)


def test_changes_are_written_down(with_registry: ControlCenterService) -> None:
    register(with_registry, "noted", V1)
    entry = with_registry.get("/api/v1/audit?q=noted").json()["items"][0]
    assert (entry["about"]["s"], entry["outcome"], entry["notes"]["version"]) == ("noted", "done", "1")


def test_a_cluster_without_a_registry_says_so(console: ControlCenterService) -> None:
    answer = console.get(SCHEMAS)
    assert answer.status_code == 404
    assert answer.json()["message"] == "This cluster has no schema registry in the console's settings."
    assert console.get(f"{CLUSTER}/topics/any/schemas").json() == []

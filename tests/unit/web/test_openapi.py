"""The description of a service, and the service held against it by schemathesis."""

from __future__ import annotations

from typing import Any, Literal

import msgspec
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    positive_data_acceptance,
    response_schema_conformance,
    status_code_conformance,
)

from riacho.web.answers import json_answer, no_content
from riacho.web.app import App
from riacho.web.auth import BasicAuthenticator
from riacho.web.call import Call
from riacho.web.endpoint import Endpoint, Query
from riacho.web.errors import ApiError
from support.web_service import asgi

VND = "application/vnd.demo.v1+json"


class Item(msgspec.Struct):
    name: str
    kind: Literal["a", "b"] = "a"
    tags: list[str] = []


class Stored(msgspec.Struct):
    id: int
    item: Item


async def list_items(call: Call) -> Any:
    call.integer("limit", 10)
    return json_answer([Stored(1, Item("x"))] if not call.flag("deleted") else [])


async def put_item(call: Call) -> Any:
    item = await call.read(Item)
    if call.segment("item") == "no":
        raise ApiError(409, 40901, "It may not be changed.")
    return json_answer(Stored(call.integer("id", 1), item))


async def get_part(call: Call) -> Any:
    return json_answer({"part": call.number("part")})


async def delete_item(call: Call) -> Any:
    return no_content()


TYPES = (VND, "application/json")
PARTS: Any = dict[str, int]
ENDPOINTS = [
    Endpoint(
        "GET",
        "/items",
        list_items,
        "All items.",
        query=(
            Query("limit", int, "How many.", 10),
            Query("deleted", bool, "Deleted ones.", False),
            Query("key", list, "Keys."),
        ),
        answers={200: list[Stored]},
        answer_types=TYPES,
    ),
    Endpoint(
        "PUT",
        "/items/{item}",
        put_item,
        "Store an item.",
        body=Item,
        request_types=TYPES,
        answer_types=TYPES,
        answers={200: Stored},
        errors={40901: "the item may not be changed", 42201: "the item is not valid"},
    ),
    Endpoint("GET", "/items/{item}/parts/{part}", get_part, "A part.", segments={"part": int}, answers={200: PARTS}),
    Endpoint("DELETE", "/items/{item}", delete_item, "Delete it.", answers={204: None}, optional_body=True, body=Any),
]


def make(**options: Any) -> App:
    return App("demo", ENDPOINTS, media_type=VND, about="Things.", **options)


def described(app: App, **headers: str) -> Any:
    return asgi(app, "GET", "/openapi.json", headers=headers).json


def test_an_endpoint_is_described_as_it_is_served():
    document = described(make())
    assert document["openapi"] == "3.1.0"
    assert (document["info"]["title"], document["info"]["description"]) == ("demo", "Things.")
    listing = document["paths"]["/items"]["get"]
    assert listing["operationId"] == "get_items"
    assert listing["tags"] == ["items"]
    assert [parameter["schema"] for parameter in listing["parameters"]] == [
        {"type": "integer", "format": "int64", "default": 10},
        {"type": ["boolean", "string"], "default": False},
        {"type": "array", "items": {"type": "string"}},
    ]
    assert listing["responses"]["200"]["content"][VND]["schema"]["items"] == {"$ref": "#/components/schemas/Stored"}
    part = document["paths"]["/items/{item}/parts/{part}"]["get"]
    types = [(each["name"], each["schema"]["type"]) for each in part["parameters"]]
    assert types == [("item", "string"), ("part", "integer")]


def test_errors_are_told_by_status_with_their_codes():
    responses = described(make())["paths"]["/items/{item}"]["put"]["responses"]
    assert set(responses) == {"200", "400", "404", "406", "408", "409", "413", "415", "422", "500", "503"}
    assert responses["409"]["description"] == "40901: the item may not be changed"
    assert responses["422"]["description"] == "42201: the item is not valid"
    assert responses["409"]["content"][VND]["schema"] == {"$ref": "#/components/schemas/Error"}


def test_a_body_that_may_be_missing_is_described_so():
    body = described(make())["paths"]["/items/{item}"]["delete"]["requestBody"]
    assert (body["required"], body["content"]) == (False, {"application/json": {"schema": {}}})


def test_logging_in_is_described_where_it_is_asked_for():
    app = make(authenticator=BasicAuthenticator({}, realm="demo", open_paths=["/openapi.json"]))
    document = described(app)
    assert document["security"] == [{"basic": []}]
    assert document["paths"]["/health"]["get"]["security"] == []
    assert "401" in document["paths"]["/items"]["get"]["responses"]
    assert "401" not in document["paths"]["/health"]["get"]["responses"]
    assert "security" not in described(make())


def test_the_page_needs_nothing_from_elsewhere():
    got = asgi(make(), "GET", "/docs", headers={"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"})
    assert got.headers["content-type"] == "text/html; charset=utf-8"
    assert "connect-src 'self'" in got.headers["content-security-policy"]
    page = got.body.decode()
    assert "openapi.json" in page
    assert "http://" not in page
    assert "https://" not in page


SCHEMA = schemathesis.openapi.from_asgi("/openapi.json", make())


def test_the_description_is_valid_openapi():
    SCHEMA.validate()


CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
    positive_data_acceptance,
]


@pytest.mark.filterwarnings("ignore")
@SCHEMA.parametrize()
@settings(
    max_examples=15,
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
def test_the_service_does_what_its_description_says(case: schemathesis.Case):
    case.call_and_validate(checks=CHECKS)

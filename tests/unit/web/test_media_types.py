"""Negotiation of media types."""

from __future__ import annotations

import pytest

from riacho.web.media_types import answer_type, request_type

V1, PLAIN, JSON = "application/vnd.schemaregistry.v1+json", "application/vnd.schemaregistry+json", "application/json"
OFFERED = (V1, PLAIN, JSON)
# The header of confluent-kafka's registry client.
CLIENTS = f"{V1}, {PLAIN}; q=0.9, {JSON}; q=0.5"


@pytest.mark.parametrize(
    ("accept", "chosen"),
    [
        (None, V1),
        ("", V1),
        ("*/*", V1),
        ("*", V1),
        ("application/*", V1),
        (JSON, JSON),
        ("APPLICATION/JSON", JSON),
        ("application/json; charset=utf-8", JSON),
        (f"{JSON};q=0.2, {PLAIN};q=0.3", PLAIN),
        (f"{V1};q=0, */*", PLAIN),
        (f"{JSON}, */*;q=0.1", JSON),
        (f"*/*, {JSON}", JSON),
        (CLIENTS, V1),
        ("text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2", V1),
        ("text/html", None),
        ("application/json;q=0", None),
        ("application/json;q=nonsense", None),
        (",;/", None),
        ("text/*", None),
        ("x" * 5000, None),
        ("x/y," * 1000 + JSON, JSON),
    ],
)
def test_the_answer_is_what_the_caller_likes_best(accept: str | None, chosen: str | None):
    assert answer_type(accept, OFFERED) == chosen


@pytest.mark.parametrize(
    ("content_type", "taken", "found"),
    [
        (JSON, (JSON,), JSON),
        ("Application/JSON; charset=UTF-8", (JSON,), JSON),
        (" application/json ", (JSON,), JSON),
        ("text/plain", (JSON,), None),
        ("", (JSON,), None),
        (None, (JSON,), None),
        (None, (JSON, "application/octet-stream"), "application/octet-stream"),
        ("application/x-www-form-urlencoded", ("*/*",), "application/x-www-form-urlencoded"),
    ],
)
def test_the_body_is_what_its_type_says(content_type: str | None, taken: tuple[str, ...], found: str | None):
    assert request_type(content_type, taken) == found

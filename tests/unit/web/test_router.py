"""Routing: raw paths, literals before variables, what the path would have taken."""

from __future__ import annotations

import pytest

from riacho.web.answers import no_content
from riacho.web.call import Call
from riacho.web.endpoint import Endpoint
from riacho.web.errors import ApiError
from riacho.web.router import Found, Router


async def _handler(call: Call):
    return no_content()


def endpoint(method: str, path: str) -> Endpoint:
    return Endpoint(method, path, _handler, "Something.")


ROUTER = Router(
    [
        endpoint("GET", "/"),
        endpoint("GET", "/subjects"),
        endpoint("POST", "/subjects/{subject}"),
        endpoint("DELETE", "/subjects/{subject}"),
        endpoint("GET", "/subjects/{subject}/versions/{v}"),
        endpoint("GET", "/topics/-/configs"),
        endpoint("GET", "/topics/{topic}/configs"),
        endpoint("PUT", "/topics/{topic}/configs"),
        endpoint("POST", "/topics/{topic}/records:batch"),
    ]
)


def found(method: str, path: str) -> tuple[str, dict[str, str]]:
    result = ROUTER.find(method, path)
    assert isinstance(result, Found), result
    return result.endpoint.path, result.path_params


@pytest.mark.parametrize(
    ("method", "path", "endpoint_path", "segments"),
    [
        ("GET", "/", "/", {}),
        ("GET", "", "/", {}),
        ("GET", "/subjects", "/subjects", {}),
        ("GET", "/subjects/", "/subjects", {}),
        ("HEAD", "/subjects", "/subjects", {}),
        ("POST", "/subjects/a", "/subjects/{subject}", {"subject": "a"}),
        ("POST", "/subjects/a%2Fb", "/subjects/{subject}", {"subject": "a/b"}),
        ("POST", "/subjects/a+b", "/subjects/{subject}", {"subject": "a+b"}),
        ("POST", "/subjects/%3A.ctx%3Aa", "/subjects/{subject}", {"subject": ":.ctx:a"}),
        ("POST", "/subjects/%C3%A7%20", "/subjects/{subject}", {"subject": "ç "}),
        ("GET", "/subjects/a%2F/versions/1", "/subjects/{subject}/versions/{v}", {"subject": "a/", "v": "1"}),
        ("GET", "/topics/-/configs", "/topics/-/configs", {}),
        ("GET", "/topics/x/configs", "/topics/{topic}/configs", {"topic": "x"}),
        ("PUT", "/topics/-/configs", "/topics/{topic}/configs", {"topic": "-"}),
        ("POST", "/topics/x/records:batch", "/topics/{topic}/records:batch", {"topic": "x"}),
        ("POST", "/topics/x/records%3Abatch", "/topics/{topic}/records:batch", {"topic": "x"}),
    ],
)
def test_finds_the_endpoint_and_its_segments(method: str, path: str, endpoint_path: str, segments: dict[str, str]):
    assert found(method, path) == (endpoint_path, segments)


@pytest.mark.parametrize(
    ("method", "path", "methods"),
    [
        ("GET", "/nowhere", set()),
        ("GET", "/subjects//versions/1", set()),
        ("GET", "/subjects/a/versions", set()),
        ("POST", "/subjects", {"GET", "HEAD"}),
        ("GET", "/subjects/a", {"POST", "DELETE"}),
        ("HEAD", "/subjects/a", {"POST", "DELETE"}),
        ("DELETE", "/topics/-/configs", {"GET", "HEAD", "PUT"}),
    ],
)
def test_tells_what_the_path_would_have_taken(method: str, path: str, methods: set[str]):
    assert ROUTER.find(method, path) == methods


@pytest.mark.parametrize("path", ["/subjects/%zz", "/subjects/a%", "/subjects/%2", "/subjects/%ff", "/%E4%"])
def test_a_path_that_cannot_be_decoded_is_a_bad_request(path: str):
    with pytest.raises(ApiError) as caught:
        ROUTER.find("POST", path)
    assert (caught.value.status, caught.value.error_code) == (400, 400)


def test_the_same_endpoint_twice_is_a_mistake_of_the_table():
    with pytest.raises(AssertionError, match="stands twice"):
        Router([endpoint("GET", "/a/{x}"), endpoint("GET", "/a/{y}")])

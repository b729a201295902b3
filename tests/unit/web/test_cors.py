"""Cross-origin requests."""

from __future__ import annotations

from typing import Any

from riacho.web.answers import json_answer
from riacho.web.app import App
from riacho.web.call import Call
from riacho.web.config import load_settings, service_keys
from riacho.web.cors import Cors
from riacho.web.endpoint import Endpoint
from riacho.web.options import app_options
from support.web_service import asgi

PAGE = {"Origin": "https://page.example"}
PREFLIGHT = {**PAGE, "Access-Control-Request-Method": "PUT"}


async def show(call: Call) -> Any:
    return json_answer({})


def make(cors: Cors | None) -> App:
    return App("demo", [Endpoint("GET", "/", show, "Root.")], cors=cors)


def test_without_origins_browsers_are_told_nothing():
    assert not [name for name in asgi(make(None), "GET", "/", headers=PAGE).headers if name.startswith("access")]
    assert app_options(load_settings(service_keys(0), {}), "demo")["cors"] is None


def test_an_origin_that_is_named_may_see_the_answer_errors_included():
    app = make(Cors(["https://page.example"]))
    for path in ("/", "/nowhere"):
        assert asgi(app, "GET", path, headers=PAGE).headers["access-control-allow-origin"] == "https://page.example"
    assert (
        "access-control-allow-origin" not in asgi(app, "GET", "/", headers={"Origin": "https://evil.example"}).headers
    )
    assert "access-control-allow-origin" not in asgi(app, "GET", "/").headers


def test_every_origin_may_where_the_settings_say_so():
    properties = {"access.control.allow.origin": "*", "access.control.allow.methods": "GET,PUT"}
    app = App(
        "demo", [Endpoint("GET", "/", show, "Root.")], **app_options(load_settings(service_keys(0), properties), "demo")
    )
    got = asgi(app, "OPTIONS", "/", headers=PREFLIGHT)
    assert got.status == 200
    assert got.headers["access-control-allow-origin"] == "*"
    assert got.headers["access-control-allow-methods"] == "GET,PUT"
    assert "Content-Type" in got.headers["access-control-allow-headers"]


def test_an_origin_that_is_not_named_gets_no_leave_before_its_call():
    got = asgi(make(Cors(["https://other.example"])), "OPTIONS", "/", headers=PREFLIGHT)
    assert not [name for name in got.headers if name.startswith("access-control")]

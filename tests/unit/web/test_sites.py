"""Calls by names that are not the service's, and by pages of other sites, are refused before anything else."""

from __future__ import annotations

import socket
from typing import Any

import pytest

from riacho.pipelines.connect.config import load_worker_settings
from riacho.web.answers import json_answer
from riacho.web.app import App
from riacho.web.call import Call
from riacho.web.config import load_settings, service_keys
from riacho.web.endpoint import Endpoint
from riacho.web.options import app_options
from support.web_service import asgi

JSON = {"Content-Type": "application/json"}


async def show(call: Call) -> Any:
    return json_answer({})


def make(settings: Any = None, **properties: str) -> App:
    named = {name.replace("_", "."): text for name, text in properties.items()}
    chosen = settings or load_settings(service_keys(8081), named)
    endpoints = [
        Endpoint("GET", "/", show, "Root."),
        Endpoint("POST", "/", show, "Act.", body=dict[str, str]),
        Endpoint("PUT", "/pause", show, "Pause."),
    ]
    return App("demo", endpoints, **app_options(chosen, "demo"))


def status(app: App, method: str = "GET", path: str = "/", body: bytes = b"", **headers: str) -> int:
    sent = {name.replace("_", "-"): text for name, text in headers.items()}
    return asgi(app, method, path, headers=sent, body=body).status


@pytest.mark.parametrize("path", ["/", "/health", "/metrics", "/openapi.json", "/docs", "/nowhere"])
def test_a_name_that_was_made_to_point_here_is_refused_everywhere(path: str) -> None:
    got = asgi(make(), "GET", path, headers={"Host": "evil.example:8081"})
    assert got.status == 403
    assert b"riacho.allowed.hosts" in got.body
    assert status(make(), path=path, Host="localhost:8081") == (404 if path == "/nowhere" else 200)


def test_the_services_own_names_pass() -> None:
    for host in ("127.0.0.1:8081", "[::1]:8081", "localhost", socket.gethostname()):
        assert status(make(), Host=host) == 200
    assert status(make(riacho_allowed_hosts="proxy.example"), Host="proxy.example") == 200
    assert status(make(riacho_allowed_hosts="*"), Host="any.example") == 200
    assert status(make(host_name="me.example"), Host="me.example:1") == 200
    assert status(make(advertised_listeners="http://us.example:80"), Host="us.example") == 200
    advertised = load_worker_settings({"bootstrap.servers": "b:1", "rest.advertised.host.name": "worker.example"})
    assert status(make(advertised), Host="worker.example:8083") == 200


def test_one_good_name_is_no_leave_for_others() -> None:
    app = make()
    assert [status(app, Host=host) for host in ("localhost", "evil.example", "localhost", "evil.example")] == [
        200,
        403,
        200,
        403,
    ]


def test_a_service_on_other_addresses_is_called_by_any_name() -> None:
    assert status(make(listeners="http://0.0.0.0:8081"), Host="any.example") == 200
    assert status(make(listeners="http://localhost:1,http://10.0.0.1:1"), Host="any.example") == 200
    assert status(make(listeners="http://localhost:1,http://[::1]:1"), Host="any.example") == 403


def test_a_service_on_other_addresses_that_has_names_takes_no_others() -> None:
    app = make(listeners="http://0.0.0.0:8081", riacho_allowed_hosts="registry")
    assert [status(app, Host=host) for host in ("registry:8081", "localhost:8081", "evil.example:8081")] == [
        200,
        200,
        403,
    ]
    assert status(make(listeners="http://0.0.0.0:8081", riacho_allowed_hosts="*"), Host="any.example") == 200


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://localhost:3000", "https://localhost"])
def test_pages_of_other_sites_are_refused(origin: str) -> None:
    app = make()
    for method in ("GET", "OPTIONS"):
        got = asgi(app, method, "/", headers={"Host": "localhost:8081", "Origin": origin})
        assert got.status == 403
        assert b"access.control.allow.origin" in got.body
    assert status(app, "POST", body=b"{}", Host="localhost:8081", Origin=origin, **JSON) == 403
    assert status(make(listeners="http://0.0.0.0:1"), Host="svc.example", Origin=origin) == 403


def test_its_own_pages_and_those_that_the_settings_name_may_call() -> None:
    own = {"Host": "localhost:8081", "Origin": "http://localhost:8081"}
    assert status(make(), "POST", body=b"{}", **own, **JSON) == 200
    page = {"Host": "localhost:8081", "Origin": "https://ui.example"}
    assert status(make(access_control_allow_origin="https://ui.example"), "POST", body=b"{}", **page, **JSON) == 200
    assert status(make(access_control_allow_origin="*"), **page) == 200
    assert status(make(access_control_allow_origin="https://other.example"), **page) == 403


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"])
def test_what_a_page_sends_without_asking_changes_nothing(kind: str) -> None:
    app = make()
    for body in (b"", b"{}"):
        assert status(app, "POST", body=body, Content_Type=kind) == 415
        assert status(app, "PUT", "/pause", body=body, Content_Type=kind) == 415
    assert status(app, "PUT", "/pause", body=b"{}", **JSON) == 200
    assert status(app, "PUT", "/pause") == 200

"""Every changing route of the console has its role, and a viewer is refused on each."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from riacho.console.config import load_console_settings
from riacho.console.door.roles import Role, right_of, without_right
from riacho.console.service import ControlCenter
from riacho.web.answers import json_answer
from riacho.web.call import Call
from riacho.web.endpoint import Endpoint
from support.web_service import asgi_call

OPEN = {"/api/v1/login", "/api/v1/logout"}


@pytest.fixture
def center(tmp_path: Path) -> Iterator[ControlCenter]:
    (tmp_path / "users").write_text("vera: v,viewer\nopal: o,operator\nann: a,admin\n")
    properties = {
        "authentication.method": "BASIC",
        "authentication.user.file": str(tmp_path / "users"),
        "riacho.console.dir": str(tmp_path / "console"),
        "bootstrap.servers": "127.0.0.1:1",
    }
    made = ControlCenter(load_console_settings(properties))
    yield made
    made.parts.door.close()


def test_every_changing_route_has_its_line(center: ControlCenter) -> None:
    assert without_right(center.app.endpoints) == []


def test_a_route_that_nobody_thought_of_needs_an_admin() -> None:
    async def handler(call: Call) -> object:
        return json_answer({})

    new = Endpoint("POST", "/api/v1/clusters/{c}/launch", handler, "New.")  # type: ignore[arg-type]
    assert without_right([new]) == ["POST /api/v1/clusters/{}/launch"]
    assert right_of("POST", new.path) == (Role.ADMIN, True)
    assert right_of("TRACE", new.path) == (Role.ADMIN, True)
    assert right_of("GET", new.path) is None


def test_a_viewer_changes_nothing_whatever_the_route(center: ControlCenter) -> None:
    async def test() -> None:
        app = center.app
        json_type = {"Content-Type": "application/json"}
        login = await asgi_call(app, "POST", "/api/v1/login", headers=json_type, body=b'{"name":"vera","password":"v"}')
        csrf = login.json["csrf"]
        session = {"Cookie": login.headers["set-cookie"].partition(";")[0], "X-Riacho-Csrf": csrf, **json_type}
        changing = [each for each in app.endpoints if each.method not in ("GET", "HEAD") and each.path not in OPEN]
        for each in changing:
            path = re.sub(r"\{[^}]*\}", "x", each.path)
            got = await asgi_call(app, each.method, path, headers=session, body=b"{}")
            assert (got.status, got.json["error_code"]) == (403, 40303), (each.method, each.path)
            got = await asgi_call(app, each.method, path, headers=json_type, body=b"{}")
            assert got.status == 401, (each.method, each.path)
            bare = {name: value for name, value in session.items() if name != "X-Riacho-Csrf"}
            got = await asgi_call(app, each.method, path, headers=bare, body=b"{}")
            assert (got.status, got.json["error_code"]) == (403, 40301), (each.method, each.path)

    asyncio.run(test())


@pytest.mark.parametrize("cluster", ["..", "%2e%2e", "..%2f..%2fetc", "a%00b", "%2fetc%2fpasswd", "x" * 5_000])
def test_no_cluster_id_leads_anywhere(center: ControlCenter, cluster: str, tmp_path: Path) -> None:
    async def test() -> None:
        app = center.app
        before = sorted(each.name for each in tmp_path.rglob("*"))
        login = b'{"name":"ann","password":"a"}'
        got = await asgi_call(app, "POST", "/api/v1/login", headers={"Content-Type": "application/json"}, body=login)
        session = {"Cookie": got.headers["set-cookie"].partition(";")[0]}
        for each in app.endpoints:
            if each.method == "GET" and "{c}" in each.path:
                path = re.sub(r"\{[^}]*\}", "x", each.path.replace("{c}", cluster))
                got = await asgi_call(app, "GET", path, headers=session)
                assert got.status in (400, 404), each.path
        assert sorted(each.name for each in tmp_path.rglob("*")) == before

    asyncio.run(test())

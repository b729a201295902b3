"""Every route of the console, as its table has them: who may call it, and what becomes of those who may not."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from riacho.console.config import load_console_settings
from riacho.console.door.roles import Role, right_of, without_right
from riacho.console.service import ControlCenter
from riacho.web.answers import json_answer
from riacho.web.call import Call
from riacho.web.endpoint import Endpoint
from support.web_service import Got, asgi_call

JSON = {"Content-Type": "application/json"}
OPEN = {"/api/v1/login", "/api/v1/logout"}
PASSWORDS = {"vera": "v", "opal": "o", "ann": "a"}
READ_ONLY, ROLE, CSRF = 40302, 40303, 40301
# What everyone may call before a login: pages, health checks, and the ways in.
PUBLIC = {
    "GET /",
    "GET /health",
    "GET /api/v1/me",
    "GET /api/v1/oidc/start",
    "GET /api/v1/oidc/callback",
    "POST /api/v1/login",
    "POST /api/v1/logout",
}
Make = Callable[..., AbstractContextManager[ControlCenter]]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    @contextmanager
    def made(**settings: str) -> Iterator[ControlCenter]:
        (tmp_path / "users").write_text("vera: v,viewer\nopal: o,operator\nann: a,admin\n")
        properties = {
            "authentication.method": "BASIC",
            "authentication.user.file": str(tmp_path / "users"),
            "riacho.console.dir": str(tmp_path / "console"),
            "bootstrap.servers": "127.0.0.1:1",
        }
        center = ControlCenter(load_console_settings(properties | settings))
        yield center
        center.parts.door.close()

    return made


@pytest.fixture
def center(make: Make) -> Iterator[ControlCenter]:
    with make() as made:
        yield made


async def session_of(center: ControlCenter, name: str) -> dict[str, str]:
    """Headers of a page of theirs."""
    body = f'{{"name":"{name}","password":"{PASSWORDS[name]}"}}'.encode()
    got = await asgi_call(center.app, "POST", "/api/v1/login", headers=JSON, body=body)
    return {"Cookie": got.headers["set-cookie"].partition(";")[0], "X-Riacho-Csrf": got.json["csrf"], **JSON}


async def called(center: ControlCenter, each: Endpoint, headers: dict[str, str]) -> Got:
    path = re.sub(r"\{[^}]*\}", "x", each.path)
    return await asgi_call(center.app, each.method, path, headers=headers, body=None if each.method == "GET" else b"{}")


def changing(center: ControlCenter) -> list[Endpoint]:
    found = [each for each in center.app.endpoints if each.method not in ("GET", "HEAD") and each.path not in OPEN]
    assert len(found) > 30
    return found


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
        session = await session_of(center, "vera")
        program = {"Authorization": "Basic dmVyYTp2", **JSON}
        bare = {name: value for name, value in session.items() if name != "X-Riacho-Csrf"}
        for each in changing(center):
            for headers, expected in ((session, (403, ROLE)), (program, (403, ROLE)), (bare, (403, CSRF))):
                got = await called(center, each, headers)
                assert (got.status, got.json["error_code"]) == expected, (each.method, each.path)

    asyncio.run(test())


def test_an_operator_does_not_what_an_admin_does(center: ControlCenter) -> None:
    async def test() -> None:
        session = await session_of(center, "opal")
        for each in changing(center):
            got = await called(center, each, session)
            right = right_of(each.method, each.path)
            assert right is not None
            is_refused = (got.status, got.json["error_code"]) == (403, ROLE)
            assert is_refused is (right.role is Role.ADMIN), (each.method, each.path)

    asyncio.run(test())


def test_read_only_is_for_everybody_on_every_route(make: Make) -> None:
    async def test(center: ControlCenter) -> None:
        for name in PASSWORDS:
            session = await session_of(center, name)
            for each in changing(center):
                got = await called(center, each, session)
                right = right_of(each.method, each.path)
                assert right is not None
                if right.is_change:
                    assert got.status == 403, (name, each.method, each.path)
                    assert got.json["error_code"] in ((READ_ONLY,) if name == "ann" else (READ_ONLY, ROLE))
                else:
                    assert got.json["error_code"] != READ_ONLY, (name, each.method, each.path)

    with make(**{"riacho.console.read.only": "true"}) as center:
        asyncio.run(test(center))


def test_read_only_without_users_too(make: Make) -> None:
    async def test(center: ControlCenter) -> None:
        csrf = (await asgi_call(center.app, "GET", "/api/v1/me")).json["csrf"]
        for each in changing(center):
            right = right_of(each.method, each.path)
            got = await called(center, each, {"X-Riacho-Csrf": csrf, **JSON})
            assert (got.json["error_code"] == READ_ONLY) is (right is not None and right.is_change), each.path

    with make(**{"authentication.method": "NONE", "riacho.console.read.only": "true"}) as center:
        asyncio.run(test(center))


def test_before_a_login_there_are_pages_and_ways_in_and_nothing_else(center: ControlCenter) -> None:
    async def test() -> None:
        assert {f"{each.method} {each.path}" for each in center.app.endpoints if each.is_public} == PUBLIC
        for each in center.app.endpoints:
            for headers in (JSON, {**JSON, "Cookie": "riacho_session=guess"}, {**JSON, "Authorization": "Bearer x"}):
                got = await called(center, each, headers)
                assert each.is_public or got.status == 401, (each.method, each.path)
        for path in ("/api", "/api/v1", "/api/v1/none", "/api/v2/clusters", "/metrics/x"):
            for method in ("GET", "POST", "TRACE", "PROPFIND"):
                assert (await asgi_call(center.app, method, path, headers=JSON)).status == 401, (method, path)

    asyncio.run(test())


def test_methods_and_paths_that_there_are_none_of(center: ControlCenter) -> None:
    async def test() -> None:
        session = await session_of(center, "ann")
        for path in sorted({each.path for each in center.app.endpoints}):
            known = {each.method for each in center.app.endpoints if each.path == path}
            for method in {"POST", "PUT", "PATCH", "DELETE", "TRACE", "CONNECT"} - known:
                filled = re.sub(r"\{[^}]*\}", "x", path)
                assert (await asgi_call(center.app, method, filled, headers=session)).status == 405, (method, path)
        for path in ("/api", "/api/v1/", "/api/v1//me", "/api/v1/me/", "/api/v1/%6de", "/api/v1/../v1/audit"):
            assert (await asgi_call(center.app, "GET", path, headers=session)).status in (200, 404), path

    asyncio.run(test())


def test_no_answer_is_kept_sniffed_framed_or_shown_to_other_sites(center: ControlCenter) -> None:
    async def test() -> None:
        session = await session_of(center, "ann")
        answers = [("GET", "/api/v1/none", session), ("GET", "/assets/none.js", {}), ("POST", "/", {})]
        answers += [(each.method, re.sub(r"\{[^}]*\}", "x", each.path), session) for each in center.app.endpoints]
        for method, path, headers in answers:
            got = await asgi_call(center.app, method, path, headers=headers, body=None if method == "GET" else b"{}")
            policy = got.headers["content-security-policy"]
            assert "unsafe" not in policy, path
            assert "frame-ancestors 'none'" in policy, path
            assert got.headers["x-content-type-options"] == "nosniff", path
            assert got.headers["referrer-policy"] == "no-referrer", path
            assert got.headers["cross-origin-resource-policy"] == "same-origin", path
            assert got.headers["cache-control"] == ("no-cache" if (method, path) == ("GET", "/") else "no-store"), path

    asyncio.run(test())


@pytest.mark.parametrize("users", ["BASIC", "NONE"])
def test_pages_of_other_sites_cannot_even_ask(make: Make, users: str) -> None:
    """An image or a script of theirs has no Origin, and its answer cannot be seen; but a search would run."""

    async def test(center: ControlCenter) -> None:
        session = {} if users == "NONE" else await session_of(center, "ann")
        reading = [each for each in center.app.endpoints if each.method == "GET" and not each.is_public]
        for each in reading:
            for site in ("cross-site", "same-site"):
                for mode, dest in (("no-cors", "image"), ("navigate", "iframe"), ("cors", "empty")):
                    sent = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": mode, "Sec-Fetch-Dest": dest}
                    got = await called(center, each, {**session, **sent})
                    assert (got.status, got.json["error_code"]) == (403, 40304), each.path
        link = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
        own = {"Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "cors", "Sec-Fetch-Dest": "empty"}
        for headers in (link, own):
            assert (await asgi_call(center.app, "GET", "/docs", headers={**session, **headers})).status == 200

    with make(**{"authentication.method": users}) as center:
        asyncio.run(test(center))


@pytest.mark.parametrize("cluster", ["..", "%2e%2e", "..%2f..%2fetc", "a%00b", "%2fetc%2fpasswd", "x" * 5_000])
def test_no_cluster_id_leads_anywhere(center: ControlCenter, cluster: str, tmp_path: Path) -> None:
    async def test() -> None:
        app = center.app
        before = sorted(each.name for each in tmp_path.rglob("*"))
        session = await session_of(center, "ann")
        for each in app.endpoints:
            if each.method == "GET" and "{c}" in each.path:
                path = re.sub(r"\{[^}]*\}", "x", each.path.replace("{c}", cluster))
                got = await asgi_call(app, "GET", path, headers=session)
                assert got.status in (400, 404), each.path
        assert sorted(each.name for each in tmp_path.rglob("*")) == before

    asyncio.run(test())

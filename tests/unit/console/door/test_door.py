"""Who comes in: sessions, BASIC, CSRF, roles, read-only mode and what the audit log says of it all."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from starlette.responses import Response

from riacho.base.config import ConfigError
from riacho.console.api import audit, session
from riacho.console.config import load_console_settings
from riacho.console.door.audit_log import note
from riacho.console.door.config import DoorConfig
from riacho.console.door.door import Door
from riacho.console.door.opening import open_door
from riacho.console.door.roles import Role
from riacho.console.door.users import Users, load
from riacho.console.parts import Parts
from riacho.web.answers import json_answer, stream_answer
from riacho.web.app import App
from riacho.web.call import Call
from riacho.web.endpoint import Endpoint
from riacho.web.errors import ApiError
from riacho.web.sites import Sites
from support.web_service import Got, asgi_call

TOPICS = "/api/v1/clusters/{c}/topics"
MESSAGES = "/api/v1/clusters/{c}/topics/{t}/messages"
PREVIEW = "/api/v1/clusters/{c}/groups/{g}/offsets/preview"
HASHED = f"PBKDF2:1000:{b'salt'.hex()}:{hashlib.pbkdf2_hmac('sha256', b'vera', b'salt', 1000).hex()}"
USERS = f"ann: ann-secret,admin\nopal: opal-secret,operator\nvera: {HASHED},viewer\n"


class World:
    """The door with three routes behind it, a clock, and a browser that keeps a cookie."""

    def __init__(self, directory: Path, *, has_users: bool = True, read_only: bool = False) -> None:
        self.now_ms = 1_000_000
        (directory / "users").write_text(USERS)
        settings = load_console_settings({"riacho.console.session.idle.ms": "60000"})
        opened = open_door(settings, directory, read_only=False)
        config = DoorConfig(session_idle_ms=60_000, session_ms_max=600_000)
        users = load(str(directory / "users")) if has_users else None
        self.door = Door(opened.audit, config, users=users, read_only=read_only, clock_ms=lambda: self.now_ms)
        self.done: list[str] = []
        self.streams: asyncio.Queue[str] = asyncio.Queue()
        self.pieces: asyncio.Queue[bytes] = asyncio.Queue()
        self.taken: asyncio.Queue[str] = asyncio.Queue()
        parts = Parts.__new__(Parts)
        parts.door = self.door
        own = [
            Endpoint("GET", TOPICS, self._get, "Topics."),
            Endpoint("GET", "/api/v1/clusters/{c}/events", self._events, "Events."),
            Endpoint("POST", TOPICS, self._change, "A topic."),
            Endpoint("POST", MESSAGES, self._change, "Messages."),
            Endpoint("POST", PREVIEW, self._change, "A preview."),
            Endpoint("DELETE", TOPICS + "/{t}", self._fail, "Fails."),
        ]
        endpoints = self.door.guarded([*session.endpoints(parts), *audit.endpoints(parts), *own])
        self.app = App("control-center", endpoints, authenticator=self.door, sites=Sites(None, None))
        self.cookie = ""
        self.csrf = ""

    async def _get(self, call: Call) -> Response:
        return json_answer([])

    async def _events(self, call: Call) -> Response:
        return stream_answer(self._followed())

    async def _followed(self) -> AsyncIterator[bytes]:
        await self.streams.put("open")
        try:
            while True:
                yield await self.pieces.get()
                await self.taken.put("")
        finally:
            await self.streams.put("closed")

    async def _change(self, call: Call) -> Response:
        note(call, partitions=3)
        self.done.append(call.principal or "")
        return json_answer({})

    async def _fail(self, call: Call) -> Response:
        raise ApiError(404, 40402, "There is no such topic.")

    async def call(self, method: str, path: str, body: Any = None, **headers: str) -> Got:
        sent = {"Content-Type": "application/json", "Host": "console:9021"}
        if self.cookie:
            sent["Cookie"] = f"theme={{dark}}; {self.cookie}; other=1"
        if self.csrf:
            sent["X-Riacho-Csrf"] = self.csrf
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        path, _, query = path.partition("?")
        content = None if body is None else json.dumps(body).encode()
        return await asgi_call(self.app, method, path, query=query, headers=sent, body=content)

    async def log_in(self, name: str, password: str) -> Got:
        got = await self.call("POST", "/api/v1/login", {"name": name, "password": password})
        if got.status == 200:
            self.cookie = got.headers["set-cookie"].partition(";")[0]
            self.csrf = got.json["csrf"]
        return got

    async def audited(self) -> list[dict[str, Any]]:
        answer = await self.call("GET", "/api/v1/audit?page_size=500")
        assert answer.status == 200
        return list(answer.json["items"])


def basic(name: str, password: str) -> str:
    return "Basic " + base64.b64encode(f"{name}:{password}".encode()).decode()


def run(test: Callable[[World], Any], world: World) -> None:
    asyncio.run(test(world))


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def test_nothing_is_told_before_a_login(world: World) -> None:
    async def test(world: World) -> None:
        for method, path in (
            ("GET", "/api/v1/clusters/a/topics"),
            ("POST", "/api/v1/clusters/a/topics"),
            ("GET", "/x"),
        ):
            got = await world.call(method, path)
            assert got.status == 401
            assert "basic" not in got.headers["www-authenticate"].lower(), "a browser would ask for a password"
        me = (await world.call("GET", "/api/v1/me")).json
        assert (me["name"], me["role"], me["login"], me["has_passwords"]) == (None, None, "local", True)

    run(test, world)


def test_a_login_gives_a_session_with_a_guarded_cookie(world: World) -> None:
    async def test(world: World) -> None:
        got = await world.log_in("ann", "ann-secret")
        assert (got.json["name"], got.json["role"]) == ("ann", "admin")
        attributes = {each.strip() for each in got.headers["set-cookie"].split(";")[1:]}
        assert {"HttpOnly", "SameSite=Strict", "Path=/", "Max-Age=600"} == attributes
        assert got.headers["cache-control"] == "no-store"
        assert (await world.call("GET", "/api/v1/clusters/a/topics")).status == 200
        assert (await world.call("POST", "/api/v1/clusters/a/topics", {})).status == 200
        assert (await world.call("GET", "/api/v1/me")).json["csrf"] == world.csrf
        assert world.done == ["ann"]

    run(test, world)


def test_the_cookie_is_for_tls_alone_where_the_call_came_by_it(world: World) -> None:
    cookie = world.door.cookie({"scheme": "https", "headers": []}, "id", 5)
    assert cookie == "__Host-riacho_session=id; HttpOnly; SameSite=Strict; Path=/; Max-Age=5; Secure"


def test_an_id_that_the_browser_came_with_is_never_the_sessions(world: World) -> None:
    async def test(world: World) -> None:
        world.cookie = "riacho_session=planted-by-somebody"
        await world.log_in("ann", "ann-secret")
        first = world.cookie
        assert first != "riacho_session=planted-by-somebody"
        await world.log_in("ann", "ann-secret")
        assert world.cookie != first
        world.cookie = first
        assert (await world.call("GET", "/api/v1/clusters/a/topics")).status == 401, "the old one ended at login"

    run(test, world)


def test_logging_out_ends_the_session_and_needs_the_token(world: World) -> None:
    async def test(world: World) -> None:
        await world.log_in("ann", "ann-secret")
        assert (await world.call("POST", "/api/v1/logout", X_Riacho_Csrf="x")).status == 403
        got = await world.call("POST", "/api/v1/logout")
        assert (got.status, "Max-Age=0" in got.headers["set-cookie"]) == (204, True)
        assert (await world.call("GET", "/api/v1/clusters/a/topics")).status == 401

    run(test, world)


def test_no_session_outlives_the_console(world: World, tmp_path: Path) -> None:
    async def test(world: World) -> None:
        await world.log_in("ann", "ann-secret")
        again = World(tmp_path)
        again.cookie, again.csrf = world.cookie, world.csrf
        assert (await again.call("GET", "/api/v1/clusters/a/topics")).status == 401
        assert (await again.call("POST", "/api/v1/clusters/a/topics", {})).status == 401
        assert again.done == []

    run(test, world)


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b'{"name": "\\ud800", "password": "\\udfff"}', 400),
        (b'{"name": "ann", "password": null}', 422),
        (b'{"name": ["ann"], "password": {}}', 422),
        (b"[" * 5_000, 422),
        (b"\xff\xfe", 400),
        (b'{"name": "ann", "password": "' + b"x" * 20_000 + b'"}', 413),
        (b'{"name": "' + b"n" * 10_000 + b'\\n\\u0000", "password": "x"}', 401),
    ],
)
def test_logins_that_are_none(world: World, body: bytes, status: int) -> None:
    async def test(world: World) -> None:
        headers = {"Content-Type": "application/json", "Host": "console:9021"}
        got = await asgi_call(world.app, "POST", "/api/v1/login", headers=headers, body=body)
        assert got.status == status
        assert "set-cookie" not in got.headers
        assert len(got.body) < 500

    run(test, world)


def test_sessions_end_by_silence_and_by_age(world: World) -> None:
    async def test(world: World) -> None:
        await world.log_in("ann", "ann-secret")
        for _ in range(10):
            world.now_ms += 59_000
            assert (await world.call("GET", "/api/v1/clusters/a/topics")).status == 200
        world.now_ms += 11_000
        assert (await world.call("GET", "/api/v1/clusters/a/topics")).status == 401
        await world.log_in("ann", "ann-secret")
        world.now_ms += 60_000
        assert (await world.call("GET", "/api/v1/clusters/a/topics")).status == 401

    run(test, world)


@pytest.mark.parametrize(
    "headers",
    [
        {"X_Riacho_Csrf": ""},
        {"X_Riacho_Csrf": "guess"},
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://console:9022"},
    ],
)
def test_pages_of_other_sites_change_nothing(world: World, headers: dict[str, str]) -> None:
    async def test(world: World) -> None:
        await world.log_in("ann", "ann-secret")
        assert (await world.call("POST", "/api/v1/clusters/a/topics", {}, **headers)).status == 403
        assert world.done == []

    run(test, world)


def test_the_token_of_another_session_is_not_good(world: World) -> None:
    async def test(world: World) -> None:
        await world.log_in("opal", "opal-secret")
        foreign = world.csrf
        world.cookie = world.csrf = ""
        await world.log_in("ann", "ann-secret")
        assert (await world.call("POST", "/api/v1/clusters/a/topics", {}, X_Riacho_Csrf=foreign)).status == 403

    run(test, world)


def test_a_form_of_another_site_cannot_log_somebody_in(world: World) -> None:
    async def test(world: World) -> None:
        body = {"name": "ann", "password": "ann-secret"}
        for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data"):
            assert (await world.call("POST", "/api/v1/login", body, Content_Type=kind)).status == 415
        assert (await world.call("POST", "/api/v1/login", body, Origin="http://evil.example")).status == 403

    run(test, world)


def test_programs_log_in_with_every_call(world: World) -> None:
    async def test(world: World) -> None:
        ann = basic("ann", "ann-secret")
        assert (await world.call("POST", "/api/v1/clusters/a/topics", {}, Authorization=ann)).status == 200
        cross = {"Authorization": ann, "Sec_Fetch_Site": "cross-site"}
        assert (await world.call("POST", "/api/v1/clusters/a/topics", {}, **cross)).status == 403
        for wrong in (basic("ann", "x"), basic("nobody", "x"), "Bearer abc", "Basic !", "Basic "):
            got = await world.call("GET", "/api/v1/clusters/a/topics", Authorization=wrong)
            assert got.status == 401
        vera = basic("vera", "vera")
        assert (await world.call("GET", "/api/v1/clusters/a/topics", Authorization=vera)).status == 200
        assert (await world.call("POST", "/api/v1/clusters/a/topics", {}, Authorization=vera)).status == 403

    run(test, world)


@pytest.mark.parametrize(
    ("name", "password", "statuses"),
    [("vera", "vera", [403, 403, 403]), ("opal", "opal-secret", [403, 200, 200]), ("ann", "ann-secret", [200] * 3)],
)
def test_roles(world: World, name: str, password: str, statuses: list[int]) -> None:
    async def test(world: World) -> None:
        await world.log_in(name, password)
        paths = ("/topics", "/topics/t/messages", "/groups/g/offsets/preview")
        assert [(await world.call("POST", f"/api/v1/clusters/a{path}", {})).status for path in paths] == statuses
        assert (await world.call("GET", "/api/v1/clusters/a/topics")).status == 200

    run(test, world)


def test_guessing_is_slowed_down_and_costs_no_look_at_passwords(world: World) -> None:
    async def test(world: World) -> None:
        statuses = [(await world.log_in("ann", f"guess{n}")).status for n in range(8)]
        assert statuses == [401] * 5 + [429] * 3
        got = await world.log_in("ann", "ann-secret")
        assert (got.status, got.headers["retry-after"]) == (429, "1")
        assert (await world.call("GET", "/api/v1/x", Authorization=basic("ann", "ann-secret"))).status == 429
        world.now_ms += 1_000
        assert (await world.log_in("ann", "ann-secret")).status == 200

    run(test, world)


def test_many_guesses_at_once_get_no_more_looks(world: World) -> None:
    async def test(world: World) -> None:
        looks = 0
        assert world.door.users is not None
        real = world.door.users.role_of

        async def counted(name: str, password: str) -> Role | None:
            nonlocal looks
            looks += 1
            return await real(name, password)

        world.door.users.role_of = counted  # type: ignore[method-assign]
        got = await asyncio.gather(*(world.log_in("vera", f"g{n}") for n in range(60)))
        assert looks <= 6
        assert {each.status for each in got} == {401, 429}

    run(test, world)


def test_read_only_refuses_changes_and_not_questions(tmp_path: Path) -> None:
    async def test(world: World) -> None:
        await world.log_in("ann", "ann-secret")
        got = await world.call("POST", "/api/v1/clusters/a/topics", {})
        assert (got.status, "read-only" in got.json["message"]) == (403, True)
        assert (await world.call("POST", "/api/v1/clusters/a/groups/g/offsets/preview", {})).status == 200
        assert (await world.call("GET", "/api/v1/me")).json["read_only"] is True

    run(test, World(tmp_path, read_only=True))


def test_without_users_everybody_is_admin_and_changes_need_the_token(tmp_path: Path) -> None:
    async def test(world: World) -> None:
        me = (await world.call("GET", "/api/v1/me")).json
        assert (me["name"], me["role"], me["login"]) == ("anonymous", "admin", "none")
        assert (await world.call("POST", "/api/v1/clusters/a/topics", {})).status == 403
        world.csrf = me["csrf"]
        assert (await world.call("POST", "/api/v1/clusters/a/topics", {})).status == 200
        assert (await world.log_in("ann", "ann-secret")).status == 404

    run(test, World(tmp_path, has_users=False))


def test_what_is_streamed_ends_with_the_session(world: World) -> None:
    async def test(world: World) -> None:
        await world.log_in("ann", "ann-secret")
        streaming = asyncio.create_task(world.call("GET", "/api/v1/clusters/a/events"))
        await world.streams.get()
        await world.pieces.put(b"seen;")
        await world.taken.get()
        await world.call("POST", "/api/v1/logout")
        await world.pieces.put(b"hidden;")
        got = await asyncio.wait_for(streaming, 10)
        assert got.body == b"seen;"
        assert await world.streams.get() == "closed"

    run(test, world)


def test_every_change_is_written_down_with_how_it_ended(world: World) -> None:
    async def test(world: World) -> None:
        await world.log_in("ann", "no")
        await world.log_in("ann", "ann-secret")
        await world.call("POST", "/api/v1/clusters/a/topics", {"name": "orders", "secret": "s3cr3t"})
        await world.call("DELETE", "/api/v1/clusters/a/topics/or%0Aders")
        await world.call("POST", "/api/v1/clusters/a/topics", {}, X_Riacho_Csrf="wrong")
        await world.call("POST", "/api/v1/clusters/a/groups/g/offsets/preview", {})
        found = [
            (each["who"], each["method"], each["outcome"], each["status"], each["about"], each["notes"])
            for each in reversed(await world.audited())
        ]
        assert found == [
            ("ann", "POST", "refused", 401, {}, {}),
            ("ann", "POST", "done", 200, {}, {}),
            ("ann", "POST", "done", 200, {"c": "a"}, {"partitions": "3"}),
            ("ann", "DELETE", "failed", 404, {"c": "a", "t": "or\nders"}, {}),
            ("ann", "POST", "refused", 403, {"c": "a"}, {}),
        ]
        assert "s3cr3t" not in json.dumps(await world.audited())
        assert "ann-secret" not in json.dumps(await world.audited())

    run(test, world)


def test_where_nothing_can_be_written_down_nothing_is_changed(world: World) -> None:
    async def test(world: World) -> None:
        await world.log_in("ann", "ann-secret")
        world.door.audit.is_broken = True
        world.door.audit.check = lambda: False  # type: ignore[method-assign]
        assert (await world.call("POST", "/api/v1/clusters/a/topics", {})).status == 503
        assert (await world.call("GET", "/api/v1/clusters/a/topics")).status == 200
        assert world.done == []

    run(test, world)


_IN_A_CONTAINER = {"listeners": "http://0.0.0.0:9021", "riacho.console.without.users": "true"}


@pytest.mark.parametrize(
    ("properties", "users", "problem"),
    [
        ({"listeners": "http://0.0.0.0:9021"}, "", "open to other machines"),
        (_IN_A_CONTAINER, "", "needs the console's names in riacho.allowed.hosts"),
        (_IN_A_CONTAINER | {"riacho.allowed.hosts": "*"}, "", "needs the console's names in riacho.allowed.hosts"),
        ({"authentication.method": "BASIC"}, "ann: x", "none of the roles"),
        ({"authentication.method": "BASIC"}, "ann: x,boss", "none of the roles"),
        ({"authentication.method": "BASIC"}, "", "has no user"),
        ({"riacho.console.oidc.issuer": "http://idp.example"}, "", "has to be an https address"),
        ({"riacho.console.oidc.issuer": "https://idp.example"}, "", "redirect.url has to be"),
    ],
)
def test_settings_that_would_leave_it_open_are_told(
    tmp_path: Path, properties: dict[str, str], users: str, problem: str
) -> None:
    (tmp_path / "users").write_text(users)
    given = {"authentication.user.file": str(tmp_path / "users"), **properties}
    with pytest.raises(ConfigError, match=problem):
        open_door(load_console_settings(given), tmp_path, read_only=False)


def test_in_a_container_it_opens_without_users_for_its_names(tmp_path: Path) -> None:
    given = _IN_A_CONTAINER | {"riacho.allowed.hosts": "localhost"}
    assert open_door(load_console_settings(given), tmp_path, read_only=False) is not None


def test_a_user_with_several_roles_has_the_highest(tmp_path: Path) -> None:
    (tmp_path / "users").write_text("ann: x,viewer,admin,other\n")
    users: Users = load(str(tmp_path / "users"))
    assert asyncio.run(users.role_of("ann", "x")) is Role.ADMIN
    assert asyncio.run(users.role_of("ann", "y")) is None

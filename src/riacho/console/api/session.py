"""Who is calling; logging in and out, with a password or at an identity provider."""

from __future__ import annotations

import msgspec
from starlette.responses import Response

from riacho import __version__
from riacho.console.door.door import cookie_of
from riacho.console.messages.export import is_parquet_here
from riacho.console.parts import Parts
from riacho.web.answers import json_answer, no_content, raw_json
from riacho.web.call import Call
from riacho.web.endpoint import Endpoint, Query
from riacho.web.errors import ApiError

_NO_STORE = {"Cache-Control": "no-store"}
_BODY_BYTES_MAX = 16 * 1024
_STATE_COOKIE = "riacho_oidc"
_STATE_PATH = "/api/v1/oidc"
_STATE_AGE_S = 600
# Where the page is that shows why a login at the provider came to nothing.
_LOGIN_PAGE = "/login"


class Me(msgspec.Struct):
    """`name` and `role` are null before a login; `login` is how people log in. `has_passwords`: local users may.
    `has_parquet`: messages can be exported as Parquet, which takes pyarrow on the console's machine."""

    name: str | None
    role: str | None
    login: str
    csrf: str
    read_only: bool
    version: str
    language: str | None = None
    has_passwords: bool = False
    has_parquet: bool = False


class Login(msgspec.Struct):
    name: str
    password: str


def endpoints(parts: Parts) -> list[Endpoint]:
    door = parts.door
    has_parquet = is_parquet_here()

    def of(name: str | None, role: str | None, csrf: str) -> Me:
        return Me(
            name=name,
            role=role,
            login=door.login,
            csrf=csrf,
            read_only=door.read_only,
            version=__version__,
            has_passwords=door.users is not None,
            has_parquet=has_parquet,
        )

    async def get_me(call: Call) -> Response:
        caller = await door.caller(call.scope)
        me = of(caller.name, caller.role.label, caller.csrf) if caller else of(None, None, door.csrf_before_login)
        return json_answer(me, headers=_NO_STORE)

    async def log_in(call: Call) -> Response:
        given: Login = await call.read(Login)
        session, cookie = await door.log_in(call.scope, given.name, given.password)
        me = of(session.name, session.role.label, session.csrf)
        return json_answer(me, headers={**_NO_STORE, "Set-Cookie": cookie})

    async def log_out(call: Call) -> Response:
        return no_content({**_NO_STORE, "Set-Cookie": await door.log_out(call.scope)})

    async def start(call: Call) -> Response:
        if door.oidc is None:
            raise ApiError(404, 40404, "There is no identity provider here.")
        begun = await door.oidc.begin(call.text("to") or "/", door.now_ms())
        return _redirect(begun.url, _state_cookie(call, begun.cookie, _STATE_AGE_S))

    async def callback(call: Call) -> Response:
        if door.oidc is None:
            raise ApiError(404, 40404, "There is no identity provider here.")
        forget = _state_cookie(call, "", 0)
        try:
            who = await door.oidc.finish(call.query_params, cookie_of(call.scope, _STATE_COOKIE), door.now_ms())
        except ApiError as error:
            door.write_login(call.scope, "", None, error)
            return _redirect(f"{_LOGIN_PAGE}?problem={error.error_code}", forget)
        door.write_login(call.scope, who.name, who.role, None)
        _, cookie = door.begin(call.scope, who.name, who.role, "oidc")
        return _redirect(who.to, forget, cookie)

    def _state_cookie(call: Call, value: str, age_s: int) -> str:
        # Lax: the browser comes back from another site, which is where Strict would keep it.
        secure = "; Secure" if door.is_secure(call.scope) else ""
        return f"{_STATE_COOKIE}={value}; HttpOnly; SameSite=Lax; Path={_STATE_PATH}; Max-Age={age_s}{secure}"

    return [
        Endpoint("GET", "/api/v1/me", get_me, "Who is calling, and the token that changes carry.", tag="session",
                 answers={200: Me}, is_public=True),
        Endpoint("POST", "/api/v1/login", log_in, "Log in with a password.", body=Login, tag="session",
                 answers={200: Me}, errors={40102: "name or password is wrong", 42901: "too many logins failed"},
                 is_public=True, body_bytes_max=_BODY_BYTES_MAX),
        Endpoint("POST", "/api/v1/logout", log_out, "End the session.", tag="session", answers={204: None},
                 is_public=True),
        Endpoint("GET", "/api/v1/oidc/start", start, "Log in at the identity provider.", tag="session",
                 query=(Query("to", str, "The page to come back to."),), answers={303: None}, is_public=True),
        Endpoint("GET", "/api/v1/oidc/callback", callback, "Where the identity provider sends people back to.",
                 tag="session", answers={303: None}, is_public=True),
    ]  # fmt: skip


def _redirect(url: str, *cookies: str) -> Response:
    answer = raw_json(b"", 303, headers={**_NO_STORE, "Location": url})
    answer.raw_headers += [(b"set-cookie", cookie.encode("latin-1")) for cookie in cookies]
    return answer

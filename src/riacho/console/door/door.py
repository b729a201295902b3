"""Who comes in, and what they may: asked before every call that is not public.

    nobody configured        everybody on this machine is admin (`login: none`); listeners are loopback's alone
    local users              a session (cookie), or BASIC with every call for programs
    an identity provider     a session; local users beside it where both are configured

A changing call has to bring the session's CSRF token, needs the role that `roles.py` says, is refused in read-only
mode, and is written to the audit log whatever becomes of it. `guarded` is put around the endpoints for the latter.
"""

from __future__ import annotations

import asyncio
import math
import secrets
import time
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from starlette.requests import cookie_parser
from starlette.responses import Response
from starlette.types import Scope

from riacho.console.door.audit_log import DONE, FAILED, GONE, REFUSED, AuditEntry, AuditLog, notes_of, short
from riacho.console.door.config import DoorConfig
from riacho.console.door.csrf import HEADER, check_csrf
from riacho.console.door.login_attempts import LoginAttempts
from riacho.console.door.roles import Right, Role, right_of
from riacho.console.door.sessions import Session, Sessions
from riacho.console.door.users import Users
from riacho.web.answers import StreamAnswer
from riacho.web.call import PRINCIPAL, ROLES, Call
from riacho.web.endpoint import Endpoint, Handler
from riacho.web.errors import ApiError

if TYPE_CHECKING:
    from riacho.console.door.oidc import Oidc

ANONYMOUS = "anonymous"
# No browser asks for a password by itself when it is told this, as it would with `Basic`.
_CHALLENGE = {"WWW-Authenticate": 'Session realm="Control Center"'}
_COOKIE, _SECURE_COOKIE = "riacho_session", "__Host-riacho_session"
_CHECKED_AT_ONCE_MAX = 2
_CALLER = "riacho.console.caller"


@dataclass(frozen=True, slots=True)
class Caller:
    """`session_id` is empty where there is no session; `is_program`: the call brought the password itself."""

    name: str
    role: Role
    login: str
    csrf: str
    session_id: str = ""
    is_program: bool = False


class Door:
    def __init__(
        self,
        audit: AuditLog,
        config: DoorConfig,
        *,
        users: Users | None = None,
        oidc: Oidc | None = None,
        read_only: bool = False,
        clock_ms: Callable[[], int] = lambda: time.time_ns() // 1_000_000,
    ) -> None:
        self.audit = audit
        self.users = users
        self.oidc = oidc
        self.read_only = read_only
        self.login = "oidc" if oidc is not None else "local" if users is not None else "none"
        self.now_ms = clock_ms
        self._config = config
        self._sessions = Sessions(idle_ms=config.session_idle_ms, age_ms_max=config.session_ms_max)
        self._attempts = LoginAttempts()
        self._checking = asyncio.Semaphore(_CHECKED_AT_ONCE_MAX)
        # Where nobody logs in, and for pages before they do.
        self._csrf = secrets.token_urlsafe(32)

    # Coming in

    async def authenticate(self, scope: Scope, path: str) -> None:
        """ApiError 401, 403 or 429."""
        _check_page(scope)
        caller = await self.caller(scope)
        if caller is None:
            raise ApiError(401, 40101, "Log in first.", headers=_CHALLENGE)
        scope[PRINCIPAL] = caller.name
        scope[ROLES] = frozenset({caller.role.label})
        scope[_CALLER] = caller
        method, route = scope.get("riacho.endpoint", (scope["method"], ""))
        right = right_of(method, route)
        if right is None or not route:
            return
        try:
            self._check(scope, caller, right)
        except ApiError as error:
            if right.is_change:
                self._write(scope, REFUSED, error.status, error.message)
            raise

    async def caller(self, scope: Scope) -> Caller | None:
        """None where nobody has logged in. ApiError 401 or 429 for a password that is wrong."""
        if self.login == "none":
            return Caller(ANONYMOUS, Role.ADMIN, self.login, self._csrf)
        if any(name == b"authorization" for name, _ in scope["headers"]):
            return await self._program(scope)
        for session_id in self._session_ids(scope):
            session = self._sessions.find(session_id, self.now_ms())
            if session is not None:
                return Caller(session.name, session.role, session.login, session.csrf, session_id)
        return None

    async def _program(self, scope: Scope) -> Caller | None:
        if self.users is None:
            return None
        try:
            name, password = self.users.passwords.credentials(scope)
        except ApiError:
            return None
        role = await self._checked(scope, name, password)
        return Caller(name, role, "local", self._csrf, is_program=True)

    def _check(self, scope: Scope, caller: Caller, right: Right) -> None:
        headers: Mapping[bytes, bytes] = dict(scope["headers"])
        if not caller.is_program:
            check_csrf(headers.get(HEADER, b""), caller.csrf)
        elif headers.get(b"sec-fetch-site", b"none") not in (b"none", b"same-origin"):
            # A browser may have kept a password that was once typed into an address.
            raise ApiError(403, 40304, "Pages of other sites may not change anything here.")
        if caller.role < right.role:
            raise ApiError(403, 40303, f"This needs the role {right.role.label}; you are {caller.role.label}.")
        if right.is_change and self.read_only:
            raise ApiError(403, 40302, "The console is read-only: riacho.console.read.only=true.")
        if right.is_change and not self.audit.check():
            raise ApiError(503, 50307, "The audit log cannot be written, so nothing may be changed.")

    # Logging in and out

    async def log_in(self, scope: Scope, name: str, password: str) -> tuple[Session, str]:
        """The session, and the header `Set-Cookie` for it. ApiError 401 or 429."""
        if self.users is None:
            raise ApiError(404, 40404, "There are no local users here.")
        try:
            role = await self._checked(scope, name, password)
        except ApiError as error:
            self.write_login(scope, name, None, error)
            raise
        self.write_login(scope, name, role, None)
        return self.begin(scope, name, role, "local")

    def begin(self, scope: Scope, name: str, role: Role, login: str) -> tuple[Session, str]:
        """Always a new id: whatever the browser came with ends here."""
        for session_id in self._session_ids(scope):
            self._sessions.end(session_id)
        now_ms = self.now_ms()
        session_id = self._sessions.begin(name, role, login, now_ms)
        session = self._sessions.find(session_id, now_ms)
        assert session is not None
        return session, self.cookie(scope, session_id, self._config.session_ms_max // 1000)

    async def log_out(self, scope: Scope) -> str:
        """Ends the session that the call came with; the header that has the browser forget it. ApiError 403."""
        caller = await self.caller(scope)
        if caller is not None and caller.session_id:
            check_csrf(dict(scope["headers"]).get(HEADER, b""), caller.csrf)
            self._sessions.end(caller.session_id)
            scope[_CALLER] = caller
            self._write(scope, DONE, 200, None)
        return self.cookie(scope, "", 0)

    @property
    def csrf_before_login(self) -> str:
        return self._csrf

    def cookie(self, scope: Scope, session_id: str, age_s: int) -> str:
        secure = "; Secure" if self.is_secure(scope) else ""
        return f"{self._cookie_name(scope)}={session_id}; HttpOnly; SameSite=Strict; Path=/; Max-Age={age_s}{secure}"

    def write_login(self, scope: Scope, name: str, role: Role | None, error: ApiError | None) -> None:
        caller = Caller(name, role or Role.VIEWER, "" if role is None else "local", "")
        if error is None:
            self._write(scope, DONE, 200, None, caller)
        else:
            self._write(scope, REFUSED, error.status, error.message, caller)

    async def _checked(self, scope: Scope, name: str, password: str) -> Role:
        assert self.users is not None
        address = address_of(scope)
        # However many come at once, few get a look before the first has failed.
        async with self._checking:
            wait_ms = self._attempts.wait_ms(name, address, self.now_ms())
            if wait_ms > 0:
                seconds = math.ceil(wait_ms / 1000)
                message = f"Too many logins failed: try again in {seconds} s."
                raise ApiError(429, 42901, message, headers={"Retry-After": str(seconds)})
            role = await self.users.role_of(name, password)
            if role is None:
                self._attempts.failed(name, address, self.now_ms())
                raise ApiError(401, 40102, "Name or password is wrong.", headers=_CHALLENGE)
            self._attempts.succeeded(name, address)
            return role

    def _session_ids(self, scope: Scope) -> list[str]:
        session_id = cookie_of(scope, self._cookie_name(scope))
        return [session_id] if session_id else []

    def _cookie_name(self, scope: Scope) -> str:
        # A site beside ours, or http, cannot set one of this prefix.
        return _SECURE_COOKIE if self.is_secure(scope) else _COOKIE

    def is_secure(self, scope: Scope) -> bool:
        """Whether cookies are for https alone."""
        return self._config.secure_cookies or scope.get("scheme") == "https"

    def close(self) -> None:
        self.audit.close()
        if self.oidc is not None:
            self.oidc.close()

    # Writing down

    def guarded(self, endpoints: Iterable[Endpoint]) -> list[Endpoint]:
        """The same, and every change is written down with how it ended; what is streamed ends with the session."""
        return [replace(each, handler=self._guarded(each)) for each in endpoints]

    def _guarded(self, endpoint: Endpoint) -> Handler:
        if endpoint.is_public:
            return endpoint.handler
        return self._audited(endpoint.handler) if _is_change(endpoint) else self._let_go(endpoint.handler)

    def _let_go(self, handler: Handler) -> Handler:
        async def ending(call: Call) -> Response:
            response = await handler(call)
            caller = caller_of(call)
            if isinstance(response, StreamAnswer) and caller.session_id:
                response.pieces = self._while_logged_in(response.pieces, caller.session_id)
            return response

        return ending

    async def _while_logged_in(self, pieces: AsyncIterator[bytes], session_id: str) -> AsyncIterator[bytes]:
        """A page that stays open must not show more than its user may see: after a logout it ends with the next piece,
        which streams send at least as a sign of life."""
        try:
            async for piece in pieces:
                if not self._sessions.is_open(session_id, self.now_ms()):
                    return
                yield piece
        finally:
            close = getattr(pieces, "aclose", None)
            if close is not None:
                await close()

    def _audited(self, handler: Handler) -> Handler:
        async def audited(call: Call) -> Response:
            try:
                response = await handler(call)
            except ApiError as error:
                self._write(call.scope, FAILED, error.status, error.message)
                raise
            except asyncio.CancelledError:
                self._write(call.scope, GONE, 499, "The caller did not wait; it may have been done.")
                raise
            except Exception:
                self._write(call.scope, FAILED, 500, "An error of the console, see its log.")
                raise
            outcome = DONE if response.status_code < 400 else FAILED
            self._write(call.scope, outcome, response.status_code, None)
            return response

        return audited

    def _write(self, scope: Scope, outcome: str, status: int, reason: str | None, caller: Caller | None = None) -> None:
        caller = caller or scope.get(_CALLER)
        method, route = scope.get("riacho.endpoint", (scope["method"], ""))
        params: Mapping[str, str] = scope.get("path_params", {})
        entry = AuditEntry(
            at_ms=self.now_ms(),
            who=None if caller is None else short(caller.name),
            role=None if caller is None or not caller.login else caller.role.label,
            address=address_of(scope),
            method=method,
            route=route,
            about={name: short(value) for name, value in params.items()},
            notes=notes_of(scope),
            outcome=outcome,
            status=status,
            reason=None if reason is None else short(reason),
        )
        self.audit.write(entry)


def caller_of(call: Call) -> Caller:
    """Who made a call that the door let in."""
    caller: Caller = call.scope[_CALLER]
    return caller


def name_of(scope: Scope) -> str | None:
    """Who logged in; None where nobody does."""
    caller: Caller | None = scope.get(_CALLER)
    return None if caller is None or caller.login == "none" else caller.name


def cookie_of(scope: Scope, name: str) -> str:
    """Empty where there is none."""
    given = b"; ".join(value for header, value in scope["headers"] if header == b"cookie")
    return cookie_parser(given.decode("latin-1")).get(name, "")


def address_of(scope: Scope) -> str:
    client: tuple[str, int] | None = scope.get("client")
    return client[0] if client else "-"


def _check_page(scope: Scope) -> None:
    """A page of another site may link to the console. It may not have its visitors' browsers search or follow topics,
    whose answers it could not see: an image's address is enough for that. What has an Origin was checked before."""
    headers: Mapping[bytes, bytes] = dict(scope["headers"])
    if headers.get(b"sec-fetch-site", b"none") in (b"none", b"same-origin") or b"origin" in headers:
        return
    if (headers.get(b"sec-fetch-mode"), headers.get(b"sec-fetch-dest")) != (b"navigate", b"document"):
        raise ApiError(403, 40304, "Pages of other sites may not call the console.")


def _is_change(endpoint: Endpoint) -> bool:
    right = right_of(endpoint.method, endpoint.path)
    return right is not None and right.is_change

"""Calls of the control center that no server has read: who makes them, and their end."""

from __future__ import annotations

from starlette.types import Message, Scope

from riacho.console.door.door import Caller
from riacho.console.door.roles import Role
from riacho.web.call import AT_END, Call


def call_of(address: str, user: str | None = None) -> Call:
    """`user` is None where nobody logs in."""
    login = "none" if user is None else "local"
    caller = Caller(user or "anonymous", Role.ADMIN, login, "")
    scope: Scope = {"type": "http", "client": (address, 40_000), "riacho.console.caller": caller}
    return Call(scope, _nothing, _nobody)


def ended(call: Call) -> None:
    for end in call.scope.pop(AT_END, ()):
        end()


async def _nothing() -> Message:
    return {"type": "http.disconnect"}


async def _nobody(message: Message) -> None:
    del message

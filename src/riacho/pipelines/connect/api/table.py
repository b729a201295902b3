"""How Connect's endpoints are described, and what they read the same way everywhere."""

from __future__ import annotations

from typing import Any, Unpack

from riacho.pipelines.connect import errors
from riacho.web.call import Call
from riacho.web.endpoint import Described, Endpoint, Handler
from riacho.web.errors import ApiError

MEDIA_TYPE = "application/json"
# A body that does not say that it is JSON is refused, as by the original: pages of other sites cannot say so unasked.
REQUEST_TYPES = (MEDIA_TYPE,)

# A value of a config: numbers and truth values become text.
ConfigText = str | int | float | bool | None
Config = dict[str, ConfigText]

_ERRORS = {
    400: "What was sent cannot be used.",
    403: "The worker's settings do not allow this.",
    404: "There is no such connector, task or logger.",
    409: "The connector exists already, or there is no leader at the moment.",
    500: "The topics could not be written or read in time.",
}


def endpoint(
    method: str, path: str, handler: Handler, about: str, *, codes: tuple[int, ...] = (), **more: Unpack[Described]
) -> Endpoint:
    named = (404,) if "{" in path else ()
    errors = {code: _ERRORS[code] for code in sorted({*named, *codes})}
    return Endpoint(method, path, handler, about, errors=errors, request_types=REQUEST_TYPES, **more)


def name_of(call: Call) -> str:
    return call.segment("connector")


async def read(call: Call, kind: Any) -> Any:
    """The body; ApiError 400 where it is not what it must be. Configs are the caller's to get right, so one status."""
    try:
        return await call.read(kind)
    except ApiError as error:
        raise errors.bad_request(error.message) if error.status == 422 else error from None


def texts(config: Config | None) -> dict[str, str]:
    """Without what is null."""
    return {name: _text(value) for name, value in (config or {}).items() if value is not None}


def _text(value: str | int | float | bool) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def patch_of(config: Config) -> dict[str, str | None]:
    return {name: None if value is None else _text(value) for name, value in config.items()}

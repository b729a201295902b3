"""From a frame to a handler and back: header, version, decode, handle, encode.

Answers leave a connection in the order of its requests because it has one in flight at a time, as in Kafka. Whatever a
handler raises ends here: a KafkaError becomes the error answer of that API, anything else is logged and answered as an
unknown server error. Produce is the exception: a write that may be stored must not be answered so, since the Java
client would send it again under another sequence (KAFKA-14034); the connection closes and the client retries.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import TYPE_CHECKING, cast

from riacho.base.errors import ErrorCode, KafkaError
from riacho.broker.access.audit import CHANGES, audit_denials, audited
from riacho.broker.requests.api import CLOSE_CONNECTION, Answer, Api, Request
from riacho.broker.requests.error_response import error_response
from riacho.broker.requests.large_requests import LARGE_SIZE_BYTES_MIN, SERVED_AT_ONCE, handled
from riacho.broker.requests.later import Later, Outcome, settled
from riacho.broker.requests.request_parts import split_of
from riacho.wire.header import decode_request_header
from riacho.wire.primitives import WireError

if TYPE_CHECKING:
    from riacho.broker.serving.connection import Connection
    from riacho.wire.messages.produce_request import ProduceRequest
    from riacho.wire.schema import Message

_API_VERSIONS = 18
_PRODUCE = 0
# Only produce carries records. Decoding multiplies a body of many tiny items in memory, so the others get less room.
_PLAIN_REQUEST_SIZE_BYTES_MAX = 16 << 20


def serve(connection: Connection, frame: bytearray) -> None:
    """Serve one frame; the connection is busy until it is given the outcome."""
    try:
        header = decode_request_header(frame)
    except WireError as error:
        connection.refuse(f"unreadable request header: {error}")
        return
    api = connection.service.apis.get(header.api_key)
    version = header.api_version
    if api is None:
        connection.refuse(f"api key {header.api_key} is not served")
        return
    if len(frame) > _PLAIN_REQUEST_SIZE_BYTES_MAX and api.key != _PRODUCE:
        connection.refuse(f"{api.name} of {len(frame)} bytes")
        return
    request: Request = None
    is_large = len(frame) > LARGE_SIZE_BYTES_MIN and api.key not in SERVED_AT_ONCE
    if not api.version_min <= version <= api.version_max:
        if api.key != _API_VERSIONS:
            connection.refuse(f"{api.name} version {version} is not served")
            return
        # KIP-511: the client learns our range from a body that every version can read; its own body is not parsed.
        version, is_large = 0, False
    elif not is_large:
        request = _decoded(connection, api, version, frame, header.body_position)
        if request is None:
            return
    context = connection.context
    context.version = version
    context.correlation_id = header.correlation_id
    context.client_id = header.client_id or ""
    context.size_bytes = len(frame)
    connection.begin(api, len(frame))
    if is_large:
        later = Later.of(_with_permit(connection, api, frame, header.body_position))
        connection.settle(_begun(connection, api, None, later))
    else:
        connection.settle(_outcome(connection, api, request, frame))


def _decoded(connection: Connection, api: Api, version: int, frame: bytearray, position: int) -> Message | None:
    """None where the connection was closed, because it cannot be read."""
    try:
        return api.codec(version).decode(frame, position)[0]
    except WireError as error:
        connection.refuse(f"malformed {api.name} v{version}: {error}")
        return None


async def _with_permit(connection: Connection, api: Api, frame: bytearray, position: int) -> Answer:
    """A large request, once it has a permit. It is in nobody's way while it waits for somebody (permit.py)."""
    context = connection.context
    is_in_parts = split_of(api.key, context.version) is not None
    try:
        async with context.large_requests.permit(len(frame), is_in_parts=is_in_parts) as permit:
            request = _decoded(connection, api, context.version, frame, position)
            if request is None:
                return CLOSE_CONNECTION
            permit.decoded(request)
            context.permit = permit
            outcome = _outcome(connection, api, request, frame)
            if not permit.is_passed_on:
                permit.release()
            return await settled(outcome)
    except KafkaError as error:
        connection.refuse(error.detail)
        return CLOSE_CONNECTION
    finally:
        context.permit = None


def _outcome(connection: Connection, api: Api, request: Request, frame: bytearray) -> Outcome[Answer]:
    context = connection.context
    service = connection.service
    faults = service.faults
    outcome = faults.intercept(connection, api, request) if faults is not None else None
    if outcome is None and api.is_forwarded and service.forwarding is not None:
        # The active controller serves it, which may be another node.
        decided = service.forwarding.decided(context, api, request, frame)
        outcome = _begun(connection, api, request, Later.of(decided))
    elif outcome is None:
        outcome = outcome_of(connection, api, request)
        if api.key == _PRODUCE and faults is None and service.fast_paths is not None:
            fast_path = service.fast_paths.offer(context, frame, cast("ProduceRequest", request), outcome)
            if fast_path is not None:
                connection.keep_fast_path(fast_path)
    if api.key in CHANGES:
        outcome = audited(connection.node.logs, context, api, request, outcome)
    if context.denials:
        audit_denials(connection.node.logs, context, api)
    return outcome


def outcome_of(connection: Connection, api: Api, request: Request) -> Outcome[Answer]:
    """What the handler answers or, where it fails, the error response; a promise is begun."""
    try:
        outcome = handled(connection.context, api, request)
    except Exception as error:
        return _failed(connection, api, request, error)
    if type(outcome) is Later and not outcome.is_begun:
        return _begun(connection, api, request, outcome)
    return outcome


def _begun(connection: Connection, api: Api, request: Request, later: Later[Answer]) -> Later[Answer]:
    permit = connection.context.permit
    with_permit: Coroutine[object, None, Answer] | None = None
    if permit is not None and permit.is_in_parts:
        with_permit = later.taken()
        later = Later.of(permit.at_work(with_permit))

    def finished(task: asyncio.Task[Answer]) -> None:
        if connection.context.denials:
            audit_denials(connection.node.logs, connection.context, api)
        if not task.cancelled():
            error = task.exception()
            later.resolve(task.result() if error is None else _failed(connection, api, request, error))
        if with_permit is not None:
            with_permit.close()  # also one that did not come to begin

    later.begin(finished)
    return later


def _failed(connection: Connection, api: Api, request: Request, error: BaseException) -> Answer:
    if isinstance(error, KafkaError):
        code, detail = error.code, error.detail
    else:
        connection.node.logs.error.error(
            "request failed api=%s version=%d client_id=%s",
            api.name,
            connection.context.version,
            connection.context.client_id,
            exc_info=error,
        )
        connection.node.metrics.request_failures += 1
        code, detail = ErrorCode.UNKNOWN_SERVER_ERROR, ""
    if api.key == _PRODUCE:
        return CLOSE_CONNECTION
    return error_response(api, connection.context.version, request, code, detail)

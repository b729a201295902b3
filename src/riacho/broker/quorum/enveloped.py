"""A request that another broker forwarded: taken out of its envelope, served here, and its answer put into bytes."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from typing import TYPE_CHECKING

from riacho.base.errors import ErrorCode, KafkaError
from riacho.broker.access.audit import audit_denials
from riacho.broker.requests.error_response import error_response
from riacho.broker.requests.large_requests import LARGE_SIZE_BYTES_MIN, handled
from riacho.broker.requests.later import settled
from riacho.broker.requests.request_context import RequestContext
from riacho.wire.apis import APIS
from riacho.wire.header import decode_request_header, encode_response_header
from riacho.wire.primitives import WireError
from riacho.wire.schema import Message

if TYPE_CHECKING:
    from riacho.broker.logs import Logs
    from riacho.broker.requests.api import Api


async def serve_enveloped(
    envelope: RequestContext,
    logs: Logs,
    apis: Mapping[int, Api],
    data: bytes,
    principal: str,
    client_address: bytes,
) -> bytearray:
    """The answer to the request in `data`, header and body; `apis` are those that controllers serve.

    `envelope` is the context of the request that it came in.
    """
    try:
        header = decode_request_header(data)
    except WireError as error:
        raise KafkaError(ErrorCode.INVALID_REQUEST, f"the forwarded header cannot be read: {error}") from error
    api = apis.get(header.api_key)
    if api is None or not APIS[header.api_key].forwardable:
        raise KafkaError(ErrorCode.INVALID_REQUEST, f"api key {header.api_key} is not to be forwarded")
    if not api.version_min <= header.api_version <= api.version_max:
        raise KafkaError(ErrorCode.UNSUPPORTED_VERSION, f"{api.name} version {header.api_version} is not served")
    context = envelope.enveloped(_host(client_address))
    context.principal = principal
    context.version = header.api_version
    context.correlation_id = header.correlation_id
    context.client_id = header.client_id or ""
    context.size_bytes = len(data)
    response = await serve_inner(context, api, data)
    if context.denials:
        audit_denials(logs, context, api)
    out = bytearray()
    encode_response_header(api.key, context.version, header.correlation_id, out)
    api.codec(context.version).encode(response, out, None)
    return out


async def serve_inner(context: RequestContext, api: Api, data: bytes) -> Message:
    """Handle the request as if it had come straight to the controller; NOT_CONTROLLER goes to whoever forwarded it."""
    if len(data) > LARGE_SIZE_BYTES_MIN:
        async with context.large_requests.permit(len(data), is_in_parts=True) as permit:
            context.permit = permit
            return await permit.at_work(_serve(context, api, data))
    return await _serve(context, api, data)


async def _serve(context: RequestContext, api: Api, data: bytes) -> Message:
    try:
        header = decode_request_header(data)
        request, _ = api.codec(context.version).decode(data, header.body_position)
        if context.permit is not None:
            context.permit.decoded(request)
    except WireError as error:
        raise KafkaError(ErrorCode.INVALID_REQUEST, f"malformed {api.name}: {error}") from error
    try:
        answer = await settled(handled(context, api, request))
    except KafkaError as error:
        if error.code is ErrorCode.NOT_CONTROLLER:
            raise
        return error_response(api, context.version, request, error.code, error.detail)
    assert isinstance(answer, Message), "what is forwarded is answered"
    return answer


def _host(packed: bytes) -> str:
    try:
        return str(ipaddress.ip_address(packed))
    except ValueError:
        return ""

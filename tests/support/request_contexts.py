"""The context of a request that no connection brought."""

from __future__ import annotations

from typing import Any

from riacho.broker.requests.request_context import RequestContext


def request_context(
    broker: Any,
    version: int = 0,
    *,
    listener_name: str = "PLAINTEXT",
    client_host: str = "127.0.0.1",
    client_id: str = "",
    connection: object = None,
) -> Any:
    """`broker` may be anything that has what the handler asks of it."""
    if not hasattr(broker, "authorizer"):
        broker.authorizer = None
    context = RequestContext(broker, listener_name, client_host, connection)
    context.version = version
    context.client_id = client_id
    return context

"""A listener as access and quotas see it, which stand below what serves."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from riacho.broker.access.client_connection import ClientConnection


class ClientListener(Protocol):
    """`listener.Listener`, as far as it is used here."""

    @property
    def connections(self) -> Collection[ClientConnection]: ...


def drop_lanes(listeners: Iterable[ClientListener]) -> None:
    """The next produce requests take the usual way, where it is asked again whether they may and what they cost."""
    for listener in listeners:
        for connection in listener.connections:
            connection.drop_lanes()

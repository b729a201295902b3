"""What a listener serves to those who come in: which APIs, and with which parts of the node."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:
    from riacho.broker.produce.fast_path_offers import FastPathOffers
    from riacho.broker.quorum.forwarding import Forwarding
    from riacho.broker.requests.api import Answer, Api, Request
    from riacho.broker.requests.later import Outcome
    from riacho.broker.requests.request_context import RequestConnection, RequestContext
    from riacho.broker.serving.connection import Connection

# Of a listener's name, the client's host and its connection.
NewContext: TypeAlias = "Callable[[str, str, RequestConnection], RequestContext]"


class FaultInjector(Protocol):
    """`faults.Faults`, which stands above what serves."""

    def intercept(self, connection: Connection, api: Api, request: Request) -> Outcome[Answer] | None:
        """The injected outcome, or None to serve the request as usual."""


@dataclass(frozen=True, slots=True)
class Service:
    apis: Mapping[int, Api]
    new_context: NewContext
    faults: FaultInjector | None = None
    # Brings requests to the active controller; None where those who ask have come to the node that is to answer them.
    forwarding: Forwarding | None = None
    # For producers; None where nothing is produced.
    fast_paths: FastPathOffers | None = None

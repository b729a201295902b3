"""The tables name their handlers; that each gets a context that has what it asks for, no type checker sees."""

from __future__ import annotations

import inspect
import sys

import pytest

from riacho.broker.handlers.table import CONTROLLER_TABLE, TABLE
from riacho.broker.parts import request_contexts
from riacho.broker.parts.request_contexts import BrokerRequestContext, QuorumRequestContext
from riacho.broker.requests.api import Api
from riacho.broker.requests.request_context import RequestContext

CONTEXTS = {kind.__name__: kind for kind in (RequestContext, QuorumRequestContext, BrokerRequestContext)}
SERVED = [*((api, BrokerRequestContext) for api in TABLE), *((api, QuorumRequestContext) for api in CONTROLLER_TABLE)]


def asked_for(function: object) -> type[RequestContext]:
    assert callable(function)
    return CONTEXTS[next(iter(inspect.signature(function).parameters.values())).annotation]


@pytest.mark.parametrize(("api", "given"), SERVED, ids=[f"{api.name} {given.__name__}" for api, given in SERVED])
def test_the_context_has_what_the_handler_asks_for(api: Api, given: type[RequestContext]) -> None:
    module = sys.modules[api.handle().__module__]
    for name in ("handle", "screen"):
        function = vars(module).get(name)
        if function is not None:
            assert issubclass(given, asked_for(function)), f"{name} of {module.__name__}"


def test_the_contexts_are_those_of_the_parts() -> None:
    found = {kind for kind in vars(request_contexts).values() if isinstance(kind, type)}
    assert found == set(CONTEXTS.values())

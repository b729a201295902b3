"""One served API: its key, the versions we serve, its handler, and its codecs as they are first needed."""

from __future__ import annotations

import enum
import sys
from collections.abc import Callable, Coroutine
from functools import wraps
from importlib import import_module
from inspect import iscoroutinefunction
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias, cast

from riacho.broker.requests.later import Later, Outcome
from riacho.wire import apis, codec
from riacho.wire.codec import Decoder, Encoder
from riacho.wire.schema import Message

if TYPE_CHECKING:
    from riacho.broker.requests.request_context import RequestContext


class Silence(enum.Enum):
    """What a connection does in place of an answer."""

    # A produce with acks=0 was taken.
    NO_RESPONSE = enum.auto()
    # The only way to tell an acks=0 producer that its write failed.
    CLOSE_CONNECTION = enum.auto()


NO_RESPONSE: Final = Silence.NO_RESPONSE
CLOSE_CONNECTION: Final = Silence.CLOSE_CONNECTION

# None: an ApiVersions of a version that we do not know, and do not read (KIP-511).
Request: TypeAlias = Message | None
Answer: TypeAlias = Message | Silence
Handle: TypeAlias = "Callable[[RequestContext, Request], Outcome[Answer]]"
AsyncHandle: TypeAlias = "Callable[[RequestContext, Request], Coroutine[object, None, Answer]]"
Screen: TypeAlias = "Callable[[RequestContext, Request], Message | None]"


class VersionCodec(NamedTuple):
    decode: Decoder[Message]
    encode: Encoder[Message]
    is_response_header_tagged: bool


class Api:
    """The handler module is imported by the first request: a broker that starts pays for nothing it does not use."""

    __slots__ = ("_codecs", "_handle", "_module", "is_forwarded", "key", "name", "version_max", "version_min")

    def __init__(self, key: int, name: str, versions: tuple[int, int], module: str) -> None:
        self.key = key
        self.name = name
        self.version_min, self.version_max = versions
        # A broker that is not the active controller brings it there (KIP-590).
        self.is_forwarded = apis.APIS[key].forwardable
        self._module = module
        self._handle: Handle | None = None
        self._codecs: dict[int, VersionCodec] = {}

    def handle(self) -> Handle:
        if self._handle is None:
            self._handle = promising(import_module(f"riacho.broker.handlers.{self._module}").handle)
        return self._handle

    def screen(self, context: RequestContext, request: Request) -> Message | None:
        """What a broker answers itself, before it brings the request to the controller; None where it does not."""
        screen: Screen | None = getattr(sys.modules[self.handle().__module__], "screen", None)
        return None if screen is None else screen(context, request)

    def codec(self, version: int) -> VersionCodec:
        found = self._codecs.get(version)
        return found if found is not None else self._compile(version)

    def response_decoder(self, version: int) -> Decoder[Message]:
        return codec.decoder(apis.response_class(self.key), version)

    def _compile(self, version: int) -> VersionCodec:
        flexible = apis.APIS[self.key].flexible
        compiled = VersionCodec(
            decode=codec.decoder(apis.request_class(self.key), version),
            encode=codec.encoder(apis.response_class(self.key), version),
            # ApiVersions answers with the old header: a client reads it before it knows the broker (KIP-511).
            is_response_header_tagged=flexible is not None and version >= flexible and self.key != 18,
        )
        self._codecs[version] = compiled
        return compiled


def promising(handler: Handle | AsyncHandle) -> Handle:
    """The handler itself or, where it is written `async def`, one that answers with a promise."""
    if not iscoroutinefunction(handler):
        return cast("Handle", handler)

    @wraps(handler)
    def handle(context: RequestContext, request: Request) -> Outcome[Answer]:
        return Later.of(handler(context, request))

    return handle

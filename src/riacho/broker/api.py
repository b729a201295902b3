"""One served API: its key, the versions we serve, its handler, and its codecs as they are first needed."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any, NamedTuple

from riacho.wire import apis, codec

Handle = Callable[[Any, Any], Any]


class NoResponse:
    """What a produce with acks=0 answers."""


class CloseConnection:
    """The only way to tell an acks=0 producer that its write failed."""


NO_RESPONSE = NoResponse()
CLOSE_CONNECTION = CloseConnection()


class VersionCodec(NamedTuple):
    decode: Callable[[Any, int], tuple[Any, int]]
    encode: Callable[[Any, bytearray, list[tuple[int, Any]] | None], None]
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
            handler = import_module(f"riacho.broker.handlers.{self._module}").handle
            self._handle = handler
            return handler  # type: ignore[no-any-return]
        return self._handle

    def screen(self, context: Any, request: Any) -> Any:
        """What a broker answers itself, before it brings the request to the controller; None where it does not."""
        screen = getattr(sys.modules[self.handle().__module__], "screen", None)
        return None if screen is None else screen(context, request)

    def codec(self, version: int) -> VersionCodec:
        found = self._codecs.get(version)
        return found if found is not None else self._compile(version)

    def response_decoder(self, version: int) -> Callable[[Any, int], tuple[Any, int]]:
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

"""A connection's login by SASL, and what becomes of it (KIP-43, KIP-152, KIP-368).

Theory of operation. Until a client is logged in, its frames come here and nowhere else:

    START         ApiVersions, once, or SaslHandshake
    HANDSHAKE     SaslHandshake
    AUTHENTICATE  SaslAuthenticate after a handshake of version 1; the mechanism's bare tokens after version 0
    COMPLETE      everything else is served; the principal is known
    FAILED        nothing more is read

Anything out of turn closes the connection. A login that fails is answered, without saying more than it must, after
`connection.failed.authentication.delay.ms`, and the connection closes: whoever tries passwords waits for each.

A session may have an end: the credential's, or `connections.max.reauth.ms` after the login, whichever is sooner. The
client is answered with it and logs in again over the same connection, by the same mechanism and as the same principal.
A request that comes after the end closes the connection.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from riacho.base.errors import ErrorCode
from riacho.broker.handlers.table import BY_KEY
from riacho.broker.requests.api import CLOSE_CONNECTION, Answer, Api, Request
from riacho.broker.requests.error_response import error_response
from riacho.broker.requests.later import Later
from riacho.security.sasl import SaslFailure, SaslServer
from riacho.wire.header import RequestHeader, decode_request_header
from riacho.wire.messages.api_versions_response import ApiVersionsResponse
from riacho.wire.messages.sasl_authenticate_request import SaslAuthenticateRequest
from riacho.wire.messages.sasl_authenticate_response import SaslAuthenticateResponse
from riacho.wire.messages.sasl_handshake_request import SaslHandshakeRequest
from riacho.wire.messages.sasl_handshake_response import SaslHandshakeResponse
from riacho.wire.primitives import WireError

if TYPE_CHECKING:
    from riacho.broker.access.listener_security import ListenerSecurity
    from riacho.broker.serving.connection import Connection

_PRODUCE, _HANDSHAKE, _API_VERSIONS, _AUTHENTICATE = 0, 17, 18, 36
_HANDSHAKE_KEY = _HANDSHAKE.to_bytes(2, "big")
# Clients must not log in more often than this.
_REAUTHENTICATION_INTERVAL_MS = 1_000


class _State(Enum):
    START = 1
    HANDSHAKE = 2
    AUTHENTICATE = 3
    COMPLETE = 4
    FAILED = 5


class SaslSession:
    __slots__ = (
        "_connection",
        "_ends_ms",
        "_has_bare_tokens",
        "_is_again",
        "_mechanism",
        "_principal",
        "_security",
        "_server",
        "_started_again_ms",
        "_state",
    )

    def __init__(self, connection: Connection, security: ListenerSecurity) -> None:
        self._connection = connection
        self._security = security
        self._state = _State.START
        self._mechanism = ""
        self._server: SaslServer | None = None
        self._has_bare_tokens = False
        self._principal: str | None = None
        self._is_again = False
        self._ends_ms: int | None = None
        self._started_again_ms: int | None = None
        connection.incoming.limit(security.receive_size_bytes_max)

    @property
    def is_complete(self) -> bool:
        return self._state is _State.COMPLETE

    def takes(self, frame: bytearray) -> bool:
        """Whether the frame was for the login, or came too late; else it is a request to serve."""
        match self._state:
            case _State.COMPLETE:
                return self._ends_ms is not None and self._is_over_or_again(frame)
            case _State.START | _State.HANDSHAKE:
                self._serve_handshake(frame)
            case _State.AUTHENTICATE if self._has_bare_tokens:
                self._serve_bare_token(frame)
            case _State.AUTHENTICATE:
                self._serve_authenticate(frame)
            case _State.FAILED:
                pass
        return True

    def refuses(self, reason: str) -> bool:
        """A frame that cannot be read before the login is a login that failed."""
        if self._state in (_State.COMPLETE, _State.FAILED):
            return False
        self._fail(BY_KEY[_AUTHENTICATE], 0, CLOSE_CONNECTION, SaslFailure(reason))
        return True

    # --- sessions with an end

    def _is_over_or_again(self, frame: bytearray) -> bool:
        now_ms = self._connection.clock.monotonic_ms()
        if frame[:2] == _HANDSHAKE_KEY:
            if self._started_again_ms is not None and now_ms - self._started_again_ms < _REAUTHENTICATION_INTERVAL_MS:
                # Served as any request is, which answers that this is not the time.
                return False
            self._started_again_ms = now_ms
            self._is_again = True
            self._connection.incoming.limit(self._security.receive_size_bytes_max)
            self._serve_handshake(frame)
            return True
        assert self._ends_ms is not None
        if now_ms < self._ends_ms:
            return False
        self._connection.node.metrics.authentications.expired += 1
        self._connection.close()
        return True

    # --- the messages

    def _serve_handshake(self, frame: bytearray) -> None:
        opened = self._opened(frame, "handshake")
        if opened is None:
            return
        api, header, request = opened
        connection = self._connection
        if api.key == _API_VERSIONS:
            self._serve_api_versions(api, header, request, len(frame))
            return
        assert isinstance(request, SaslHandshakeRequest)
        connection.begin(api, len(frame))
        enabled = self._security.mechanisms.enabled()
        if request.mechanism not in enabled:
            answer = SaslHandshakeResponse(error_code=ErrorCode.UNSUPPORTED_SASL_MECHANISM, mechanisms=enabled)
            self._fail(api, None, answer, SaslFailure(f"Unsupported SASL mechanism {request.mechanism}"))
            return
        if self._is_again and request.mechanism != self._mechanism:
            problem = f"SASL mechanism '{request.mechanism}' requested by client is not supported for re-authentication"
            self._fail(api, None, CLOSE_CONNECTION, SaslFailure(f"{problem} of mechanism '{self._mechanism}'"))
            return
        try:
            self._server = self._security.mechanisms.new_server(request.mechanism)
        except SaslFailure as failure:
            self._fail(api, None, CLOSE_CONNECTION, failure)
            return
        self._mechanism = request.mechanism
        self._has_bare_tokens = header.api_version == 0
        self._state = _State.AUTHENTICATE
        connection.settle(SaslHandshakeResponse(mechanisms=enabled))

    def _serve_api_versions(self, api: Api, header: RequestHeader, request: Request, size_bytes: int) -> None:
        connection = self._connection
        if self._state is not _State.START:
            connection.refuse("ApiVersions out of turn during SASL handshake")
            return
        connection.begin(api, size_bytes)
        answer = api.handle()(connection.context, request)
        if isinstance(answer, ApiVersionsResponse) and not answer.error_code:
            self._state = _State.HANDSHAKE
        connection.settle(answer)

    def _serve_authenticate(self, frame: bytearray) -> None:
        opened = self._opened(frame, "authentication")
        if opened is None:
            return
        api, _, request = opened
        assert isinstance(request, SaslAuthenticateRequest)
        self._connection.begin(api, len(frame))
        try:
            challenge = self._evaluate(bytes(request.auth_bytes))
        except SaslFailure as failure:
            self._fail(api, None, self._refusal(failure), failure)
            return
        lifetime_ms = self._complete() if self._is_done() else 0
        self._connection.settle(SaslAuthenticateResponse(auth_bytes=challenge, session_lifetime_ms=lifetime_ms))

    def _serve_bare_token(self, frame: bytearray) -> None:
        """Errors have no form here: the connection just closes."""
        api = BY_KEY[_AUTHENTICATE]
        self._connection.begin(api, len(frame))
        try:
            challenge = self._evaluate(bytes(frame))
        except SaslFailure as failure:
            self._fail(api, None, CLOSE_CONNECTION, failure)
            return
        if self._is_done():
            self._complete()
        self._connection.settle_bare(challenge)

    def _opened(self, frame: bytearray, phase: str) -> tuple[Api, RequestHeader, Request] | None:
        """API, header and request of a frame that may come in this state; None when the connection was closed."""
        connection = self._connection
        try:
            header = decode_request_header(frame)
        except WireError as error:
            connection.refuse(f"unreadable request header during SASL {phase}: {error}")
            return None
        expected = (_AUTHENTICATE,) if self._state is _State.AUTHENTICATE else (_HANDSHAKE, _API_VERSIONS)
        context = connection.context
        context.version, context.correlation_id = header.api_version, header.correlation_id
        context.client_id = header.client_id or ""
        if header.api_key not in expected:
            problem = f"Unexpected Kafka request of type {header.api_key} during SASL {phase}."
            api, outcome = self._out_of_turn(frame, header)
            self._fail(api, len(frame), outcome, SaslFailure(problem))
            return None
        api = BY_KEY[header.api_key]
        if not api.version_min <= header.api_version <= api.version_max:
            if api.key != _API_VERSIONS:
                connection.refuse(f"{api.name} version {header.api_version} is not served")
                return None
            # KIP-511: every client reads a body of version 0.
            context.version = 0
            return api, header, None
        try:
            request, _ = api.codec(header.api_version).decode(frame, header.body_position)
        except WireError as error:
            connection.refuse(f"malformed {api.name} v{header.api_version}: {error}")
            return None
        return api, header, request

    def _out_of_turn(self, frame: bytearray, header: RequestHeader) -> tuple[Api, Answer]:
        """The answer to a request that may not come yet: an error after the handshake, none before it."""
        api = self._connection.service.apis.get(header.api_key)
        # Produce has its own way of being answered late, which is not for strangers.
        if self._state is not _State.AUTHENTICATE or api is None or api.key == _PRODUCE:
            return BY_KEY[_AUTHENTICATE], CLOSE_CONNECTION
        try:
            request, _ = api.codec(header.api_version).decode(frame, header.body_position)
        except (WireError, KeyError):
            return api, CLOSE_CONNECTION
        return api, error_response(api, header.api_version, request, ErrorCode.ILLEGAL_SASL_STATE)

    # --- the conversation

    def _evaluate(self, token: bytes) -> bytes:
        server = self._server
        assert server is not None
        try:
            challenge = server.evaluate(token, self._connection.clock.now_ms())
        except SaslFailure:
            raise
        except Exception as error:
            # Strangers send these: what we did not think of is a login that failed, too.
            raise SaslFailure(f"unexpected {type(error).__name__}") from None
        if server.is_complete and self._is_again and self._principal != f"User:{server.authorization_id}":
            problem = f"Cannot change principals during re-authentication from {self._principal}"
            message = f"{problem}: User:{server.authorization_id}"
            raise SaslFailure(message, error_message=message, user=server.authorization_id)
        return challenge

    def _is_done(self) -> bool:
        return self._server is not None and self._server.is_complete

    def _complete(self) -> int:
        """The session's lifetime in ms, 0 for one without an end."""
        server, connection = self._server, self._connection
        assert server is not None
        self._server = None
        self._state = _State.COMPLETE
        self._principal = connection.context.principal = f"User:{server.authorization_id}"
        connection.context.is_token_authenticated = server.is_token_authenticated
        connection.incoming.limit(connection.node.limits.frame_size_bytes_max)
        counts = connection.node.metrics.authentications
        if self._is_again:
            counts.renewed += 1
            connection.forget_fast_paths()
        else:
            counts.succeeded += 1
        self._is_again = False
        return self._lifetime_ms(server.credential_expiry_ms)

    def _lifetime_ms(self, credential_expiry_ms: int | None) -> int:
        clock = self._connection.clock
        lifetime_ms_max = self._security.mechanisms.session_lifetime_ms_max(self._mechanism)
        ends = [lifetime_ms_max] if lifetime_ms_max > 0 else []
        if credential_expiry_ms is not None:
            ends.append(max(0, credential_expiry_ms - clock.now_ms()))
        self._ends_ms = clock.monotonic_ms() + min(ends) if ends else None
        return min(ends, default=0)

    # --- failing

    def _refusal(self, failure: SaslFailure) -> SaslAuthenticateResponse:
        phase = "re-authentication" if self._is_again else "authentication"
        generic = f"Authentication failed during {phase} due to invalid credentials with SASL mechanism"
        return SaslAuthenticateResponse(
            error_code=ErrorCode.SASL_AUTHENTICATION_FAILED,
            error_message=failure.error_message or f"{generic} {self._mechanism}",
        )

    def _fail(self, api: Api, begins_with_bytes: int | None, outcome: Answer, failure: SaslFailure) -> None:
        """Answer `outcome` and hang up, both later. `begins_with_bytes`: the request has not begun yet."""
        connection, security = self._connection, self._security
        self._state = _State.FAILED
        self._server = None
        if begins_with_bytes is not None:
            connection.begin(api, begins_with_bytes)
        security.failed(connection.context.client_host, self._mechanism or "-", failure.user, failure.reason)

        def over() -> None:
            deferred.resolve(outcome)
            connection.close()

        timer = connection.loop.call_later(security.failure_delay_ms / 1000, over)
        deferred: Later[Answer] = Later(on_abandon=timer.cancel)
        connection.settle(deferred)

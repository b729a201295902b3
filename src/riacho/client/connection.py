"""One blocking connection to a broker: a request goes out, its answer comes back.

On connect it asks for the broker's API versions (KIP-511: a broker that does not know our version of that request
answers in version 0 with the versions it does know), and from then on every request goes out in the newest version
that both sides have. Where the settings say so, TLS comes before all of it, and a SASL login before any other request.
"""

from __future__ import annotations

import socket
import struct
import time
from typing import Any

from riacho.base.errors import ErrorCode, KafkaError
from riacho.client.negotiation import negotiation, served_versions
from riacho.client.settings import ClientSettings
from riacho.wire.apis import APIS, response_class
from riacho.wire.codec import decoder, encoder
from riacho.wire.frame import AnswerReader
from riacho.wire.header import API_VERSIONS_KEY, decode_response_header, encode_request_header
from riacho.wire.messages.api_versions_response import ApiVersionsResponse
from riacho.wire.primitives import WireError
from riacho.wire.schema import Message

_SIZE = struct.Struct(">i")


class NoConnection(KafkaError):
    """Nobody took the connection."""

    def __init__(self, problem: str) -> None:
        super().__init__(ErrorCode.NETWORK_EXCEPTION, problem)


class NoHost(NoConnection):
    """There is no such name."""


class HungUp(KafkaError):
    """A broker took the connection and closed it at the first word: a secured listener does so to a client that speaks
    in the clear or does not log in. So does a broker that is just going down."""

    def __init__(self, address: str, guess: str) -> None:
        super().__init__(ErrorCode.NETWORK_EXCEPTION, f"{address} closed the connection without an answer: {guess}")


class Connection:
    def __init__(self, host: str, port: int, settings: ClientSettings | None = None) -> None:
        self.host = host
        self.port = port
        self.settings = settings or ClientSettings(((host, port),))
        self.versions: dict[int, tuple[int, int]] = {}
        self.api_versions = ApiVersionsResponse()
        self._correlation_id = 0
        self._session_ends_s: float | None = None
        # Something other than its versions, which a broker tells before a login.
        self._has_answered = False
        self._answers = AnswerReader(self.settings.frame_size_bytes_max)
        # Some bytes of the answer to the request that is under way.
        self._has_begun = False
        self._socket = self._open_socket()
        try:
            self._secure()
            self._negotiate()
            self._log_in()
        except BaseException:
            self.close()
            raise

    @property
    def address(self) -> str:
        return f"{self.host}:{self.port}"

    def _open_socket(self) -> socket.socket:
        try:
            opened = socket.create_connection((self.host, self.port), self.settings.connect_timeout_ms / 1000)
        except socket.gaierror:
            raise NoHost(f"{self.address}: no such host") from None
        except TimeoutError:
            raise NoConnection(f"{self.address}: no answer within {self.settings.connect_timeout_ms} ms") from None
        except OSError as error:
            raise NoConnection(f"{self.address}: {_reason(error)}") from None
        opened.settimeout(self.settings.request_timeout_ms / 1000)
        opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return opened

    def _secure(self) -> None:
        tls = self.settings.security.tls
        if tls is None:
            return
        try:
            self._socket = tls().wrap_socket(self._socket, server_hostname=self.host)
        except (OSError, ValueError) as error:
            # Not worth another try: the keys will be the same. SSLError is an OSError.
            problem = f"{self.address}: the TLS handshake failed: {tls_reason(error)}"
            guess = "; does that listener speak TLS?" if _is_no_tls(error) else ""
            raise KafkaError(ErrorCode.SASL_AUTHENTICATION_FAILED, problem + guess) from None

    def _log_in(self) -> None:
        """Also again, before the session is over (KIP-368)."""
        mechanism, sasl = self.settings.security.mechanism, self.settings.security.sasl
        if mechanism is None or sasl is None:
            return
        from riacho.client.sasl_login import HANDSHAKE_KEY, HANDSHAKE_VERSION, REAUTHENTICATION_SHARE, login

        steps = login(self.address, mechanism, sasl())
        request: Message = next(steps)
        self._session_ends_s = None
        try:
            while True:
                version = HANDSHAKE_VERSION if request.API_KEY == HANDSHAKE_KEY else None
                request = steps.send(self.send(request, version))
        except StopIteration as done:
            if done.value:
                self._session_ends_s = time.monotonic() + done.value / 1000 * REAUTHENTICATION_SHARE

    def close(self) -> None:
        self._socket.close()

    def send(self, request: Message, version: int | None = None) -> Any:
        """The answer to `request`, in the newest version that both sides have unless `version` says another."""
        key = request.API_KEY
        assert key is not None, f"{request.NAME} is no request"
        if self._session_ends_s is not None and time.monotonic() >= self._session_ends_s:
            self._log_in()
        chosen = self.version_for(key) if version is None else version
        answer, position = self._exchange(key, chosen, request)
        return self._decode(response_class(key), chosen, answer, position)

    def version_for(self, key: int) -> int:
        api = APIS[key]
        theirs = self.versions.get(key)
        if theirs is None or theirs[0] > api.max_version or theirs[1] < api.min_version:
            raise KafkaError(ErrorCode.UNSUPPORTED_VERSION, f"The broker at {self.address} does not serve {api.name}.")
        return min(theirs[1], api.max_version)

    def _negotiate(self) -> None:
        steps = negotiation(self.address)
        version, request = next(steps)
        try:
            while True:
                version, request = steps.send(self._exchange(API_VERSIONS_KEY, version, request))
        except StopIteration as done:
            self.api_versions = done.value
        except WireError as error:
            raise self._unreadable(ApiVersionsResponse, error) from None
        self.versions = served_versions(self.api_versions)

    def _exchange(self, key: int, version: int, request: Message) -> tuple[bytearray, int]:
        self._correlation_id = (self._correlation_id + 1) & 0x7FFFFFFF
        out = bytearray(4)
        try:
            encode_request_header(key, version, self._correlation_id, self.settings.client_id, out)
            encoder(type(request), version)(request, out, None)
        except WireError as error:
            raise KafkaError(ErrorCode.INVALID_REQUEST, f"This cannot be asked of {self.address}: {error}") from None
        _SIZE.pack_into(out, 0, len(out) - 4)
        self._has_begun = False
        try:
            self._socket.sendall(out)
            answer = self._read_frame()
        except TimeoutError:
            raise KafkaError(
                ErrorCode.REQUEST_TIMED_OUT,
                f"{self.address} did not answer {APIS[key].name} within {self.settings.request_timeout_ms} ms",
            ) from None
        except OSError as error:
            if isinstance(error, ConnectionError) and (guess := self._guess()) is not None:
                raise HungUp(self.address, guess) from None
            raise KafkaError(ErrorCode.NETWORK_EXCEPTION, f"{self.address}: {_reason(error)}") from None
        self._has_answered = bool(self.versions)
        try:
            correlation_id, position = decode_response_header(key, version, answer)
        except WireError:
            raise self._not_kafka() from None
        if correlation_id != self._correlation_id:
            raise self._not_kafka()
        return answer, position

    def _guess(self) -> str | None:
        """Why a first request was answered by silence; None where that is no question of security."""
        security = self.settings.security
        if self._has_begun:
            return None
        if not self.versions and security.tls is None:
            return "does that listener speak TLS (security.protocol=SSL or SASL_SSL)?"
        if self.versions and not self._has_answered and security.mechanism is None:
            return "does that listener want a login (security.protocol=SASL_PLAINTEXT or SASL_SSL)?"
        return None

    def _read_frame(self) -> bytearray:
        frames: list[bytearray] = []
        while not frames:
            count = self._socket.recv_into(self._answers.buffer())
            if count == 0:
                raise ConnectionResetError(None, "the connection was closed before the answer came")
            self._has_begun = True
            try:
                frames = self._answers.filled(count)
            except WireError:
                raise self._not_kafka() from None
        # One request is in flight: more than its answer answers nothing.
        if len(frames) > 1:
            raise self._not_kafka()
        return frames[0]

    def _decode(self, kind: type[Message], version: int, answer: bytearray, position: int) -> Any:
        try:
            message, _ = decoder(kind, version)(answer, position)
        except WireError as error:
            raise self._unreadable(kind, error) from None
        return message

    def _unreadable(self, kind: type[Message], error: WireError) -> KafkaError:
        problem = f"{self.address} sent a {kind.NAME} that cannot be read: {error}"
        return KafkaError(ErrorCode.CORRUPT_MESSAGE, problem)

    def _not_kafka(self) -> KafkaError:
        return KafkaError(ErrorCode.INVALID_REQUEST, f"{self.address} does not speak the Kafka protocol")


def tls_reason(error: Exception) -> str:
    """What the TLS library says, without its file names and numbers."""
    verify = getattr(error, "verify_message", "")
    return verify or (getattr(error, "reason", None) or str(error)).lower().replace("_", " ")


def _is_no_tls(error: Exception) -> bool:
    """It hung up at the first word, or answered in something else: so does a listener in the clear."""
    import ssl

    is_other = getattr(error, "reason", None) in ("WRONG_VERSION_NUMBER", "RECORD_LAYER_FAILURE")
    return is_other or isinstance(error, ssl.SSLEOFError | ConnectionError)


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()

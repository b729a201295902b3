"""Accepts clients of a TLS listener: until the handshake is done there is no connection to serve.

Each newcomer takes the listener's current context, so renewed keys count from the next client on. Handshakes under way
count against the limits on connections, and have a deadline. One that fails is logged, with the client's
address; a client that hangs up before it has shown anything is not, for that is what looking at a port is.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING

from riacho.broker.requests.addresses import unmapped
from riacho.broker.serving.connection import Connection
from riacho.log.descriptors import is_for_files

if TYPE_CHECKING:
    from riacho.broker.serving.listener import Listener
    from riacho.broker.serving.service import Service

_HANDSHAKE_TIMEOUT_S = 30.0
# Too many open files, say: the clients wait in the backlog.
_PAUSE_S = 0.1


class TlsAcceptor:
    def __init__(self, listener: Listener, listening: socket.socket, service: Service) -> None:
        self._listener = listener
        self._service = service
        self._listening = listening
        # With the client's address.
        self._handshakes: dict[asyncio.Task[None], str] = {}
        self._per_ip: Counter[str] = Counter()
        self._accepting = listener.node.loop.create_task(self._accept())

    def close(self) -> None:
        """Accept no more, and let nobody in whose handshake is not done."""
        self._accepting.cancel()
        for handshake in tuple(self._handshakes):
            handshake.cancel()
        self._listening.close()

    async def _accept(self) -> None:
        loop = self._listener.node.loop
        while True:
            try:
                accepted, address = await loop.sock_accept(self._listening)
            except OSError as error:
                self._listener.node.logs.error.error(
                    "cannot accept listener=%s reason=%s", self._listener.name, error.strerror
                )
                await asyncio.sleep(_PAUSE_S)
                continue
            self._begin(accepted, unmapped(str(address[0])))

    def _begin(self, accepted: socket.socket, host: str) -> None:
        listener = self._listener
        node, quotas = listener.node, listener.quotas
        is_full = quotas.connection_count() + len(self._handshakes) >= quotas.count_max
        if is_for_files(accepted.fileno()):
            node.metrics.rejected_connections += 1
            node.logs.refused(host, listener.name, "too many open files")
            accepted.close()
            return
        if is_full or not quotas.has_place_for(host, self._per_ip[host]):
            node.metrics.rejected_connections += 1
            node.logs.refused(host, listener.name, "too many connections")
            accepted.close()
            return
        handshake = node.loop.create_task(self._shake_hands(accepted, host))
        self._handshakes[handshake] = host
        self._per_ip[host] += 1
        handshake.add_done_callback(self._ended)

    def _ended(self, handshake: asyncio.Task[None]) -> None:
        host = self._handshakes.pop(handshake)
        self._per_ip[host] -= 1
        if not self._per_ip[host]:
            del self._per_ip[host]

    async def _shake_hands(self, accepted: socket.socket, host: str) -> None:
        listener = self._listener
        tls = listener.security.tls
        assert tls is not None
        # The loop closes its socket when a handshake fails, with the alert still unsent; this one says why.
        spare = accepted.dup()
        try:
            await listener.node.loop.connect_accepted_socket(
                lambda: Connection(listener, self._service),
                accepted,
                ssl=tls.current,
                ssl_handshake_timeout=_HANDSHAKE_TIMEOUT_S,
            )
        except ssl.SSLError as error:
            listener.security.failed(host, "TLS", None, _reason(error))
            with suppress(OSError):
                spare.send(getattr(error, "alert", b""))
            await asyncio.sleep(listener.security.failure_delay_ms / 1000)
        except OSError:
            # Hung up, or too slow.
            accepted.close()
        finally:
            spare.close()


def _reason(error: ssl.SSLError) -> str:
    verify = getattr(error, "verify_message", "")
    return "TLS handshake failed: " + (verify or (error.reason or str(error)).lower().replace("_", " "))

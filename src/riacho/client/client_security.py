"""What a connection is to speak besides Kafka's protocol: TLS, SASL, both, or nothing.

Contexts and conversations are made when a connection needs them, so changed keys and passwords count from the next
connection on. `client/security.py` makes these from settings.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import ssl

    from riacho.security.sasl import SaslClient


class ClientSecurity(NamedTuple):
    """None where TLS or SASL is not spoken."""

    tls: Callable[[], ssl.SSLContext] | None = None
    mechanism: str | None = None
    sasl: Callable[[], SaslClient] | None = None

    def __repr__(self) -> str:
        return f"ClientSecurity(tls={self.tls is not None}, mechanism={self.mechanism})"

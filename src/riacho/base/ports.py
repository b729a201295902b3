"""The doors through which the world enters. Real in production, seeded in a simulation; cores see only these shapes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol


class Clock(Protocol):
    def now_ms(self) -> int:
        """Wall-clock time, as it goes into records."""
        ...

    def monotonic_ms(self) -> int:
        """Time that never goes back, for deadlines."""
        ...


class Rng(Protocol):
    def token(self, size_bytes: int) -> bytes:
        """Unpredictable bytes, for uuids and member ids."""
        ...


class Network(Protocol):
    """Streams to and from other nodes, in asyncio's shapes; they are named here as Any, for cores know no event loop.

    Whoever uses it must live with a transport that has no socket behind it: `get_extra_info("socket")` may give None.
    """

    def bind(
        self, host: str, port: int, *, send_buffer_size_bytes: int = -1, receive_buffer_size_bytes: int = -1
    ) -> Any:
        """Take a port (0: some free one) and let clients queue there. The answer has `.port` and `.close()`.

        The sizes are those of every connection that comes in; -1 leaves them to the system. OSError: it is taken.
        """
        ...

    async def serve(self, bound: Any, protocol_factory: Callable[[], Any]) -> Any:
        """Accept who comes to a bound port, one protocol for each. The answer's `.close()` stops accepting."""
        ...

    async def connect(self, host: str, port: int, protocol_factory: Callable[[], Any], *, tls: Any = None) -> Any:
        """(transport, protocol), over TLS where a context for it is given.

        ConnectionRefusedError: a host that is up says that nobody listens there. OSError.
        """
        ...

"""Bytes of request bodies that are in memory at a time, of all calls together.

Each body has its own limit, and calls are limited in number; but a thousand bodies of ten megabytes are still more than
a machine has. Whoever would go beyond the bound is answered 503 with Retry-After, and what it had sent is forgotten.
"""

from __future__ import annotations

from riacho.web.errors import ApiError


class BodyBudget:
    def __init__(self, bytes_max: int) -> None:
        self._bytes_max = bytes_max
        self.bytes_held = 0

    def change(self, difference_bytes: int) -> None:
        """A body grew, or was forgotten. ApiError 503 when there is no room for more."""
        if difference_bytes > 0 and self.bytes_held + difference_bytes > self._bytes_max:
            message = "Too many request bodies are under way; try again later."
            raise ApiError(503, 503, message, headers={"Retry-After": "1", "Connection": "close"})
        self.bytes_held += difference_bytes

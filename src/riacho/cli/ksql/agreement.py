"""Whether what is typed at the prompt is to run: `riacho shell`, which opens it, asks about what destroys."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar

# Given what was typed, variables filled in, and the server's address.
Agrees = Callable[[str, str], bool]

agrees: ContextVar[Agrees] = ContextVar("agrees", default=lambda text, server: True)

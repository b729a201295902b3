"""Addresses that other services tell, and that pages make links of: http and https alone.

A link may be `javascript:` as well, and whoever answers for a service would have it run with the rights of the console.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

_LENGTH_MAX = 2_000


def link_address(value: Any) -> str | None:
    """None where it is no address of http, or has a login in it, which would be shown."""
    if not isinstance(value, str) or len(value) > _LENGTH_MAX or not value.isprintable() or " " in value:
        return None
    try:
        parts = urlsplit(value)
        host = parts.hostname
    except ValueError:
        return None
    is_link = parts.scheme in ("http", "https") and bool(host) and "@" not in parts.netloc and "\\" not in value
    return value if is_link else None

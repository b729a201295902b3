"""Addresses that pages show. Of those that other services tell, and that pages make links of, http and https alone:
a link may be `javascript:` as well, and whoever answers for a service would have it run with the rights of the console.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit, urlunsplit

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


def told_address(urls: Sequence[str]) -> str | None:
    """Of a service in the settings, the first address without login, query and fragment: each may have a secret in it.
    None where it cannot be told for sure where the login ends."""
    if not urls:
        return None
    try:
        parts = urlsplit(urls[0])
        _ = parts.port
    except ValueError:
        return None
    # A password with / ? or # that nobody escaped ends in what looks like a path.
    if not parts.hostname or any("@" in each for each in (parts.path, parts.query, parts.fragment)):
        return None
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", "")).rstrip("/")

"""Against pages of other sites that have a browser call us: a token that only our own pages can read.

`GET /api/v1/me` tells it, a changing call brings it back in a header, which a page of another site can neither read nor
send. Programs that log in with every call (BASIC) need none: no browser sends that by itself for them.
"""

from __future__ import annotations

import hmac

from riacho.web.errors import ApiError

HEADER = b"x-riacho-csrf"
# The page asks `/me` for the token anew and calls again.
CSRF_ERROR = 40301


def check_csrf(given: bytes, token: str) -> None:
    """ApiError 403."""
    if not hmac.compare_digest(given, token.encode()):
        raise ApiError(
            403, CSRF_ERROR, "The header X-Riacho-Csrf is missing or old: GET /api/v1/me tells the one to send."
        )

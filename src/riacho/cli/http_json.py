"""One call to an HTTP service of ours, JSON in and out; what goes wrong is one sentence."""

from __future__ import annotations

import http.client
import json
import urllib.error
import urllib.request
from collections.abc import Mapping
from typing import Any

JSON_TYPE = "application/json"
_TIMEOUT_S = 30.0


class HttpFailure(Exception):
    """The service said no (`status`), or could not be asked (`status` is None)."""

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status


def call(
    method: str,
    url: str,
    body: object = None,
    *,
    headers: Mapping[str, str] | None = None,
    timeout_s: float = _TIMEOUT_S,
) -> Any:
    """The answer's JSON, None where it is empty."""
    data = None if body is None else json.dumps(body).encode()
    sent = {"Accept": JSON_TYPE, **({"Content-Type": JSON_TYPE} if data is not None else {}), **(headers or {})}
    request = urllib.request.Request(url, data, sent, method=method)
    try:
        with urllib.request.urlopen(request, timeout=timeout_s) as response:
            answer = response.read()
    except urllib.error.HTTPError as error:
        raise HttpFailure(_message(error), error.code) from None
    except (OSError, http.client.HTTPException) as error:
        reason = getattr(error, "reason", None) or error
        raise HttpFailure(f"{url} does not answer: {reason}") from None
    return json.loads(answer) if answer else None


def _message(error: urllib.error.HTTPError) -> str:
    try:
        return str(json.loads(error.read())["message"])
    except (ValueError, KeyError, TypeError, OSError):
        return f"{error.url} answered {error.code} {error.reason}"

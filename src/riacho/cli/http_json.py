"""One call to an HTTP service of ours, JSON in and out; what goes wrong is one sentence."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from riacho.client.http_client import HttpAnswer, HttpClient
from riacho.client.http_target import HttpError, without_user

JSON_TYPE = "application/json"
_TIMEOUT_S = 30.0
_REDIRECTS_MAX = 10


class HttpFailure(Exception):
    """The service said no, or what is no JSON (`status`), or could not be asked (`status` is None)."""

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.message = message
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
    client = HttpClient(redirects_max=_REDIRECTS_MAX, takes_proxy=True)
    try:
        answer = client.request(method, url, headers=sent, body=data, timeout_s=timeout_s)
    except HttpError as error:
        raise HttpFailure(f"{without_user(url)} does not answer: {error.reason}") from None
    finally:
        client.close()
    if not answer.is_good:
        raise HttpFailure(_message(url, answer), answer.status)
    try:
        return json.loads(answer.body) if answer.body else None
    except ValueError:
        raise HttpFailure(f"{without_user(url)} answered what is no JSON", answer.status) from None


def _message(url: str, answer: HttpAnswer) -> str:
    try:
        return str(json.loads(answer.body)["message"])
    except (ValueError, KeyError, TypeError):
        return f"{without_user(url)} answered {answer.status} {answer.phrase}"

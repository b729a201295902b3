"""Plain HTTP calls to the services, for what no client library has."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from typing import Any

from support.service_process import ServiceProcess

TIMEOUT_S = 60.0


def call(
    service: ServiceProcess, method: str, path: str, body: Any = None, *, content: str = "", accept: str = "*/*"
) -> tuple[int, bytes]:
    """Status and body, whatever the status is."""
    headers = {"Accept": accept} | ({"Content-Type": content} if body is not None else {})
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(service.url + path, data=data, headers=headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT_S) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read()


def ask(
    service: ServiceProcess, method: str, path: str, body: Any = None, *, content: str = "", accept: str = "*/*"
) -> Any:
    """The JSON of an answer that must be good; None where it has no body."""
    status, text = call(service, method, path, body, content=content, accept=accept)
    assert 200 <= status < 300, f"{method} {path}: {status} {text[:500]!r}"
    return json.loads(text) if text else None

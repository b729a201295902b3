"""Requests for a consumer instance that another proxy owns.

An instance lives in one proxy. Behind a load balancer a request may reach another one, which then asks its peers
(`riacho.peers`) in turn: it sends them the request itself, marked so that nobody sends it on. A peer that does not own
the instance answers 40403 and has done nothing; any other answer is the owner's and goes back as it came. Who owned an
instance is remembered, so the next request goes straight there. Why not a topic or the group's members: docs/adr/0011.
"""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Sequence
from time import monotonic
from urllib.parse import urlsplit

import msgspec
from starlette.responses import Response

from riacho.base.lru_cache import LruCache
from riacho.client.http_client import HttpAnswer
from riacho.client.http_target import HttpError
from riacho.rest_proxy.links import path
from riacho.web.answers import raw_json
from riacho.web.call import Call
from riacho.web.errors import ApiError
from riacho.web.upstream import Upstream

logger = logging.getLogger(__name__)

HOP = "x-riacho-forwarded"
_PASSED_ON = ("accept", "authorization", "content-type", "host", "forwarded")
_OWNERS_MAX = 10_000
_ADDRESSES_FOR_S = 5.0
_TIMEOUT_S = 60.0
# For records at the owner: less than the above, by more than it takes to join a group.
FORWARDED_WAIT_MS_MAX = 45_000
_PROBE_TIMEOUT_S = 3.0


class _Refusal(msgspec.Struct):
    error_code: int = 0


class Peers:
    """`upstream` is theirs alone: calls that wait for records would keep others waiting for a thread."""

    def __init__(self, urls: Sequence[str], upstream: Upstream) -> None:
        self._urls = tuple(url.rstrip("/") for url in urls if url)
        self._upstream = upstream
        self._owners: LruCache[tuple[str, str], str] = LruCache(_OWNERS_MAX)
        self._addresses: tuple[float, list[str]] = (0.0, [])

    def may_ask(self, call: Call) -> bool:
        """Not when the call comes from a peer: that one asks the others."""
        return bool(self._urls) and HOP not in call.headers

    async def forward(self, call: Call, group: str, instance: str) -> Response | None:
        """The owner's answer; None when nobody owns it. ApiError 50302 when a peer that may do is there but silent."""
        key = (group, instance)
        headers = _headers(call)
        target = call.scope.get("raw_path", call.url.path.encode()).decode("latin-1").partition("?")[0]
        if call.url.query:
            target += f"?{call.url.query}"
        body = await call.body()
        silent: str | None = None
        for url in await self._candidates(key):
            try:
                answer = await self._upstream.request(
                    call.method, url + target, headers=headers, body=body or None, timeout_s=_TIMEOUT_S
                )
            except HttpError as error:
                logger.warning("a peer gave no answer url=%s reason=%s", url, error.message)
                silent = url if error.was_sent else silent
                continue
            if not _is_not_mine(answer):
                self._owners.put(key, url)
                return _passed_back(answer)
        self._owners.pop(key)
        if silent is not None:
            raise ApiError(503, 50302, "The proxy that may own this consumer instance does not answer.")
        return None

    async def own(self, group: str, instance: str, authorization: str | None) -> bool:
        """Whether one of them has an instance of this name; those that do not answer are not counted."""
        headers = {HOP: "1", "accept": "*/*"}
        if authorization is not None:
            headers["authorization"] = authorization
        target = path("consumers", group, "instances", instance, "subscription")

        async def has(url: str) -> bool:
            try:
                answer = await self._upstream.request("GET", url + target, headers=headers, timeout_s=_PROBE_TIMEOUT_S)
            except HttpError:
                return False
            return answer.status == 200

        return any(await asyncio.gather(*map(has, await self._candidates((group, instance)))))

    def close(self) -> None:
        self._upstream.close()

    # Inside

    async def _candidates(self, key: tuple[str, str]) -> list[str]:
        owner = self._owners.get(key)
        others = [url for url in await self._resolved() if url != owner]
        return others if owner is None else [owner, *others]

    async def _resolved(self) -> list[str]:
        """One URL an address: a service's name stands for all of its proxies. Names of TLS peers are kept, for their
        certificates."""
        until, known = self._addresses
        if monotonic() < until:
            return known
        found: list[str] = []
        for url in self._urls:
            parts = urlsplit(url)
            if parts.scheme == "https":
                found.append(url)
                continue
            try:
                infos = await asyncio.get_running_loop().getaddrinfo(
                    parts.hostname or "", parts.port or 80, type=socket.SOCK_STREAM
                )
            except OSError as error:
                logger.warning("a peer's name is not known host=%s reason=%s", parts.hostname, error)
                continue
            for family, _, _, _, address in infos:
                host, port = str(address[0]), int(address[1])
                host = f"[{host}]" if family == socket.AF_INET6 else host
                user = f"{parts.username}:{parts.password or ''}@" if parts.username else ""
                found.append(f"http://{user}{host}:{port}{parts.path}")
        known = list(dict.fromkeys(found))
        self._addresses = (monotonic() + _ADDRESSES_FOR_S, known)
        return known


def _headers(call: Call) -> dict[str, str]:
    headers = {
        name: value for name, value in call.headers.items() if name in _PASSED_ON or name.startswith("x-forwarded-")
    }
    return {**headers, HOP: "1"}


def _is_not_mine(answer: HttpAnswer) -> bool:
    if answer.status != 404:
        return False
    try:
        return msgspec.json.decode(answer.body, type=_Refusal).error_code == 40403
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return False


def _passed_back(answer: HttpAnswer) -> Response:
    headers = {name: answer.headers[name] for name in ("retry-after",) if name in answer.headers}
    return raw_json(answer.body, answer.status, answer.headers.get("content-type"), headers)

"""A service beside the brokers, asked by HTTP: a schema registry, Connect workers, KSQL servers.

Where it is stands in the console's settings; of what a browser sends only names get into a path, each escaped. There
is a bound for the calls under way, the time that each takes and the size of an answer. Whatever goes wrong is one
sentence that says which service it is about.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote, urlencode

import msgspec

from riacho.client.http_client import HttpAnswer
from riacho.client.http_target import HttpError
from riacho.web.errors import ApiError
from riacho.web.upstream import Upstream

CALLS_MAX = 64
ANSWER_BYTES_MAX = 32 << 20
NAME_CHARACTERS_MAX = 1_000
_THREADS_MAX = 8
_CONNECT_TIMEOUT_S = 5.0
_REASON_CHARACTERS_MAX = 4_000

Query = Mapping[str, str | Sequence[str]]


class HttpService:
    """`name` is how sentences call it. `urls`: the same service by several addresses; the one that answered last is
    asked first."""

    def __init__(
        self, name: str, urls: Sequence[str], *, timeout_s: float, media_type: str = "application/json"
    ) -> None:
        self.name = name
        self.urls = tuple(urls)
        self._timeout_s = timeout_s
        self._headers = {"Accept": f"{media_type}, application/json", "Content-Type": media_type}
        self._upstream = Upstream(
            threads_max=_THREADS_MAX, answer_bytes_max=ANSWER_BYTES_MAX, connect_timeout_s=_CONNECT_TIMEOUT_S
        )
        self._first = 0
        self._calls = 0

    def close(self) -> None:
        self._upstream.close()

    async def get(self, *names: str | int, query: Query | None = None) -> Any:
        return await self.ask("GET", *names, query=query)

    async def ask(
        self,
        method: str,
        *names: str | int,
        query: Query | None = None,
        body: Any = None,
        timeout_s: float | None = None,
    ) -> Any:
        """The JSON of a good answer, None where it has no body. ApiError otherwise."""
        path = path_of(*names) + (f"?{urlencode(query, doseq=True)}" if query else "")
        content = None if body is None else msgspec.json.encode(body)
        answer = await self._answered(method, path, content, self._timeout_s if timeout_s is None else timeout_s)
        found = self._json(answer)
        if answer.is_good:
            return found
        raise self.refusal(answer.status, answer.phrase, found)

    async def _answered(self, method: str, path: str, body: bytes | None, timeout_s: float) -> HttpAnswer:
        self.check_is_there()
        if self._calls >= CALLS_MAX:
            message = f"Too many questions to {self.name} are under way; try again later."
            raise ApiError(503, 50301, message, headers={"Retry-After": "1"})
        self._calls += 1
        try:
            return await self._first_answer(method, path, body, timeout_s)
        finally:
            self._calls -= 1

    async def _first_answer(self, method: str, path: str, body: bytes | None, timeout_s: float) -> HttpAnswer:
        failure: HttpError | None = None
        for at in self.order():
            try:
                answer = await self._upstream.request(
                    method, self.urls[at] + path, headers=self._headers, body=body, timeout_s=timeout_s
                )
            except HttpError as error:
                failure = error
                # What may have been done is not asked for again elsewhere.
                if error.was_sent and method != "GET":
                    break
                continue
            self.answered_by(at)
            return answer
        assert failure is not None
        raise self.unreachable(failure)

    def order(self) -> list[int]:
        """Of `urls`, the one that answered last before the others."""
        count = len(self.urls)
        return [(self._first + step) % count for step in range(count)]

    def answered_by(self, at: int) -> None:
        self._first = at

    # What goes wrong

    def check_is_there(self) -> None:
        if not self.urls:
            name = self.name.removeprefix("the ")
            raise ApiError(404, 40410, f"This cluster has no {name} in the console's settings.")

    def unreachable(self, error: HttpError) -> ApiError:
        return ApiError(503, 50310, f"{self._subject} cannot be asked: {error.message}")

    def garbled(self, what: str = "what is no JSON") -> ApiError:
        return ApiError(502, 50210, f"{self._subject} answered {what}.")

    def refusal(self, status: int, phrase: str, found: Any) -> ApiError:
        """Of an answer that is no good one; the service's own sentence where it gave one."""
        told = found.get("message") if isinstance(found, dict) else None
        code = found.get("error_code") if isinstance(found, dict) else None
        if isinstance(told, str) and told.strip():
            reason = told.strip()[:_REASON_CHARACTERS_MAX]
        else:
            reason = f"{self._subject} answered {status} {phrase}."
        if status == 401:
            # It is the console that it does not know, not who is at it.
            return ApiError(502, 50211, f"{self._subject} does not take the console's login: {reason}")
        if not 400 <= status < 500:
            return ApiError(502, 50212, f"{self._subject} failed: {reason}")
        return ApiError(status, code if isinstance(code, int) and code >= 400 else status, reason)

    @property
    def _subject(self) -> str:
        return self.name[0].upper() + self.name[1:]

    def _json(self, answer: HttpAnswer) -> Any:
        if not answer.body.strip():
            return None
        try:
            return msgspec.json.decode(answer.body)
        except (msgspec.MsgspecError, ValueError, RecursionError):
            if answer.is_good:
                raise self.garbled() from None
            return None

    def shaped(self, found: Any, kind: Any) -> Any:
        """`found` as `kind`; ApiError 502 where it is something else."""
        try:
            return msgspec.convert(found, kind, strict=False)
        except (msgspec.ValidationError, RecursionError):
            raise self.garbled("what cannot be understood") from None


def path_of(*names: str | int) -> str:
    """Each name is one segment, whatever is in it. ApiError 400 for what no path can say."""
    for name in names:
        if name in ("", ".", "..") or len(str(name)) > NAME_CHARACTERS_MAX:
            message = f"That is no name: it is empty, dots alone, or above {NAME_CHARACTERS_MAX} characters."
            raise ApiError(400, 40010, message)
    try:
        return "".join(f"/{quote(str(name), safe='')}" for name in names)
    except UnicodeEncodeError:
        raise ApiError(400, 40010, "That is no name: it is not Unicode text.") from None

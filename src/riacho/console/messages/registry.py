"""A cluster's schema registry as decoding asks it: blocking, from worker threads, and never for long.

What is asked and remembered is in `schemas/registry_conversations.py`, bounded. A registry that does not answer is left
alone for a moment, and a schema that it does not know is not asked for again at once: a topic of a million records
with a broken id would ask a million times.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import msgspec

from riacho.base.lru_cache import LruCache
from riacho.client.http_client import HttpClient
from riacho.client.http_target import HttpError
from riacho.console.messages.decode import SchemaUnknown
from riacho.schemas.parsed import Codec, SchemaError
from riacho.schemas.registry_conversations import (
    MEDIA_TYPE,
    Conversation,
    RegisteredSchema,
    RegistryCall,
    RegistryConversations,
)

_TIMEOUT_S = 5.0
_LATEST_KEPT_MS = 1_000
_LEFT_ALONE_S = 5.0
_UNKNOWN_KEPT_S = 30.0
_UNKNOWN_MAX = 1_000
# Bytes that only look like the wire format name schemas that nobody has, another one each.
_UNKNOWN_A_SECOND_MAX = 50
_BODY_BYTES_MAX = 16 << 20
_REASON_LENGTH_MAX = 300
_HEADERS = {"Accept": MEDIA_TYPE, "Content-Type": MEDIA_TYPE}

T = TypeVar("T")


class Registry:
    """`urls`: the same registry by several addresses, asked in order."""

    def __init__(self, urls: Sequence[str], clock: Callable[[], float] = time.monotonic) -> None:
        self._urls = tuple(urls)
        self._clock = clock
        self._http = HttpClient(answer_bytes_max=_BODY_BYTES_MAX)
        self._lock = threading.Lock()
        self._conversations = RegistryConversations(_LATEST_KEPT_MS)
        self._codecs: LruCache[int, tuple[str, Codec]] = LruCache(_UNKNOWN_MAX)
        self._unknown: LruCache[int | str, tuple[str, float]] = LruCache(_UNKNOWN_MAX)
        self._away: tuple[str, float] = ("", 0.0)
        # The second, and what was not known in it.
        self._refused: tuple[int, int] = (0, 0)

    def by_id(self, schema_id: int) -> tuple[str, Codec]:
        with self._lock:
            known = self._codecs.get(schema_id)
        if known is not None:
            return known
        self._check(schema_id)
        try:
            parsed = self._lead(self._conversations.by_id(schema_id))
            made = (parsed.schema_type, parsed.codec())
        except _Refused as error:
            raise self._remembered(schema_id, f"The registry does not give schema {schema_id}: {error}") from None
        with self._lock:
            return self._codecs.put(schema_id, made)

    def id_of(self, guid: str) -> int:
        self._check(guid)
        try:
            found = self._lead(self._conversations.id_of(guid))
        except _Refused as error:
            raise self._remembered(guid, f"The registry does not give schema {guid}: {error}") from None
        if found is None:
            raise self._remembered(guid, f"The registry knows schema {guid} in other contexts only.")
        return found

    def latest(self, subject: str) -> RegisteredSchema:
        """SchemaUnknown."""
        try:
            return self._lead(self._conversations.latest(subject, int(self._clock() * 1000)))
        except _Refused as error:
            raise SchemaUnknown(f"The registry does not give the latest schema of {subject}: {error}") from None

    def close(self) -> None:
        self._http.close()

    # --- what is known not to be known

    def _check(self, name: int | str) -> None:
        with self._lock:
            told = self._unknown.get(name)
        now = self._clock()
        if told is not None and told[1] > now:
            raise SchemaUnknown(told[0])
        if self._refused[0] == int(now) and self._refused[1] >= _UNKNOWN_A_SECOND_MAX:
            raise SchemaUnknown("Too many schemas that the registry does not know were asked for in this second.")
        reason, until = self._away
        if until > now:
            raise SchemaUnknown(reason)

    def _remembered(self, name: int | str, reason: str) -> SchemaUnknown:
        now = self._clock()
        with self._lock:
            self._unknown.put(name, (reason, now + _UNKNOWN_KEPT_S))
            self._refused = (int(now), self._refused[1] + 1 if self._refused[0] == int(now) else 1)
        return SchemaUnknown(reason)

    # --- asking

    def _lead(self, conversation: Conversation[T]) -> T:
        """SchemaUnknown where the registry is away, _Refused where it does not have it."""
        answer: Any = None
        while True:
            try:
                with self._lock:
                    call = conversation.send(answer)
            except StopIteration as end:
                found: T = end.value
                return found
            except (SchemaError, AttributeError, KeyError, TypeError, ValueError, RecursionError) as error:
                raise _Refused(f"it is no schema that can be used ({_shortened(str(error))}).") from None
            answer = self._ask(call)

    def _ask(self, call: RegistryCall) -> Any:
        failure = ""
        for url in self._urls:
            try:
                answer = self._http.request(
                    call.method, url + call.path, headers=_HEADERS, body=call.body, timeout_s=_TIMEOUT_S
                )
            except HttpError as error:
                failure = f"The schema registry cannot be asked: {error.message}"
                continue
            try:
                content = msgspec.json.decode(answer.body)
            except (msgspec.MsgspecError, ValueError, RecursionError):
                content = None
            if answer.is_good and content is not None:
                return content
            told = content.get("message") if isinstance(content, dict) else None
            reason = _shortened(str(told or f"it answered {answer.status} {answer.phrase}"))
            if answer.status < 500 and answer.status not in (401, 403, 429):
                raise _Refused(reason)
            failure = f"The schema registry cannot be asked: {reason}"
        self._away = (failure, self._clock() + _LEFT_ALONE_S)
        raise SchemaUnknown(failure)


class _Refused(Exception):
    """The registry answers, and does not have it."""


def _shortened(text: str) -> str:
    line = " ".join(text.split()).rstrip(".")
    return (line if len(line) <= _REASON_LENGTH_MAX else line[: _REASON_LENGTH_MAX - 3] + "...") + "."

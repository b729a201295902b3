"""The schema registry as the proxy uses it: schemas by id, by version, latest, and registration of new ones.

What is asked and remembered is in `schemas/registry_conversations.py`. Whatever the registry refuses is answered as
42207, and that it cannot be reached as 40801.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, TypeVar

from riacho.client.http_client import HttpAnswer
from riacho.client.http_target import HttpError
from riacho.rest_proxy.embedded.json_text import parse_json
from riacho.schemas.parsed import Codec, ParsedSchema, SchemaError
from riacho.schemas.registry_conversations import (
    MEDIA_TYPE,
    NOT_KNOWN,
    Conversation,
    RegisteredSchema,
    RegistryCall,
    RegistryConversations,
)
from riacho.web.errors import ApiError
from riacho.web.upstream import Upstream

_LATEST_KEPT_MS = 1_000

T = TypeVar("T")


class Registry:
    """`authorization` is the header's value where the registry asks who calls."""

    def __init__(
        self, upstream: Upstream, urls: Sequence[str], *, timeout_s: float = 30.0, authorization: str | None = None
    ) -> None:
        self._upstream = upstream
        self._urls = [url.rstrip("/") for url in urls]
        self._timeout_s = timeout_s
        self._headers = {"Accept": MEDIA_TYPE, "Content-Type": MEDIA_TYPE}
        if authorization is not None:
            self._headers["Authorization"] = authorization
        self._conversations = RegistryConversations(_LATEST_KEPT_MS)

    async def by_id(self, schema_id: int) -> tuple[ParsedSchema, Codec]:
        doing = f"Error when fetching schema by id. schemaId = {schema_id}"
        parsed = await self._lead(self._conversations.by_id(schema_id), doing)
        return parsed, parsed.codec()

    async def version_of(self, subject: str, schema_id: int) -> int:
        """The version under which a subject has the schema; ApiError when it does not have it."""
        doing = f"Error when fetching schema version. subject = {subject}"
        return await self._lead(self._conversations.version_of(subject, schema_id), doing)

    async def by_version(self, subject: str, version: int) -> RegisteredSchema:
        doing = f"Error when fetching schema by version. subject = {subject}, version = {version}"
        return await self._lead(self._conversations.by_version(subject, version), doing)

    async def latest(self, subject: str) -> RegisteredSchema:
        doing = f"Error when fetching latest schema version. subject = {subject}"
        return await self._lead(self._conversations.latest(subject, int(time.monotonic() * 1000)), doing)

    async def registered(self, subject: str, parsed: ParsedSchema, *, may_register: bool = True) -> RegisteredSchema:
        """The schema under the subject: looked up, and registered when it is not there and may be."""
        doing = f"Error when registering schema. format = {parsed.schema_type}, subject = {subject}"
        return await self._lead(self._conversations.looked_up(subject, parsed, may_register=may_register), doing)

    async def parsed(self, found: Any, doing: str) -> ParsedSchema:
        """A schema as the registry would tell it (`schema`, `schemaType`, `references`), with what it refers to."""
        return await self._lead(self._conversations.parsed(found), doing)

    async def _lead(self, conversation: Conversation[T], doing: str) -> T:
        answer: Any = None
        while True:
            try:
                call = conversation.send(answer)
            except StopIteration as end:
                found: T = end.value
                return found
            except SchemaError as error:
                raise ApiError(422, 42205, f"Invalid schema: {error}") from None
            answer = await self._ask(call, doing)

    async def _ask(self, call: RegistryCall, doing: str) -> Any:
        """The JSON of a good answer; None for what is not there where that may be. ApiError otherwise."""
        answer = await self._answered(call)
        content = _content(answer)
        if answer.is_good and isinstance(content, dict):
            return content
        code = content.get("error_code") if isinstance(content, dict) else None
        reason = content.get("message") if isinstance(content, dict) else f"it answered HTTP status {answer.status}"
        if call.may_be_absent and code in NOT_KNOWN:
            return None
        if answer.status in (401, 403):
            raise ApiError(403, 40301, f"{doing}; the schema registry does not allow it: {reason}")
        if answer.status >= 500:
            raise ApiError(408, 40801, f"{doing}; the schema registry failed: {reason}")
        raise ApiError(422, 42207, f"Error serializing message. {doing}; {reason}")

    async def _answered(self, call: RegistryCall) -> HttpAnswer:
        """By the first of the addresses that answers."""
        failure = HttpError("No schema.registry.url is set.")
        for url in self._urls:
            try:
                return await self._upstream.request(
                    call.method, url + call.path, headers=self._headers, body=call.body, timeout_s=self._timeout_s
                )
            except HttpError as error:
                failure = error
        raise ApiError(408, 40801, f"The schema registry cannot be asked: {failure.message}")


def _content(answer: HttpAnswer) -> Any:
    try:
        return parse_json(answer.body)
    except ValueError:
        return None

"""The registry as the proxy asks it, with answers made up."""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec

from riacho.client.http_client import HttpAnswer
from riacho.rest_proxy.registry import Registry
from riacho.web.upstream import Upstream

WRONG_DEFAULT = '{"type":"record","name":"R","fields":[{"name":"a","type":"int","default":"x"}]}'


class _Answering(Upstream):
    def __init__(self, content: dict[str, Any]) -> None:
        self._body = msgspec.json.encode(content)

    async def request(self, method: str, url: str, **_: Any) -> HttpAnswer:
        return HttpAnswer(200, {}, self._body)


def test_a_schema_that_the_registry_has_is_used_even_if_its_default_is_wrong():
    registry = Registry(_Answering({"schema": WRONG_DEFAULT}), ["http://registry"])
    parsed, codec = asyncio.run(registry.by_id(1))
    assert parsed.text == WRONG_DEFAULT
    assert codec.encode({"a": 1}) == b"\x02"

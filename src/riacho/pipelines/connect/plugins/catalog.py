"""What the worker asks about plugins: a client of the catalog's process, which it starts and lets go again."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from riacho.client.tasks import Tasks
from riacho.pipelines.connect import errors
from riacho.pipelines.reach.limits import Limits
from riacho.pipelines.spark_child.child import Child, ChildEnded, python_module

Json = dict[str, Any]
_MODULE = "riacho.pipelines.connect.plugins.catalog_process"
# After so long without a question the process ends: starting it again takes about a second.
IDLE_S = 60.0
_ANSWER_TIMEOUT_S = 60.0
_REMEMBERED_MAX = 256


class Validated(NamedTuple):
    """What is to be known of a config. `answer` is the whole of the validate call."""

    type: str
    version: str
    errors: list[str]
    secrets: list[str]
    answer: dict[str, Any]


class Catalog(Protocol):
    async def plugins(self, *, is_all: bool) -> list[dict[str, str]]: ...

    async def config_of(self, plugin: str) -> list[dict[str, Any]] | None: ...

    async def validate(self, name: str, config: Mapping[str, str]) -> Validated:
        """ApiError 400 where the connector class is not there."""

    async def check_offsets(self, config: Mapping[str, str], pairs: Sequence[Mapping[str, Any]]) -> None:
        """ApiError 400 where a source connector could not begin from these."""

    async def are_same(self, one: str, other: str) -> bool: ...

    async def close(self) -> None: ...


class CatalogProcess:
    """One question at a time. A process that fails is started again by the next question."""

    def __init__(
        self,
        modules: Sequence[str],
        defaults: Mapping[str, str],
        limits: Limits,
        words: Sequence[str] | None = None,
        idle_s: float = IDLE_S,
    ) -> None:
        self._settings = {"modules": list(modules), "defaults": dict(defaults), "limits": limits.as_json()}
        self._words = list(words or python_module(_MODULE))
        self._idle_s = idle_s
        self._child: Child | None = None
        self._lock = asyncio.Lock()
        self._idle: asyncio.TimerHandle | None = None
        self._ending: Tasks[None] = Tasks()
        # Plugins do not change while a worker runs.
        self._remembered: dict[str, Json] = {}

    async def plugins(self, *, is_all: bool) -> list[dict[str, str]]:
        found: list[dict[str, str]] = await self._known(f"plugins {is_all}", {"ask": "plugins", "all": is_all})
        return found

    async def config_of(self, plugin: str) -> list[dict[str, Any]] | None:
        found: list[dict[str, Any]] | None = await self._known(f"config {plugin}", {"ask": "config", "plugin": plugin})
        return found

    async def validate(self, name: str, config: Mapping[str, str]) -> Validated:
        return Validated(**await self._ask({"ask": "validate", "name": name, "configs": dict(config)}))

    async def check_offsets(self, config: Mapping[str, str], pairs: Sequence[Mapping[str, Any]]) -> None:
        await self._ask({"ask": "offsets", "configs": dict(config), "pairs": [dict(pair) for pair in pairs]})

    async def are_same(self, one: str, other: str) -> bool:
        return bool(one == other or await self._known(f"class {one} {other}", {"ask": "class", "a": one, "b": other}))

    async def close(self) -> None:
        async with self._lock:
            await self._drop()
        await self._ending.wait()

    async def _known(self, key: str, question: Json) -> Any:
        if key not in self._remembered:
            found = await self._ask(question)
            if len(self._remembered) >= _REMEMBERED_MAX:
                self._remembered.clear()
            self._remembered[key] = found
        return self._remembered[key]

    async def _ask(self, question: Json) -> Any:
        async with self._lock:
            try:
                answer = await asyncio.wait_for(self._exchange(question), _ANSWER_TIMEOUT_S)
            except (ChildEnded, TimeoutError) as error:
                await self._drop()
                raise errors.failed(f"Plugins cannot be looked at. {error or 'They take too long.'}") from None
            except asyncio.CancelledError:
                # The answer that is still to come would be taken for the next question's.
                self._let_go()
                raise
            self._wait_idle()
        if "wrong" in answer:
            raise errors.bad_request(answer["wrong"])
        if "failed" in answer:
            raise errors.failed(f"Plugins cannot be looked at. {answer['failed']}")
        return answer["ok"]

    async def _exchange(self, question: Json) -> Json:
        if self._child is None:
            child = Child("plugin catalog", self._words)
            await child.start()
            self._child = child
            await child.send(_line(self._settings))
        await self._child.send(_line(question))
        try:
            answer: Json = json.loads(await self._child.receive())
        except ValueError:
            raise ChildEnded("The plugin catalog gave an answer that is none.") from None
        return answer

    def _wait_idle(self) -> None:
        if self._idle is not None:
            self._idle.cancel()
        self._idle = asyncio.get_running_loop().call_later(self._idle_s, self._let_go)

    def _let_go(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            self._ending.start(child.end())

    async def _drop(self) -> None:
        if self._idle is not None:
            self._idle.cancel()
        child, self._child = self._child, None
        if child is not None:
            await child.end()


def _line(message: Json) -> bytes:
    return json.dumps(message, separators=(",", ":")).encode() + b"\n"

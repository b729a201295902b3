"""A registry without Kafka: its replicated log is a list, and a client for the application on top of it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, TypeVar

from starlette.responses import Response

from riacho.base.decision import Decision
from riacho.schema_registry.app import registry_app
from riacho.schema_registry.authorization import AccessRules
from riacho.schema_registry.endpoints.table import MEDIA_TYPE
from riacho.schema_registry.parsing import ParsedSchemas
from riacho.schema_registry.ready_answers import ReadyAnswers
from riacho.schema_registry.registry import Registry
from riacho.schema_registry.scopes import Defaults
from riacho.schema_registry.service import Service
from riacho.schema_registry.state import State
from riacho.single_writer.errors import NotLeader
from riacho.single_writer.record import Append, LogRecord
from riacho.web.app import Authenticator
from riacho.web.call import Call
from riacho.web.options import AppOptions
from support.web_service import asgi

T = TypeVar("T")
START_MS = 1_700_000_000_000

STRING = '"string"'
INT = '"int"'


def record_schema(*fields: str, name: str = "R") -> str:
    """An Avro record; a field is `name:type`, or `name:type=default` with the default as JSON."""
    parsed = []
    for each in fields:
        declared, _, default = each.partition("=")
        field_name, _, kind = declared.partition(":")
        field: dict[str, Any] = {"name": field_name, "type": json.loads(kind) if kind[:1] in '["{' else kind}
        if default:
            field["default"] = json.loads(default)
        parsed.append(field)
    return json.dumps({"type": "record", "name": name, "fields": parsed}, separators=(",", ":"))


class ListOffice:
    """`ReplicatedLog` with a list for a log. `failure` is raised instead of a change."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.log: list[LogRecord] = []
        self.is_leader = True
        self.failure: Exception | None = None
        self.forwarded: Callable[[Call], Response] | Exception = NotLeader("nobody leads")
        self.barriers = 0

    def append(self, *records: Append) -> None:
        for record in records:
            written = LogRecord(record.key, record.value, len(self.log), START_MS + len(self.log))
            self.log.append(written)
            self.state.apply(written)

    def decide(self, decide: Callable[[], Decision[Append, T]]) -> T:
        decision = decide()
        self.append(*decision.records)
        return decision.reply

    async def change(self, decide: Callable[[], Decision[Append, T]]) -> T:
        if self.failure is not None:
            raise self.failure
        return self.decide(decide)

    async def forward(self, call: Call) -> Response:
        if isinstance(self.forwarded, Exception):
            raise self.forwarded
        return self.forwarded(call)

    async def barrier(self) -> None:
        self.barriers += 1

    def written_keys(self) -> list[str]:
        return [(record.key or b"").decode() for record in self.log]


def replayed(log: list[LogRecord]) -> State:
    state = State()
    for record in log:
        state.apply(record)
    return state


class RegistryClient:
    """Calls as `registry.post("/subjects/s", {...})`, answered as (status, JSON)."""

    def __init__(
        self,
        defaults: Defaults | None = None,
        access: AccessRules | None = None,
        authenticator: Authenticator | None = None,
    ) -> None:
        state = State()
        self.registry = Registry(state, defaults or Defaults(), ParsedSchemas(100))
        self.replicated_log = ListOffice(state)
        self.service = Service(self.registry, self.replicated_log, ReadyAnswers(state, 100), access, leader_wait_s=0)
        options = AppOptions(
            body_bytes_max=1 << 20,
            body_timeout_s=60.0,
            concurrent_requests_max=64,
            authenticator=authenticator,
            cors=None,
        )
        self.app = registry_app(self.service, options)

    @property
    def state(self) -> State:
        return self.registry.state

    def call(
        self, method: str, path: str, body: object = None, headers: dict[str, str] | None = None
    ) -> tuple[int, Any]:
        """`path` is raw, with the query behind it; a body that is bytes is sent as it is."""
        raw, _, query = path.partition("?")
        sent = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        typed = {} if sent is None else {"content-type": MEDIA_TYPE}
        got = asgi(self.app, method, raw, headers={**typed, **(headers or {})}, body=sent, query=query)
        return got.status, got.json if got.body else None

    def get(self, path: str, **options: Any) -> tuple[int, Any]:
        return self.call("GET", path, **options)

    def post(self, path: str, body: object = None, **options: Any) -> tuple[int, Any]:
        return self.call("POST", path, body, **options)

    def put(self, path: str, body: object = None, **options: Any) -> tuple[int, Any]:
        return self.call("PUT", path, body, **options)

    def delete(self, path: str, **options: Any) -> tuple[int, Any]:
        return self.call("DELETE", path, **options)

    def register(self, subject: str, schema: str = STRING, **more: object) -> int:
        """The id; fails the test when it is refused."""
        status, answer = self.post(f"/subjects/{subject}/versions", {"schema": schema, **more})
        assert status == 200, answer
        found: int = answer["id"]
        return found


def error(code: int, message: str) -> tuple[int, dict[str, object]]:
    """The answer that an error is: its status is in its code."""
    return int(str(code)[:3]), {"error_code": code, "message": message}

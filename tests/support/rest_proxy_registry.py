"""A schema registry for tests of the REST proxy: what it is asked over HTTP, answered from a dict."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote, urlsplit

from riacho.client.http_client import HttpAnswer
from riacho.client.http_target import HttpError


class RegistryDouble:
    """Has what `web/upstream.py: Upstream` has. `is_down` and `refuses` are for tests of trouble."""

    def __init__(self) -> None:
        self.subjects: dict[str, list[int]] = {}
        self.schemas: dict[int, dict[str, Any]] = {}
        self.calls: list[str] = []
        self.headers: Mapping[str, str] = {}
        self.is_down = False
        self.refuses: tuple[int, int, str] | None = None

    def register(self, subject: str, schema: str, schema_type: str = "AVRO", references: Any = ()) -> int:
        wanted = {"schema": schema, "schemaType": schema_type, "references": list(references)}
        known = [number for number, each in self.schemas.items() if each == wanted]
        schema_id = known[0] if known else len(self.schemas) + 1
        self.schemas[schema_id] = wanted
        versions = self.subjects.setdefault(subject, [])
        if schema_id not in versions:
            versions.append(schema_id)
        return schema_id

    async def request(
        self, method: str, url: str, *, headers: Mapping[str, str], body: bytes | None, timeout_s: float
    ) -> HttpAnswer:
        path = urlsplit(url).path
        self.calls.append(f"{method} {path}")
        self.headers = headers
        if self.is_down:
            raise HttpError("http://r:1 cannot be reached: Connection refused.")
        if self.refuses is not None:
            status, code, message = self.refuses
            return _answer(status, {"error_code": code, "message": message})
        return self._answered(method, [unquote(part) for part in path.strip("/").split("/")], json.loads(body or b"{}"))

    def close(self) -> None:
        pass

    def _answered(self, method: str, path: list[str], body: dict[str, Any]) -> HttpAnswer:
        match [method, *path]:
            case ["GET", "schemas", "ids", number]:
                return self._shown(self.schemas.get(int(number)), 40403)
            case ["POST", "subjects", subject]:
                return self._lookup(subject, body)
            case ["POST", "subjects", subject, "versions"]:
                schema_id = self.register(
                    subject, body["schema"], body.get("schemaType", "AVRO"), body.get("references", ())
                )
                return _answer(200, {"id": schema_id})
            case ["GET", "subjects", subject, "versions", version]:
                versions = self.subjects.get(subject, [])
                number = len(versions) if version == "latest" else int(version)
                if not 1 <= number <= len(versions):
                    return self._shown(None, 40401 if not versions else 40402)
                return self._version(subject, number)
        raise AssertionError(f"nobody should ask {method} {path}")

    def _lookup(self, subject: str, body: dict[str, Any]) -> HttpAnswer:
        wanted = {key: body.get(key) for key in ("schema", "schemaType")}
        for number, schema_id in enumerate(self.subjects.get(subject, []), start=1):
            if {key: self.schemas[schema_id][key] for key in wanted} == wanted:
                return self._version(subject, number)
        return self._shown(None, 40403 if subject in self.subjects else 40401)

    def _version(self, subject: str, number: int) -> HttpAnswer:
        schema_id = self.subjects[subject][number - 1]
        return self._shown({"subject": subject, "version": number, "id": schema_id, **self.schemas[schema_id]}, 0)

    def _shown(self, found: dict[str, Any] | None, code: int) -> HttpAnswer:
        if found is None:
            return _answer(404, {"error_code": code, "message": "Schema not found."})
        return _answer(200, found)


def _answer(status: int, content: dict[str, Any]) -> HttpAnswer:
    return HttpAnswer(status, {"content-type": "application/json"}, json.dumps(content).encode())

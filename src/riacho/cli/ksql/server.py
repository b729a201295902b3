"""A ksqlDB server's REST API: statements, rows as they come, and what went wrong in one sentence."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias
from urllib.parse import quote

from riacho.client.http_client import HttpAnswer, HttpClient
from riacho.client.http_target import HttpError, address_of, without_user

Entity: TypeAlias = dict[str, Any]

_KSQL_JSON = "application/vnd.ksql.v1+json"
_DELIMITED = "application/vnd.ksqlapi.delimited.v1"
_CONNECT_S = 10.0
# A statement may start Spark.
_STATEMENT_S = 120.0
_SHORT_S = 10.0
_LINE_BYTES_MAX = 64 * 1024 * 1024


class ServerError(Exception):
    """What a server refused, or that there is none. `entities` are the answers to statements before the refused one."""

    def __init__(
        self,
        message: str,
        *,
        statement: str | None = None,
        entities: list[Entity] | None = None,
        code: int | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.statement = statement
        self.entities = entities or []
        self.code = code


@dataclass(frozen=True, slots=True)
class ServerInfo:
    version: str
    service_id: str
    status: str


@dataclass(frozen=True, slots=True)
class Header:
    """The first line of a query's answer; `query_id` of push queries."""

    query_id: str | None
    names: tuple[str, ...]
    types: tuple[str, ...]


class KsqlServer:
    def __init__(self, url: str, authorization: str | None = None) -> None:
        """ServerError where it is no URL."""
        self.url = url.rstrip("/")
        self._authorization = authorization
        self._http = HttpClient(authorization=authorization, takes_proxy=True)
        try:
            address_of(self.url)
        except HttpError as error:
            raise ServerError(error.message) from None

    @property
    def shown_url(self) -> str:
        return without_user(self.url)

    def close(self) -> None:
        self._http.close()

    def info(self) -> ServerInfo:
        found = self._json("GET", "/info", None, _SHORT_S)
        about = found.get("KsqlServerInfo", found) if isinstance(found, dict) else {}
        return ServerInfo(
            str(about.get("version", "<unknown>")),
            str(about.get("ksqlServiceId", "<unknown>")),
            str(about.get("serverStatus", "<unknown>")),
        )

    def statements(
        self, text: str, properties: Mapping[str, str], sequence: int | None = None, timeout_s: float = _STATEMENT_S
    ) -> list[Entity]:
        body: dict[str, object] = {"ksql": text, "streamsProperties": dict(properties)}
        if sequence is not None:
            body["commandSequenceNumber"] = sequence
        found = self._json("POST", "/ksql", body, timeout_s)
        if not isinstance(found, list):
            raise ServerError(f"{self.shown_url} answered what is no list of results.")
        return [each for each in found if isinstance(each, dict)]

    def status(self, command_id: str) -> Mapping[str, Any]:
        found = self._json("GET", f"/status/{quote(command_id)}", None, _SHORT_S)
        return found if isinstance(found, dict) else {}

    def refusal_of_property(self, name: str) -> str | None:
        """Why a property cannot be set; None where it can, and where the server does not say."""
        try:
            self._json("GET", f"/is_valid_property/{quote(name, safe='')}", None, _SHORT_S)
        except ServerError as error:
            return error.message if error.code == 400 else None
        return None

    def close_query(self, query_id: str) -> None:
        """At the end of one that is left early; a server that is gone has closed it by itself."""
        try:
            self._json("POST", "/close-query", {"queryId": query_id}, _SHORT_S)
        except ServerError:
            return

    @contextmanager
    def query(self, text: str, properties: Mapping[str, str]) -> Iterator[tuple[Header, Iterator[list[Any] | str]]]:
        """The columns of a SELECT and its rows, as they come; a text among them is the server's last word."""
        body = {"sql": text, "properties": dict(properties)}
        with self._stream("/query-stream", body, _DELIMITED) as lines:
            header = _header(next(lines, b""))
            yield header, _rows(lines)

    @contextmanager
    def print_topic(self, text: str, properties: Mapping[str, str]) -> Iterator[Iterator[str]]:
        """The lines of a PRINT."""
        body = {"ksql": text, "streamsProperties": dict(properties)}
        with self._stream("/query", body, _KSQL_JSON) as lines:
            yield (line.decode("utf-8", "replace").rstrip("\r\n") for line in lines if line.strip())

    def _json(self, method: str, path: str, body: object, timeout_s: float) -> Any:
        data = None if body is None else json.dumps(body).encode()
        headers = {"Accept": _KSQL_JSON, **({"Content-Type": _KSQL_JSON} if data is not None else {})}
        try:
            answer = self._http.request(
                method, self.url + path, headers=headers, body=data, timeout_s=timeout_s, connect_timeout_s=_CONNECT_S
            )
        except HttpError as error:
            raise ServerError(error.message) from None
        if not answer.is_good:
            raise _refused(self.shown_url + path, answer)
        try:
            return json.loads(answer.body) if answer.body else None
        except ValueError:
            raise ServerError(f"{self.shown_url}{path} answered what is no JSON.") from None

    @contextmanager
    def _stream(self, path: str, body: object, accept: str) -> Iterator[Iterator[bytes]]:
        """The lines of an answer without an end; neither its first nor the next one has a time limit."""
        try:
            with self._http.stream(
                "POST",
                self.url + path,
                headers={"Accept": accept, "Content-Type": _KSQL_JSON},
                body=json.dumps(body).encode(),
                timeout_s=None,
                connect_timeout_s=_CONNECT_S,
            ) as answer:
                if not answer.is_good:
                    content = answer.rest(_LINE_BYTES_MAX)
                    raise _refused(self.shown_url + path, HttpAnswer(answer.status, answer.headers, content))
                yield iter(partial(answer.line, _LINE_BYTES_MAX), b"")
        except HttpError as error:
            raise ServerError(error.message) from None


def _header(line: bytes) -> Header:
    found = _value(line)
    if not isinstance(found, dict):
        raise ServerError("The server answered a query without its columns.")
    _raise_error(found)
    return Header(
        found.get("queryId"), tuple(found.get("columnNames") or ()), tuple(map(str, found.get("columnTypes") or ()))
    )


def _rows(lines: Iterator[bytes]) -> Iterator[list[Any] | str]:
    for line in lines:
        if not line.strip():
            continue
        found = _value(line)
        if isinstance(found, list):
            yield found
        elif isinstance(found, dict):
            _raise_error(found)
            last = found.get("finalMessage") or found.get("limitMessage")
            if last:
                yield str(last)


def _value(line: bytes) -> Any:
    try:
        return json.loads(line) if line.strip() else None
    except ValueError:
        raise ServerError("The server answered a row that is no JSON.") from None


def _raise_error(found: Mapping[str, Any]) -> None:
    if "error_code" in found or found.get("status") == "error":
        raise ServerError(str(found.get("message", "The server gave no reason.")), code=found.get("error_code"))


def _refused(url: str, answer: HttpAnswer) -> ServerError:
    try:
        found = json.loads(answer.body)
        message = str(found["message"])
    except (ValueError, KeyError, TypeError):
        return ServerError(f"{url} answered {answer.status} {answer.phrase}.", code=answer.status)
    entities = [each for each in found.get("entities") or () if isinstance(each, dict)]
    return ServerError(message, statement=found.get("statementText"), entities=entities, code=answer.status)

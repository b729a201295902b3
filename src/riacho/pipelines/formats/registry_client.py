"""A schema registry as Spark's driver and workers ask it: plain blocking HTTP, a few calls, bounded memory.

Settings have Confluent's names. One client a set of settings lives in each process (`registry_client`), so that a
worker asks for a schema once, not once a batch.
"""

from __future__ import annotations

import json
import ssl
import threading
import time
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from riacho.base.backoff import Backoff
from riacho.client.http_client import HttpClient
from riacho.client.http_target import HttpError, basic
from riacho.schemas.formats import parse
from riacho.schemas.parsed import ParsedSchema, Reference, SchemaError, SchemaSource

_MEDIA_TYPE = "application/vnd.schemaregistry.v1+json"
_DEFAULT_CONTEXT = "."
_SCHEMAS_MAX = 1_000
_CLIENTS_MAX = 16
_REFERENCES_MAX = 1_000
_LATEST_KEPT_S = 5.0
_TIMEOUT_S = 30.0
_RETRIES = 3
_BACKOFF = Backoff(200, 400)
_BODY_BYTES_MAX = 16 << 20
_REASON_LENGTH_MAX = 300


class RegistryError(Exception):
    """What the registry refused or could not do, in one sentence. `is_refusal`: asking again would not help."""

    def __init__(self, message: str, is_refusal: bool = False) -> None:
        super().__init__(message)
        self.is_refusal = is_refusal


@dataclass(frozen=True, slots=True)
class Registered:
    """A schema and its id."""

    id: int
    parsed: ParsedSchema

    @property
    def prefix(self) -> bytes:
        return b"\0" + self.id.to_bytes(4, "big")


class RegistryClient:
    def __init__(self, configs: Mapping[str, str]) -> None:
        self._urls = [url.strip().rstrip("/") for url in configs.get("schema.registry.url", "").split(",") if url]
        if not self._urls:
            raise RegistryError(
                'Missing required configuration "schema.registry.url" which has no default value.', True
            )
        self._headers = {"Accept": _MEDIA_TYPE, "Content-Type": _MEDIA_TYPE, **_user_info(configs)}
        token = configs.get("bearer.auth.token")
        self._http = HttpClient(
            tls=lambda: _tls(configs),
            authorization=f"Bearer {token}" if token else None,
            answer_bytes_max=_BODY_BYTES_MAX,
        )
        self._lock = threading.Lock()
        self._known: OrderedDict[object, Any] = OrderedDict()

    def by_id(self, schema_id: int) -> ParsedSchema:
        def ask() -> ParsedSchema:
            return self._parsed(self._ask("GET", f"/schemas/ids/{schema_id}"))

        found: ParsedSchema = self._remembered(("id", schema_id), ask)
        return found

    def id_of(self, guid: str) -> int:
        """Of a schema by the identifier that records carry in a header (`__value_schema_id`) in newer clients."""

        def ask() -> int:
            found = self._ask("GET", f"/schemas/guids/{quote(guid, safe='')}/ids")
            ids = [int(each["id"]) for each in found if each.get("context") in (None, "", _DEFAULT_CONTEXT)]
            if not ids:
                raise RegistryError(f"The registry knows {guid} in other contexts only", True)
            return ids[0]

        found: int = self._remembered(("guid", guid), ask)
        return found

    def latest(self, subject: str) -> Registered:
        """The latest version, asked for anew after a moment."""
        slot = int(time.monotonic() / _LATEST_KEPT_S)

        def ask() -> Registered:
            found = self._ask("GET", f"/subjects/{quote(subject, safe='')}/versions/latest")
            return Registered(int(found["id"]), self._parsed(found))

        found: Registered = self._remembered(("latest", subject, slot), ask)
        return found

    def registered(
        self,
        subject: str,
        schema_type: str,
        text: str,
        *,
        register: bool = True,
        normalize: bool = False,
        references: Sequence[Reference] = (),
    ) -> Registered:
        """The schema under the subject: registered where it may be, else looked up."""

        def ask() -> Registered:
            path = f"/subjects/{quote(subject, safe='')}" + ("/versions" if register else "")
            body: dict[str, Any] = {"schema": text, "schemaType": schema_type}
            if references:
                body["references"] = [{"name": r.name, "subject": r.subject, "version": r.version} for r in references]
            found = self._ask("POST", path + ("?normalize=true" if normalize else ""), body)
            return Registered(int(found["id"]), self.by_id(int(found["id"])))

        found: Registered = self._remembered(("text", subject, schema_type, text, register, normalize), ask)
        return found

    def _remembered(self, key: object, ask: Any) -> Any:
        with self._lock:
            if key in self._known:
                self._known.move_to_end(key)
                return self._known[key]
        found = ask()
        with self._lock:
            self._known[key] = found
            while len(self._known) > _SCHEMAS_MAX:
                self._known.popitem(last=False)
        return found

    def _parsed(self, found: Any) -> ParsedSchema:
        resolved: dict[str, str] = {}
        references = _references(found)
        self._resolve(references, resolved)
        try:
            source = SchemaSource(found["schema"], references, resolved, is_new=False)
            return parse(found.get("schemaType") or "AVRO", source)
        except SchemaError as error:
            raise RegistryError(f"The registry's schema cannot be used: {error}", True) from None

    def _resolve(self, references: Sequence[Reference], resolved: dict[str, str]) -> None:
        """Texts of all that is referred to; what others build on comes first."""
        for reference in references:
            if reference.name in resolved:
                continue
            if len(resolved) >= _REFERENCES_MAX:
                raise RegistryError(f"A schema refers to more than {_REFERENCES_MAX} others", True)
            path = f"/subjects/{quote(reference.subject, safe='')}/versions/{reference.version}?deleted=true"
            found = self._ask("GET", path)
            self._resolve(_references(found), resolved)
            resolved[reference.name] = found["schema"]

    def _ask(self, method: str, path: str, body: object = None) -> Any:
        """The JSON of a good answer, by the first address that gives one; failures of the network are tried again."""
        failure = ""
        for failures in range(1, _RETRIES + 1):
            for url in self._urls:
                try:
                    status, content = self._call(method, url, path, body)
                except HttpError as error:
                    failure = f"The schema registry cannot be reached: {error.reason}"
                    continue
                if 200 <= status < 300:
                    return content
                reason = content.get("message") if isinstance(content, dict) else None
                failure = f"The schema registry answered {status}: {_shortened(reason or 'no reason was told')}"
                if status < 500 and status != 429:
                    raise RegistryError(failure, is_refusal=status not in (401, 403))
            if failures < _RETRIES:
                time.sleep(_BACKOFF.pause_ms(failures) / 1000)
        raise RegistryError(failure)

    def _call(self, method: str, url: str, path: str, body: object) -> tuple[int, Any]:
        payload = None if body is None else json.dumps(body).encode()
        answer = self._http.request(method, url + path, headers=self._headers, body=payload, timeout_s=_TIMEOUT_S)
        try:
            return answer.status, json.loads(answer.body)
        except ValueError:
            return answer.status, None


def _shortened(reason: str) -> str:
    """An incompatible schema's reason holds whole schemas: what matters stands first."""
    return reason if len(reason) <= _REASON_LENGTH_MAX else reason[: _REASON_LENGTH_MAX - 3] + "..."


def _references(found: Any) -> list[Reference]:
    return [Reference(r["name"], r["subject"], int(r["version"])) for r in found.get("references") or ()]


def _user_info(configs: Mapping[str, str]) -> dict[str, str]:
    """The login of the settings, which goes before that of the address, and that before a token."""
    source = configs.get("basic.auth.credentials.source", "URL").upper()
    told = configs.get("basic.auth.user.info") or configs.get("schema.registry.basic.auth.user.info")
    if source == "USER_INFO" and told:
        user, _, password = told.partition(":")
        return {"Authorization": basic(user, password)}
    return {}


def _tls(configs: Mapping[str, str]) -> ssl.SSLContext:
    """PEM files, by the names of the Java client and those of the Python one."""

    def named(*names: str) -> str | None:
        return next((configs[name] for name in names if configs.get(name)), None)

    trusted = named("schema.registry.ssl.truststore.location", "ssl.ca.location")
    context = ssl.create_default_context(cafile=trusted)
    certificate = named("schema.registry.ssl.keystore.location", "ssl.certificate.location")
    if certificate:
        password = named("schema.registry.ssl.key.password", "ssl.key.password")
        context.load_cert_chain(certificate, named("ssl.key.location"), password)
    if configs.get("schema.registry.ssl.endpoint.identification.algorithm") == "":
        context.check_hostname = False
    return context


_clients: OrderedDict[tuple[tuple[str, str], ...], RegistryClient] = OrderedDict()
_clients_lock = threading.Lock()


def registry_client(configs: Mapping[str, str]) -> RegistryClient:
    """This process's client for these settings."""
    key = tuple(sorted(configs.items()))
    with _clients_lock:
        client = _clients.get(key) or RegistryClient(configs)
        _clients[key] = client
        _clients.move_to_end(key)
        while len(_clients) > _CLIENTS_MAX:
            _clients.popitem(last=False)
        return client

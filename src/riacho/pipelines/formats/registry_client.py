"""A schema registry as Spark's driver and workers ask it: plain blocking HTTP, a few calls, bounded memory.

What is asked and remembered is in `schemas/registry_conversations.py`. Settings have Confluent's names. One client a
set of settings lives in each process (`registry_client`), so that a worker asks for a schema once, not once a batch.
"""

from __future__ import annotations

import json
import ssl
import threading
import time
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar
from urllib.parse import quote

from riacho.base.backoff import Backoff
from riacho.base.lru_cache import LruCache
from riacho.base.shortening import shortened
from riacho.client.http_client import HttpClient
from riacho.client.http_target import HttpError, basic
from riacho.schemas.parsed import ParsedSchema, Reference, SchemaError
from riacho.schemas.registry_conversations import MEDIA_TYPE, Conversation, RegisteredSchema, RegistryConversations

_CLIENTS_MAX = 16
_LATEST_KEPT_MS = 5_000
_TIMEOUT_S = 30.0
_RETRIES = 3
_BACKOFF = Backoff(200, 400)
_BODY_BYTES_MAX = 16 << 20

T = TypeVar("T")


class RegistryError(Exception):
    """What the registry refused or could not do, in one sentence. `is_refusal`: asking again would not help."""

    def __init__(self, message: str, is_refusal: bool = False) -> None:
        super().__init__(message)
        self.is_refusal = is_refusal


class RegistryClient:
    def __init__(self, configs: Mapping[str, str]) -> None:
        self._urls = [url.strip().rstrip("/") for url in configs.get("schema.registry.url", "").split(",") if url]
        if not self._urls:
            raise RegistryError(
                'Missing required configuration "schema.registry.url" which has no default value.', True
            )
        self._headers = {"Accept": MEDIA_TYPE, "Content-Type": MEDIA_TYPE, **_user_info(configs)}
        token = configs.get("bearer.auth.token")
        self._http = HttpClient(
            tls=lambda: _tls(configs),
            authorization=f"Bearer {token}" if token else None,
            answer_bytes_max=_BODY_BYTES_MAX,
        )
        self._lock = threading.Lock()
        self._conversations = RegistryConversations(_LATEST_KEPT_MS)

    def by_id(self, schema_id: int) -> ParsedSchema:
        return self._lead(self._conversations.by_id(schema_id))

    def id_of(self, guid: str) -> int:
        """Of a schema by the identifier that records carry in a header (`__value_schema_id`) in newer clients."""
        found = self._lead(self._conversations.id_of(guid))
        if found is None:
            raise RegistryError(f"The registry knows {guid} in other contexts only", True)
        return found

    def latest(self, subject: str) -> RegisteredSchema:
        """The latest version, asked for anew after a moment."""
        return self._lead(self._conversations.latest(subject, int(time.monotonic() * 1000)))

    def registered(
        self,
        subject: str,
        schema_type: str,
        text: str,
        *,
        register: bool = True,
        normalize: bool = False,
        references: Sequence[Reference] = (),
    ) -> RegisteredSchema:
        """The schema under the subject: registered where it may be, else looked up."""
        return self._lead(
            self._conversations.registered(
                subject, schema_type, text, register=register, normalize=normalize, references=references
            )
        )

    def delete_subject(self, subject: str) -> None:
        """Softly, all versions; what is remembered of any subject is asked for anew. RegistryError."""
        self.ask("DELETE", f"/subjects/{quote(subject, safe='')}", None)
        with self._lock:
            self._conversations = RegistryConversations(_LATEST_KEPT_MS)

    def close(self) -> None:
        """Let go of connections."""
        self._http.close()

    def _lead(self, conversation: Conversation[T]) -> T:
        answer: Any = None
        while True:
            try:
                with self._lock:
                    call = conversation.send(answer)
            except StopIteration as end:
                found: T = end.value
                return found
            except SchemaError as error:
                raise RegistryError(f"The registry's schema cannot be used: {error}", True) from None
            answer = self.ask(call.method, call.path, call.body)

    def ask(self, method: str, path: str, body: bytes | None = None) -> Any:
        """The JSON of a good answer, by the first address that gives one; failures of the network are tried again.
        RegistryError."""
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
                failure = f"The schema registry answered {status}: {shortened(reason or 'no reason was told')}"
                if status < 500 and status != 429:
                    raise RegistryError(failure, is_refusal=status not in (401, 403))
            if failures < _RETRIES:
                time.sleep(_BACKOFF.pause_ms(failures) / 1000)
        raise RegistryError(failure)

    def _call(self, method: str, url: str, path: str, body: bytes | None) -> tuple[int, Any]:
        answer = self._http.request(method, url + path, headers=self._headers, body=body, timeout_s=_TIMEOUT_S)
        try:
            return answer.status, json.loads(answer.body)
        except ValueError:
            return answer.status, None


def _user_info(configs: Mapping[str, str]) -> dict[str, str]:
    """The login of the settings, which goes before that of the address, and that before a token."""
    source = configs.get("basic.auth.credentials.source", "URL").upper()
    user_info = configs.get("basic.auth.user.info") or configs.get("schema.registry.basic.auth.user.info")
    if source == "USER_INFO" and user_info:
        user, _, password = user_info.partition(":")
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


_clients: LruCache[tuple[tuple[str, str], ...], RegistryClient] = LruCache(_CLIENTS_MAX, RegistryClient.close)
_clients_lock = threading.Lock()


def registry_client(configs: Mapping[str, str]) -> RegistryClient:
    """This process's client for these settings."""
    key = tuple(sorted(configs.items()))
    with _clients_lock:
        return _clients.get_or_make(key, lambda: RegistryClient(configs))

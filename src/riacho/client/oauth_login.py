"""A client's bearer token: from a token endpoint by its credentials (KIP-768), from a file, or, for trials, self-made.

A token is kept and used again until most of its life is over.
"""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Callable
from hashlib import sha256
from typing import Any
from urllib.parse import urlencode

from riacho.base.config import ConfigError
from riacho.client.http_client import HttpClient
from riacho.client.http_target import HttpError, basic
from riacho.client.url_document import read_document
from riacho.security.jaas import LoginModule
from riacho.security.oauth import OauthClient

Get = Callable[[str], Any]

_SIZE_BYTES_MAX = 1 << 20
_TIMEOUT_S = 10.0
_OPAQUE_LIFETIME_S = 300.0
_REFRESH_SHARE = 0.8
_EXTENSION = "extension_"
_UNSECURED_EXTENSION = "unsecuredLoginExtension_"
# By endpoint, scope, and the client with its secret, without which a token is nobody's: (token, when to get another).
_kept: dict[tuple[str, str, str, bytes], tuple[str, float]] = {}
_KEPT_MAX = 100


def oauth_client(module: LoginModule, get: Get) -> OauthClient:
    """ConfigError when no token can be had."""
    prefix = _EXTENSION if get("sasl.oauthbearer.token.endpoint.url") else _UNSECURED_EXTENSION
    extensions = {name[len(prefix) :]: value for name, value in module.options.items() if name.startswith(prefix)}
    return OauthClient(_token(module, get), extensions)


def token_and_expiry(module: LoginModule, get: Get) -> tuple[str, float]:
    """A token, and when it ends, in seconds since 1970, as its own claims say."""
    token = _token(module, get)
    try:
        body = token.split(".")[1]
        claims = json.loads(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)))
        return token, float(claims["exp"])
    except (IndexError, ValueError, KeyError, TypeError):
        # Not a JWT: the server knows when it ends, we ask again before long.
        return token, time.time() + _OPAQUE_LIFETIME_S


def _token(module: LoginModule, get: Get) -> str:
    options = module.options
    url = get("sasl.oauthbearer.token.endpoint.url")
    if url:
        return _fetched(str(url), module, get)
    if "unsecuredLoginStringClaim_sub" in options or "unsecuredLoginPrincipalClaimName" in options:
        return unsecured_token(module, time.time())
    option = 'unsecuredLoginStringClaim_sub="name"'
    problem = "OAUTHBEARER needs sasl.oauthbearer.token.endpoint.url"
    raise ConfigError(f"{problem}; for trials, {option} in sasl.jaas.config makes an unsecured token")


def unsecured_token(module: LoginModule, now_s: float) -> str:
    """A token that nobody signed, as the options say."""
    options = module.options
    claims: dict[str, Any] = {}
    for name, value in options.items():
        kind, _, claim = name.partition("Claim_")
        if kind == "unsecuredLoginString":
            claims[claim] = value
        elif kind == "unsecuredLoginNumber":
            claims[claim] = float(value)
        elif kind == "unsecuredLoginList" and value:
            # The first character says what stands between the others.
            claims[claim] = value[1:].split(value[0])
    lifetime_s = float(options.get("unsecuredLoginLifetimeSeconds", "3600"))
    claims.setdefault("iat", now_s)
    claims.setdefault("exp", now_s + lifetime_s)
    return f"{_encoded({'alg': 'none'})}.{_encoded(claims)}."


def _fetched(url: str, module: LoginModule, get: Get) -> str:
    if url.startswith("file:"):
        return read_document(url, _TIMEOUT_S, _SIZE_BYTES_MAX).decode().strip()
    options = module.options
    client_id = get("sasl.oauthbearer.client.credentials.client.id") or options.get("clientId")
    secret = get("sasl.oauthbearer.client.credentials.client.secret") or options.get("clientSecret")
    scope = get("sasl.oauthbearer.scope") or options.get("scope") or ""
    if client_id is None or secret is None:
        raise ConfigError("OAUTHBEARER needs clientId and clientSecret in sasl.jaas.config for its token endpoint")
    key = (url, str(client_id), str(scope), sha256(str(secret).encode()).digest())
    kept = _kept.get(key)
    if kept is None or time.monotonic() >= kept[1]:
        token, lifetime_s = _asked(url, str(client_id), str(secret), str(scope))
        if len(_kept) >= _KEPT_MAX:
            _kept.clear()
        kept = _kept[key] = (token, time.monotonic() + lifetime_s * _REFRESH_SHARE)
    return kept[0]


def _asked(url: str, client_id: str, secret: str, scope: str) -> tuple[str, float]:
    form = {"grant_type": "client_credentials", **({"scope": scope} if scope else {})}
    headers = {"Authorization": basic(client_id, secret), "Content-Type": "application/x-www-form-urlencoded"}
    client = HttpClient(answer_bytes_max=_SIZE_BYTES_MAX, takes_proxy=True)
    # The body may hold what was sent: only the kind of failure is shown.
    problem = f"no token could be had from {url}"
    try:
        answer = client.request("POST", url, headers=headers, body=urlencode(form).encode(), timeout_s=_TIMEOUT_S)
    except HttpError as error:
        raise ConfigError(f"{problem}: {error.reason}") from None
    finally:
        client.close()
    if not answer.is_good:
        raise ConfigError(f"{problem}: {answer.phrase}")
    try:
        token = json.loads(answer.body)
        return str(token["access_token"]), float(token.get("expires_in", 0))
    except (ValueError, KeyError, TypeError) as error:
        raise ConfigError(f"{problem}: {type(error).__name__}") from None


def _encoded(value: dict[str, Any]) -> str:
    return base64.urlsafe_b64encode(json.dumps(value, separators=(",", ":")).encode()).decode().rstrip("=")

"""Logging in at an identity provider (OpenID Connect): the authorization code flow with PKCE (RFC 7636).

1. `begin`: the browser is sent to the provider with a state, a nonce and the digest of a verifier; what they were is
   kept here for ten minutes, under the state, bound to a cookie of that browser.
2. `finish`: the browser comes back with a code and the state. The state is good once, and only with its cookie (else
   somebody could be logged in as somebody else). The code and the verifier are exchanged for an id token, which has to
   be signed by one of the provider's keys, for this client, now, with the nonce.

Nothing but https is spoken to a provider that is not on this machine, and no redirect of its endpoints is followed.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import logging
import secrets
from collections import OrderedDict
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote, urlencode

import msgspec

from riacho.base.config import ConfigError
from riacho.base.packages import how_to_install
from riacho.client.http_target import HttpError, basic
from riacho.console.door.config import OidcConfig, is_safe_url
from riacho.console.door.roles import Role
from riacho.security.jwt_validation import ClaimRules, KeyUnknown, accepted, signed_token_claims
from riacho.security.oauth import TokenRefused
from riacho.web.errors import ApiError
from riacho.web.upstream import Upstream

if TYPE_CHECKING:
    from jwt import PyJWKSet

_log = logging.getLogger("riacho.console")
_BEGUN_MAX = 1_000
_BEGUN_MS_MAX = 10 * 60_000
_PROVIDER_MS_MAX = 60 * 60_000
_KEYS_AGAIN_MS = 10_000
_TIMEOUT_S = 10.0
_ANSWER_BYTES_MAX = 1 << 20
_NAME_MAX = 256


class Begun(NamedTuple):
    """`url` is where the browser goes, `cookie` what it has to bring back."""

    url: str
    cookie: str


class Identity(NamedTuple):
    name: str
    role: Role
    to: str


class _Attempt(NamedTuple):
    cookie: bytes
    nonce: str
    verifier: str
    to: str
    begun_ms: int


class _Provider(msgspec.Struct):
    """What its discovery document tells."""

    issuer: str
    authorization_endpoint: str
    token_endpoint: str
    jwks_uri: str


class _Tokens(msgspec.Struct):
    id_token: str


class Oidc:
    """ConfigError where the packages for it are not installed."""

    def __init__(self, config: OidcConfig) -> None:
        try:
            import jwt  # noqa: F401
        except ImportError:
            raise ConfigError(f"riacho.console.oidc.issuer needs PyJWT: {how_to_install('security')}") from None
        self._config = config
        self._upstream = Upstream(threads_max=4, answer_bytes_max=_ANSWER_BYTES_MAX)
        # By state, the oldest first.
        self._begun: OrderedDict[str, _Attempt] = OrderedDict()
        self._provider: tuple[_Provider, int] | None = None
        self._keys: tuple[PyJWKSet, int] | None = None

    async def begin(self, to: str, now_ms: int) -> Begun:
        """`to`: the page to come back to. ApiError 502 where the provider cannot be asked."""
        provider = await self._known_provider(now_ms)
        state, nonce, verifier, cookie = (secrets.token_urlsafe(32) for _ in range(4))
        self._forget_old(now_ms)
        self._begun[state] = _Attempt(_digest(cookie), nonce, verifier, own_page(to), now_ms)
        challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
        query = {
            "response_type": "code",
            "client_id": self._config.client_id,
            "redirect_uri": self._config.redirect_url,
            "scope": " ".join(self._config.scopes),
            "state": state,
            "nonce": nonce,
            "code_challenge": challenge,
            "code_challenge_method": "S256",
        }
        joint = "&" if "?" in provider.authorization_endpoint else "?"
        return Begun(f"{provider.authorization_endpoint}{joint}{urlencode(query)}", cookie)

    async def finish(self, query: Mapping[str, str], cookie: str, now_ms: int) -> Identity:
        """ApiError 403 or 502."""
        self._forget_old(now_ms)
        attempt = self._begun.get(query.get("state", ""))
        if attempt is None or not hmac.compare_digest(attempt.cookie, _digest(cookie)):
            raise ApiError(403, 40305, "This login was not begun here, or too long ago: begin it again.")
        del self._begun[query["state"]]
        if query.get("iss", self._config.issuer) != self._config.issuer:
            # RFC 9207: the answer of another provider.
            raise ApiError(403, 40305, "The login was answered by another provider.")
        if "code" not in query:
            raise ApiError(403, 40305, "The identity provider did not let you in.")
        provider = await self._known_provider(now_ms)
        token = await self._exchanged(provider, query["code"], attempt.verifier)
        try:
            claims = await self._claims(provider, token, now_ms)
            self._check(claims, attempt.nonce, now_ms)
        except TokenRefused as error:
            _log.warning("id token refused issuer=%s reason=%s", self._config.issuer, error)
            raise ApiError(403, 40305, "The identity provider's token is not to be believed.") from None
        return Identity(self._name(claims), self._role(claims), attempt.to)

    def close(self) -> None:
        self._upstream.close()

    def _check(self, claims: Mapping[str, Any], nonce: str, now_ms: int) -> None:
        config = self._config
        accepted(claims, ClaimRules(audiences=(config.client_id,), issuer=config.issuer, scope_claim=""), now_ms)
        given = claims.get("nonce")
        if not isinstance(given, str) or not hmac.compare_digest(given.encode(), nonce.encode()):
            raise TokenRefused("the token is for another login")
        party = claims.get("azp")
        if party is not None and party != config.client_id:
            raise TokenRefused("the token was made for another client")

    def _name(self, claims: Mapping[str, Any]) -> str:
        name = claims.get(self._config.name_claim)
        return (name if isinstance(name, str) and name.strip() else str(claims["sub"]))[:_NAME_MAX]

    def _role(self, claims: Mapping[str, Any]) -> Role:
        value: Any = claims.get(self._config.role_claim)
        if value is None:
            value = claims
            for part in self._config.role_claim.split("."):
                value = value.get(part) if isinstance(value, dict) else None
        listed = value.split() if isinstance(value, str) else value if isinstance(value, list) else []
        given = {each for each in listed if isinstance(each, str)} | ({value} if isinstance(value, str) else set())
        role = max((role for role, names in self._config.roles.items() if names & given), default=None)
        if role is None:
            raise ApiError(403, 40306, "You have no role here: ask whoever looks after the identity provider.")
        return role

    async def _known_provider(self, now_ms: int) -> _Provider:
        if self._provider is not None and now_ms - self._provider[1] < _PROVIDER_MS_MAX:
            return self._provider[0]
        url = self._config.issuer.rstrip("/") + "/.well-known/openid-configuration"
        provider: _Provider = _decoded(await self._get(url), _Provider)
        if provider.issuer != self._config.issuer:
            raise _trouble("it calls itself by another name than riacho.console.oidc.issuer")
        if not all(map(is_safe_url, (provider.authorization_endpoint, provider.token_endpoint, provider.jwks_uri))):
            raise _trouble("one of its addresses is not https")
        self._provider = (provider, now_ms)
        return provider

    async def _claims(self, provider: _Provider, token: str, now_ms: int) -> dict[str, Any]:
        keys, fetched_ms = self._keys or (None, 0)
        if keys is not None:
            try:
                return signed_token_claims(token, keys)
            except KeyUnknown:
                # It may be newer than what we know; the provider is asked this often at most.
                if now_ms - fetched_ms < _KEYS_AGAIN_MS:
                    raise
        keys = _key_set(await self._get(provider.jwks_uri))
        self._keys = (keys, now_ms)
        return signed_token_claims(token, keys)

    async def _exchanged(self, provider: _Provider, code: str, verifier: str) -> str:
        config = self._config
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": config.redirect_url,
            "client_id": config.client_id,
            "code_verifier": verifier,
        }
        headers = {"Content-Type": "application/x-www-form-urlencoded", "Accept": "application/json"}
        if config.client_secret is not None:
            # RFC 6749, 2.3.1: both are form-encoded first.
            headers["Authorization"] = basic(quote(config.client_id, safe=""), quote(config.client_secret, safe=""))
        body = await self._ask("POST", provider.token_endpoint, headers, urlencode(form).encode())
        tokens: _Tokens = _decoded(body, _Tokens)
        return tokens.id_token

    async def _get(self, url: str) -> bytes:
        return await self._ask("GET", url, {"Accept": "application/json"}, None)

    async def _ask(self, method: str, url: str, headers: Mapping[str, str], body: bytes | None) -> bytes:
        try:
            answer = await self._upstream.request(method, url, headers=headers, body=body, timeout_s=_TIMEOUT_S)
        except HttpError as error:
            raise _trouble(error.reason) from None
        if not answer.is_good:
            raise _trouble(f"it answered {answer.status} {answer.phrase}")
        return answer.body

    def _forget_old(self, now_ms: int) -> None:
        while self._begun:
            state, attempt = next(iter(self._begun.items()))
            if len(self._begun) < _BEGUN_MAX and now_ms - attempt.begun_ms < _BEGUN_MS_MAX:
                return
            del self._begun[state]


def own_page(path: str) -> str:
    """A page of the console to go to; its first page where `path` could lead elsewhere."""
    is_own = path.startswith("/") and not path.startswith(("//", "/\\")) and path.isprintable() and path.isascii()
    return path if is_own and "\\" not in path and not path.startswith("/api") else "/"


def _digest(cookie: str) -> bytes:
    return hashlib.sha256(cookie.encode()).digest()


def _key_set(body: bytes) -> PyJWKSet:
    from jwt import PyJWKSet, PyJWTError

    try:
        return PyJWKSet.from_dict(_decoded(body, dict[str, Any]))
    except PyJWTError:
        raise _trouble("its keys cannot be used") from None


def _decoded(body: bytes, kind: Any) -> Any:
    try:
        return msgspec.json.decode(body, type=kind)
    except (msgspec.DecodeError, RecursionError):
        raise _trouble("what it answered cannot be read") from None


def _trouble(reason: str) -> ApiError:
    return ApiError(502, 50205, f"The identity provider cannot be used: {reason}.")

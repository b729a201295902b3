"""Logging in at an identity provider, and everything about a token that is not to be believed."""

from __future__ import annotations

import asyncio
import base64
import json
import time
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from riacho.console.api import audit, session
from riacho.console.door.audit_log import AuditLog
from riacho.console.door.config import DoorConfig, OidcConfig, is_safe_url
from riacho.console.door.door import Door
from riacho.console.door.oidc import Identity, Oidc, own_page
from riacho.console.door.roles import Role
from riacho.console.parts import Parts
from riacho.web.app import App
from riacho.web.errors import ApiError
from support.oidc_provider import CLIENT_ID, CLIENT_SECRET, IdentityProvider
from support.web_service import asgi_call

REDIRECT = "http://127.0.0.1:9021/api/v1/oidc/callback"
ROLES = {role: frozenset({role.label}) for role in Role}


@pytest.fixture(scope="module")
def shared() -> Iterator[IdentityProvider]:
    provider = IdentityProvider()
    yield provider
    provider.close()


@pytest.fixture
def provider(shared: IdentityProvider) -> IdentityProvider:
    shared.claims = {"preferred_username": "ann", "roles": ["admin"]}
    shared.sign = shared.signed
    shared.discovery = {}
    return shared


@pytest.fixture
def oidc(provider: IdentityProvider) -> Iterator[Oidc]:
    made = Oidc(config_of(provider))
    yield made
    made.close()


def config_of(provider: IdentityProvider, **changed: Any) -> OidcConfig:
    usual: dict[str, Any] = {
        "issuer": provider.issuer,
        "client_id": CLIENT_ID,
        "client_secret": CLIENT_SECRET,
        "redirect_url": REDIRECT,
        "roles": ROLES,
    }
    return OidcConfig(**{**usual, **changed})


def now_ms() -> int:
    return int(time.time() * 1000)


async def log_in(oidc: Oidc, provider: IdentityProvider, to: str = "/") -> Identity:
    begun = await oidc.begin(to, now_ms())
    return await oidc.finish(provider.authorize(begun.url), begun.cookie, now_ms())


def refused(oidc: Oidc, provider: IdentityProvider) -> ApiError:
    with pytest.raises(ApiError) as caught:
        asyncio.run(log_in(oidc, provider))
    return caught.value


def test_somebody_logs_in(oidc: Oidc, provider: IdentityProvider) -> None:
    assert asyncio.run(log_in(oidc, provider, "/topics?q=a")) == Identity("ann", Role.ADMIN, "/topics?q=a")


@pytest.mark.parametrize(
    ("claims", "claim", "role"),
    [
        ({"roles": ["viewer", "operator"]}, "roles", Role.OPERATOR),
        ({"roles": "viewer"}, "roles", Role.VIEWER),
        ({"realm_access": {"roles": ["admin"]}}, "realm_access.roles", Role.ADMIN),
        ({"https://x.example/roles": ["viewer"]}, "https://x.example/roles", Role.VIEWER),
    ],
)
def test_the_role_is_a_claims(provider: IdentityProvider, claims: dict[str, Any], claim: str, role: Role) -> None:
    provider.claims = {**provider.claims, "roles": None, **claims}
    oidc = Oidc(config_of(provider, role_claim=claim))
    try:
        assert asyncio.run(log_in(oidc, provider)).role is role
    finally:
        oidc.close()


@pytest.mark.parametrize("roles", [None, [], ["root"], {"admin": True}, [["admin"]], 7])
def test_who_has_no_role_is_not_let_in(oidc: Oidc, provider: IdentityProvider, roles: Any) -> None:
    provider.claims["roles"] = roles
    assert refused(oidc, provider).error_code == 40306


def unsigned(claims: dict[str, Any]) -> str:
    return jwt.encode(claims, None, algorithm="none")


def by_another_key(claims: dict[str, Any]) -> str:
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    return jwt.encode(claims, key, algorithm="RS256", headers={"kid": "k1"})


def by_a_key_of_its_own(claims: dict[str, Any]) -> str:
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    jwk = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(key.public_key()))
    return jwt.encode(claims, key, algorithm="RS256", headers={"jwk": jwk, "kid": "k1"})


def cut(text: str) -> str:
    head, body, _ = text.split(".")
    return f"{head}.{body}."


def changed(text: str) -> str:
    head, body, signature = text.split(".")
    claims = json.loads(base64.urlsafe_b64decode(body + "=="))
    other = base64.urlsafe_b64encode(json.dumps({**claims, "roles": ["admin"]}).encode()).rstrip(b"=").decode()
    return f"{head}.{other}x.{signature}"


def by_the_public_key_as_a_secret(provider: IdentityProvider) -> Callable[[dict[str, Any]], str]:
    pem = provider.key.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )

    def part(value: Any) -> bytes:
        return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=")

    def sign(claims: dict[str, Any]) -> str:
        import hmac

        head = part({"alg": "HS256", "kid": "k1", "typ": "JWT"}) + b"." + part(claims)
        return (head + b"." + base64.urlsafe_b64encode(hmac.digest(pem, head, "sha256")).rstrip(b"=")).decode()

    return sign


@pytest.mark.parametrize("sign", [unsigned, by_another_key, by_a_key_of_its_own, lambda _: "a.b.c", lambda _: ""])
def test_only_the_providers_signature_counts(
    oidc: Oidc, provider: IdentityProvider, sign: Callable[[dict[str, Any]], str]
) -> None:
    provider.sign = sign
    assert refused(oidc, provider).status == 403


def test_signatures_that_were_tampered_with(oidc: Oidc, provider: IdentityProvider) -> None:
    for spoil in (cut, changed):
        provider.sign = lambda claims, spoil=spoil: spoil(provider.signed(claims))  # type: ignore[misc]
        assert refused(oidc, provider).status == 403
    provider.sign = by_the_public_key_as_a_secret(provider)
    assert refused(oidc, provider).status == 403


@pytest.mark.parametrize(
    "claims",
    [
        {"nonce": "another"},
        {"nonce": None},
        {"aud": "other"},
        {"aud": [CLIENT_ID], "azp": "other"},
        {"iss": "http://evil.example"},
        {"exp": 1},
        {"exp": None},
        {"iat": 4_000_000_000, "exp": 4_000_000_100},
        {"nbf": 4_000_000_000},
        {"sub": ""},
        {"sub": None},
    ],
)
def test_claims_that_are_not_for_this_login(oidc: Oidc, provider: IdentityProvider, claims: dict[str, Any]) -> None:
    provider.claims |= claims
    assert refused(oidc, provider).status == 403


def test_a_state_is_good_once_for_its_browser_and_not_for_long(oidc: Oidc, provider: IdentityProvider) -> None:
    async def test() -> None:
        begun = await oidc.begin("/", now_ms())
        query = provider.authorize(begun.url)
        for cookie in ("", "somebody-elses"):
            with pytest.raises(ApiError, match="not begun here"):
                await oidc.finish(query, cookie, now_ms())
        with pytest.raises(ApiError, match="not begun here"):
            await oidc.finish({**query, "state": "made-up"}, begun.cookie, now_ms())
        await oidc.finish(query, begun.cookie, now_ms())
        with pytest.raises(ApiError, match="not begun here"):
            await oidc.finish(query, begun.cookie, now_ms())
        begun = await oidc.begin("/", now_ms())
        with pytest.raises(ApiError, match="too long ago"):
            await oidc.finish(provider.authorize(begun.url), begun.cookie, now_ms() + 600_000)
        begun = await oidc.begin("/", now_ms())
        with pytest.raises(ApiError, match="another provider"):
            await oidc.finish({**provider.authorize(begun.url), "iss": "https://other"}, begun.cookie, now_ms())
        begun = await oidc.begin("/", now_ms())
        state = provider.authorize(begun.url)["state"]
        with pytest.raises(ApiError, match="did not let you in"):
            await oidc.finish({"state": state, "error": "access_denied"}, begun.cookie, now_ms())

    asyncio.run(test())


def test_a_code_of_another_login_has_another_verifier(oidc: Oidc, provider: IdentityProvider) -> None:
    async def test() -> None:
        mine, theirs = await oidc.begin("/", now_ms()), await oidc.begin("/", now_ms())
        query = {**provider.authorize(mine.url), "code": provider.authorize(theirs.url)["code"]}
        with pytest.raises(ApiError, match="answered 400"):
            await oidc.finish(query, mine.cookie, now_ms())

    asyncio.run(test())


def test_logins_that_are_begun_are_bounded(oidc: Oidc) -> None:
    async def test() -> None:
        for _ in range(1_100):
            await oidc.begin("/", now_ms())
        assert len(oidc._begun) <= 1_000

    asyncio.run(test())


def test_new_keys_are_fetched_and_not_for_every_made_up_one(oidc: Oidc, provider: IdentityProvider) -> None:
    async def test() -> None:
        await log_in(oidc, provider)
        provider.key, provider.key_id = rsa.generate_private_key(public_exponent=65537, key_size=2048), "k2"
        begun = await oidc.begin("/", now_ms())
        later_ms = now_ms() + 10_000
        assert (await oidc.finish(provider.authorize(begun.url), begun.cookie, later_ms)).name == "ann"
        provider.sign = lambda claims: jwt.encode(claims, provider.key, algorithm="RS256", headers={"kid": "made-up"})
        fetches = provider.asked.count("/jwks_uri")
        for _ in range(5):
            begun = await oidc.begin("/", now_ms())
            with pytest.raises(ApiError):
                await oidc.finish(provider.authorize(begun.url), begun.cookie, later_ms)
        assert provider.asked.count("/jwks_uri") == fetches

    asyncio.run(test())


@pytest.mark.parametrize(
    "discovery",
    [
        {"issuer": "http://127.0.0.1:1"},
        {"token_endpoint": "http://idp.example/token"},
        {"jwks_uri": "file:///etc/passwd"},
        {"authorization_endpoint": "javascript:alert(1)"},
        {"token_endpoint": None},
    ],
)
def test_a_provider_that_leads_elsewhere_is_not_followed(provider: IdentityProvider, discovery: dict[str, Any]) -> None:
    provider.discovery = discovery
    oidc = Oidc(config_of(provider))
    try:
        assert refused(oidc, provider).status == 502
    finally:
        oidc.close()


@pytest.mark.parametrize(
    ("url", "is_safe"),
    [
        ("https://idp.example", True),
        ("http://127.0.0.1:1", True),
        ("http://localhost", True),
        ("http://idp.example", False),
        ("http://127.0.0.1.evil.example", False),
        ("http://localhost@evil.example", False),
        ("ftp://127.0.0.1", False),
        ("https://", False),
        ("https://[", False),
        ("", False),
    ],
)
def test_http_is_for_this_machine_alone(url: str, is_safe: bool) -> None:
    assert is_safe_url(url) is is_safe


@pytest.mark.parametrize(
    "path",
    ["//evil.example", "https://evil.example", "/\\evil.example", "\\\\evil", "/a\r\nX: y", "", "/api/v1/logout", "/é"],
)
def test_nobody_is_sent_elsewhere_after_a_login(path: str) -> None:
    assert own_page(path) == "/"


def test_the_cookie_of_a_login_is_for_tls_alone_behind_a_proxy_with_it(oidc: Oidc, tmp_path: Any) -> None:
    door = Door(AuditLog(tmp_path / "audit.log"), DoorConfig(secure_cookies=True), oidc=oidc)
    parts = Parts.__new__(Parts)
    parts.door = door
    app = App("c", door.guarded(session.endpoints(parts)), authenticator=door)
    started = asyncio.run(asgi_call(app, "GET", "/api/v1/oidc/start", query="to=//evil.example"))
    assert started.headers["set-cookie"].endswith("; Secure")
    assert [attempt.to for attempt in oidc._begun.values()] == ["/"]


def test_the_whole_way_by_http(provider: IdentityProvider, oidc: Oidc, tmp_path: Any) -> None:
    async def test() -> None:
        door = Door(AuditLog(tmp_path / "audit.log"), DoorConfig(), oidc=oidc)
        parts = Parts.__new__(Parts)
        parts.door = door
        app = App("c", door.guarded([*session.endpoints(parts), *audit.endpoints(parts)]), authenticator=door)
        assert (await asgi_call(app, "GET", "/api/v1/me")).json["login"] == "oidc"
        started = await asgi_call(app, "GET", "/api/v1/oidc/start", query="to=/topics")
        assert started.status == 303
        cookie = started.headers["set-cookie"]
        assert "HttpOnly; SameSite=Lax; Path=/api/v1/oidc" in cookie
        back = urlencode(provider.authorize(started.headers["location"]))
        path = urlsplit(REDIRECT).path
        without = await asgi_call(app, "GET", path, query=back)
        assert without.headers["location"] == "/login?problem=40305"
        done = await asgi_call(app, "GET", path, query=back, headers={"Cookie": cookie.partition(";")[0]})
        assert (done.status, done.headers["location"]) == (303, "/topics")
        own = done.headers["set-cookie"].partition(";")[0]
        me = (await asgi_call(app, "GET", "/api/v1/me", headers={"Cookie": own})).json
        assert (me["name"], me["role"], me["has_passwords"]) == ("ann", "admin", False)
        log = (await asgi_call(app, "GET", "/api/v1/audit", headers={"Cookie": own})).json["items"]
        assert [(each["who"], each["outcome"]) for each in log] == [("ann", "done"), ("", "refused")]
        assert "code" not in parse_qs(json.dumps(log))

    asyncio.run(test())

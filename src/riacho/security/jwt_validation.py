"""Whether a JSON web token is to be believed (RFC 7519), by an identity provider's keys or, for trials, by its word.

Signatures are checked by PyJWT with the keys of a JWKS document (RFC 7517), asymmetric algorithms only: with a shared
secret whoever can check tokens could make them. The claims are checked here, against the time that is given.

Unsecured tokens (`alg` none) prove nothing. Kafka accepts them unless told otherwise; here they must be asked for.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from riacho.security.oauth import AcceptedToken, TokenRefused

if TYPE_CHECKING:
    from jwt import PyJWKSet

ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
_TOKEN_SIZE_MAX = 64 * 1024
# Further than anybody counts, and small enough for all that is done with it.
_TIME_S_MAX = 1 << 48


class ClaimRules(NamedTuple):
    subject_claim: str = "sub"
    scope_claim: str = "scope"
    audiences: tuple[str, ...] = ()
    issuer: str | None = None
    required_scope: tuple[str, ...] = ()
    clock_skew_ms: int = 30_000
    needs_issued_at: bool = True


class KeyUnknown(TokenRefused):
    """Signed by a key that the provider may have made since its keys were fetched."""


def signed_token_claims(token: str, keys: PyJWKSet) -> dict[str, Any]:
    """The claims of a token that one of these keys signed; TokenRefused."""
    import jwt

    if len(token) > _TOKEN_SIZE_MAX:
        raise TokenRefused("the token is too long")
    try:
        header = jwt.get_unverified_header(token)
    except (jwt.PyJWTError, ValueError, RecursionError):
        raise TokenRefused("the token cannot be read") from None
    if header.get("alg") not in ALGORITHMS:
        raise TokenRefused(f"the token's algorithm {header.get('alg')!r} is not accepted")
    key_id = header.get("kid")
    found = [key for key in keys.keys if key.key_id == key_id] if key_id is not None else list(keys.keys)
    found = [key for key in found if key.public_key_use in (None, "sig") and key.key_type != "oct"]
    if not found:
        raise KeyUnknown("the token is signed by a key that is not known")
    if len(found) > 1:
        raise TokenRefused("the token does not say which key it is signed by")
    try:
        # The claims are looked at below, by our clock.
        unlooked = ("exp", "nbf", "iat", "aud", "sub", "jti")
        options: Any = {f"verify_{name}": False for name in unlooked}
        return dict(jwt.decode(token, found[0], algorithms=list(ALGORITHMS), options=options))
    except (jwt.PyJWTError, ValueError, RecursionError):
        raise TokenRefused("the token's signature is wrong") from None


def unsecured_token_claims(token: str) -> dict[str, Any]:
    """The claims of a token that nobody signed; TokenRefused for any other."""
    parts = token.split(".")
    if len(parts) != 3 or len(token) > _TOKEN_SIZE_MAX:
        raise TokenRefused("the token cannot be read")
    if parts[2] or _part(parts[0]).get("alg") != "none":
        raise TokenRefused("the token is signed, but only unsecured ones are accepted here")
    return _part(parts[1])


def accepted(claims: Mapping[str, Any], rules: ClaimRules, now_ms: int) -> AcceptedToken:
    """Who the token stands for, and until when; TokenRefused."""
    expiry_ms = _time_ms(claims, "exp", is_needed=True)
    assert expiry_ms is not None
    if expiry_ms + rules.clock_skew_ms <= now_ms:
        raise TokenRefused("the token is expired")
    issued_ms = _time_ms(claims, "iat", is_needed=rules.needs_issued_at)
    not_before_ms = _time_ms(claims, "nbf", is_needed=False)
    for name, time_ms in (("iat", issued_ms), ("nbf", not_before_ms)):
        if time_ms is not None and time_ms - rules.clock_skew_ms > now_ms:
            raise TokenRefused(f"the token's {name} lies in the future")
    if issued_ms is not None and issued_ms > expiry_ms:
        raise TokenRefused("the token expires before it was issued")
    _check_issuer(claims, rules)
    _check_scope(claims, rules)
    subject = claims.get(rules.subject_claim)
    if not isinstance(subject, str) or not subject.strip():
        raise TokenRefused(f"the token has no claim {rules.subject_claim}")
    return AcceptedToken(subject, expiry_ms)


def validator(
    read_claims: Callable[[str], Mapping[str, Any]], rules: ClaimRules
) -> Callable[[str, int], AcceptedToken]:
    return lambda token, now_ms: accepted(read_claims(token), rules, now_ms)


def _check_issuer(claims: Mapping[str, Any], rules: ClaimRules) -> None:
    if rules.issuer is not None and claims.get("iss") != rules.issuer:
        raise TokenRefused("the token is of another issuer")
    if rules.audiences:
        named = claims.get("aud")
        audiences = [named] if isinstance(named, str) else named if isinstance(named, list) else []
        if not set(rules.audiences) & {item for item in audiences if isinstance(item, str)}:
            raise TokenRefused("the token is for another audience")


def _check_scope(claims: Mapping[str, Any], rules: ClaimRules) -> None:
    value = claims.get(rules.scope_claim, [])
    scopes = value.split() if isinstance(value, str) else value
    if not isinstance(scopes, list) or not all(isinstance(scope, str) for scope in scopes):
        raise TokenRefused(f"the token's claim {rules.scope_claim} is no scope")
    missing = [scope for scope in rules.required_scope if scope not in scopes]
    if missing:
        needed = " ".join(rules.required_scope)
        raise TokenRefused(f"the token lacks scope {missing[0]}", status="insufficient_scope", scope=needed)


def _time_ms(claims: Mapping[str, Any], name: str, *, is_needed: bool) -> int | None:
    value = claims.get(name)
    if value is None and not is_needed:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= _TIME_S_MAX:
        raise TokenRefused(f"the token has no time in its claim {name}")
    return int(value * 1000)


def _part(text: str) -> dict[str, Any]:
    try:
        found = json.loads(base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True))
    except (binascii.Error, ValueError, RecursionError):
        raise TokenRefused("the token cannot be read") from None
    if not isinstance(found, dict):
        raise TokenRefused("the token cannot be read")
    return found

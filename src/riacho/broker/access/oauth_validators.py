"""OAUTHBEARER on the server's side: which tokens each listener takes.

By an identity provider's keys where `sasl.oauthbearer.jwks.endpoint.url` is set. Unsecured tokens are taken only where
that was asked for: by an `unsecuredValidator...` option in the login settings, or by the name of Kafka's class for it
in `sasl.server.callback.handler.class`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from riacho.base.config import ConfigError
from riacho.base.packages import how_to_install
from riacho.broker.access.oauth_keys import OauthKeys
from riacho.security.jwt_validation import (
    ClaimRules,
    KeyUnknown,
    signed_token_claims,
    unsecured_token_claims,
    validator,
)
from riacho.security.oauth import OauthServer, TokenRefused

if TYPE_CHECKING:
    from riacho.broker.access.listener_values import ListenerValues
    from riacho.broker.logs import Logs
    from riacho.security.jaas import LoginModule

_UNSECURED_OPTION = "unsecuredValidator"
_UNSECURED_CLASS = "OAuthBearerUnsecuredValidatorCallbackHandler"


class OauthValidators:
    def __init__(self, logs: Logs) -> None:
        self._logs = logs
        self._keys: dict[str, OauthKeys] = {}

    def check(self, values: ListenerValues, module: LoginModule | None) -> None:
        """ConfigError where no token could be accepted, and where libraries are missing."""
        if _jwks_url(values) is not None:
            try:
                import jwt  # noqa: F401
                from cryptography import x509  # noqa: F401
            except ImportError:
                problem = "checking tokens needs the packages pyjwt and cryptography"
                raise ConfigError(f"{problem}: {how_to_install('security')}") from None
        elif not _takes_unsecured(values, module):
            problem = "OAUTHBEARER needs sasl.oauthbearer.jwks.endpoint.url"
            option = 'unsecuredValidatorPrincipalClaimName="sub"'
            raise ConfigError(f"{problem}; for trials, {option} in its sasl.jaas.config allows unsecured tokens")

    def start(self, values: ListenerValues) -> None:
        """Fetch the keys before the first token comes."""
        url = _jwks_url(values)
        if url is not None:
            self._keys_at(url, values)

    def new_server(self, values: ListenerValues, module: LoginModule | None) -> OauthServer:
        url = _jwks_url(values)
        if url is not None:
            keys = self._keys_at(url, values)
            return OauthServer(validator(lambda token: _claims(token, keys), _rules(values)))
        if _takes_unsecured(values, module):
            assert module is not None
            return OauthServer(validator(unsecured_token_claims, _unsecured_rules(module)))
        return OauthServer(_refuse_all)

    def close(self) -> None:
        for keys in self._keys.values():
            keys.close()

    def _keys_at(self, url: str, values: ListenerValues) -> OauthKeys:
        found = self._keys.get(url)
        if found is None:
            found = self._keys[url] = OauthKeys(url, values, self._logs)
        return found


def _claims(token: str, keys: OauthKeys) -> dict[str, Any]:
    if keys.current is None:
        raise TokenRefused("the identity provider's keys are not known yet")
    try:
        return signed_token_claims(token, keys.current)
    except KeyUnknown:
        keys.want()
        raise


def _refuse_all(token: str, now_ms: int) -> Any:
    raise TokenRefused("no token is accepted here")


def _jwks_url(values: ListenerValues) -> str | None:
    found = values.of_mechanism("OAUTHBEARER", "sasl.oauthbearer.jwks.endpoint.url")
    return str(found) if found else None


def _takes_unsecured(values: ListenerValues, module: LoginModule | None) -> bool:
    if module is None:
        return False
    name = values.of_mechanism("OAUTHBEARER", "sasl.server.callback.handler.class") or ""
    by_option = any(option.startswith(_UNSECURED_OPTION) for option in module.options)
    return by_option or str(name).rpartition(".")[2] == _UNSECURED_CLASS


def _rules(values: ListenerValues) -> ClaimRules:
    def get(name: str) -> Any:
        return values.of_mechanism("OAUTHBEARER", name)

    return ClaimRules(
        subject_claim=get("sasl.oauthbearer.sub.claim.name"),
        scope_claim=get("sasl.oauthbearer.scope.claim.name"),
        audiences=tuple(get("sasl.oauthbearer.expected.audience") or ()),
        issuer=get("sasl.oauthbearer.expected.issuer") or None,
        clock_skew_ms=1000 * get("sasl.oauthbearer.clock.skew.seconds"),
    )


def _unsecured_rules(module: LoginModule) -> ClaimRules:
    options = module.options
    skew = options.get("unsecuredValidatorAllowableClockSkewMs", "0")
    return ClaimRules(
        subject_claim=options.get("unsecuredValidatorPrincipalClaimName", "sub"),
        scope_claim=options.get("unsecuredValidatorScopeClaimName", "scope"),
        required_scope=tuple(options.get("unsecuredValidatorRequiredScope", "").split()),
        clock_skew_ms=int(skew) if skew.isdecimal() else 0,
        needs_issued_at=False,
    )

"""The SASL mechanisms that a listener offers, and new conversations in them."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

from riacho.base.config import ConfigError
from riacho.base.scram import SCRAM_BY_NAME
from riacho.security.jaas import LoginModule, parse_jaas
from riacho.security.plain import PlainServer
from riacho.security.sasl import SaslFailure, SaslServer
from riacho.security.scram import ScramLookup, ScramServer

if TYPE_CHECKING:
    from riacho.broker.access.credential_provider import CredentialProvider
    from riacho.broker.access.listener_values import ListenerValues
    from riacho.broker.access.oauth_validators import OauthValidators

SERVED = ("PLAIN", *SCRAM_BY_NAME, "OAUTHBEARER")
_NONCE_BYTES = 24


class SaslMechanisms:
    def __init__(self, values: ListenerValues, oauth: OauthValidators, credentials: CredentialProvider) -> None:
        self._values = values
        self._oauth = oauth
        self._credentials = credentials
        self._modules: dict[str, tuple[str, LoginModule]] = {}
        # For the salts of users that do not exist: the same as long as the node runs.
        self._secret = b""

    def enabled(self) -> list[str]:
        return [str(name).upper() for name in self._values.get("sasl.enabled.mechanisms")]

    def check(self) -> None:
        """ConfigError for what can never work, before anybody tries."""
        for mechanism in self.enabled():
            where = f"listener {self._values.listener_name}"
            if mechanism not in SERVED:
                problem = f"{where} is to offer SASL mechanism {mechanism}, which is not served"
                raise ConfigError(f"{problem}: sasl.enabled.mechanisms may have {', '.join(SERVED)}")
            text = self._values.jaas_text(mechanism)
            if text is not None:
                module = parse_jaas(text)
                if mechanism == "OAUTHBEARER":
                    self._oauth.check(self._values, module)
            elif mechanism in ("PLAIN", "OAUTHBEARER"):
                name = f"listener.name.{self._values.listener_name.lower()}.{mechanism.lower()}.sasl.jaas.config"
                raise ConfigError(f"{where} offers {mechanism}, but {name} is not set")

    def start(self) -> None:
        if "OAUTHBEARER" in self.enabled():
            self._oauth.start(self._values)

    def new_server(self, mechanism: str) -> SaslServer:
        if mechanism == "PLAIN":
            module = self.login_module(mechanism)
            return PlainServer({} if module is None else module.user_passwords)
        if mechanism == "OAUTHBEARER":
            return self._oauth.new_server(self._values, self.login_module(mechanism))
        scram = SCRAM_BY_NAME.get(mechanism)
        if scram is None:
            # Offered by a setting that was changed since the start.
            raise SaslFailure(f"SASL mechanism {mechanism} is not served")
        self._secret = self._secret or secrets.token_bytes(32)
        known = self._credentials
        lookup = ScramLookup(
            user=lambda name: known.user(scram, name), token=lambda name: known.token(scram, name), secret=self._secret
        )
        return ScramServer(scram, lookup, secrets.token_urlsafe(_NONCE_BYTES))

    def login_module(self, mechanism: str) -> LoginModule | None:
        text = self._values.jaas_text(mechanism)
        if text is None:
            return None
        known = self._modules.get(mechanism)
        if known is None or known[0] != text:
            try:
                known = self._modules[mechanism] = (text, parse_jaas(text))
            except ConfigError as error:
                raise SaslFailure(f"the login settings of {mechanism} cannot be read: {error}") from None
        return known[1]

    def session_lifetime_ms_max(self, mechanism: str) -> int:
        return int(self._values.of_mechanism(mechanism, "connections.max.reauth.ms"))

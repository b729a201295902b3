"""The SASL mechanisms that a listener offers, and new conversations in them."""

from __future__ import annotations

import secrets
from functools import lru_cache
from typing import TYPE_CHECKING

from riacho.base.config import ConfigError
from riacho.base.scram import SCRAM_BY_NAME, ScramCredential, ScramMechanism, scram_credential
from riacho.metadata.image.delegation_tokens import token_hmac, token_password, token_salt
from riacho.security.jaas import LoginModule, parse_jaas
from riacho.security.plain import PlainServer
from riacho.security.sasl import SaslFailure, SaslServer
from riacho.security.scram import KnownCredential, ScramLookup, ScramServer

if TYPE_CHECKING:
    from riacho.broker.access.listener_values import ListenerValues
    from riacho.broker.node import Broker

SERVED = ("PLAIN", *SCRAM_BY_NAME, "OAUTHBEARER")
_NONCE_BYTES = 24
_TOKEN_ITERATIONS = 4096


class SaslMechanisms:
    def __init__(self, broker: Broker, values: ListenerValues) -> None:
        self._broker = broker
        self._values = values
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
                    self._broker.oauth.check(self._values, module)
            elif mechanism in ("PLAIN", "OAUTHBEARER"):
                name = f"listener.name.{self._values.listener_name.lower()}.{mechanism.lower()}.sasl.jaas.config"
                raise ConfigError(f"{where} offers {mechanism}, but {name} is not set")

    def start(self) -> None:
        if "OAUTHBEARER" in self.enabled():
            self._broker.oauth.start(self._values)

    def new_server(self, mechanism: str) -> SaslServer:
        if mechanism == "PLAIN":
            module = self.login_module(mechanism)
            return PlainServer({} if module is None else module.user_passwords)
        if mechanism == "OAUTHBEARER":
            return self._broker.oauth.new_server(self._values, self.login_module(mechanism))
        scram = SCRAM_BY_NAME.get(mechanism)
        if scram is None:
            # Offered by a setting that was changed since the start.
            raise SaslFailure(f"SASL mechanism {mechanism} is not served")
        self._secret = self._secret or secrets.token_bytes(32)
        lookup = ScramLookup(
            user=lambda name: self._user(scram, name), token=lambda name: self._token(scram, name), secret=self._secret
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

    def _user(self, mechanism: ScramMechanism, name: str) -> KnownCredential | None:
        found = self._broker.metadata.image.scram_credentials.get((name, mechanism))
        return None if found is None else KnownCredential(found, name)

    def _token(self, mechanism: ScramMechanism, token_id: str) -> KnownCredential | None:
        token = self._broker.metadata.image.delegation_tokens.get(token_id)
        secret_key = self._broker.config.get("delegation.token.secret.key")
        if token is None or secret_key is None:
            return None
        credential = _token_credential(mechanism, token_id, secret_key)
        return KnownCredential(credential, token.owner.partition(":")[2], token.expiry_ms)


@lru_cache(maxsize=1024)
def _token_credential(mechanism: ScramMechanism, token_id: str, secret_key: str) -> ScramCredential:
    """Kept, since making one takes thousands of hashes and a client logs in often."""
    password = token_password(token_hmac(token_id, secret_key))
    return scram_credential(mechanism, password, token_salt(token_id, mechanism.sasl_name), _TOKEN_ITERATIONS)

"""What a listener asks of those who come in: nothing, TLS, SASL, or both, by `listener.security.protocol.map`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from riacho.base.config import ConfigError
from riacho.broker.access.listener_values import ListenerValues
from riacho.broker.access.sasl_mechanisms import SaslMechanisms
from riacho.security.der import DerError
from riacho.security.distinguished_name import subject_of
from riacho.security.principal_mapping import PrincipalMapper

if TYPE_CHECKING:
    import asyncio

    from riacho.broker.access.client_connection import ClientConnection
    from riacho.broker.access.credential_provider import CredentialProvider
    from riacho.broker.access.dynamic_config import DynamicConfig
    from riacho.broker.access.oauth_validators import OauthValidators
    from riacho.broker.access.tls_contexts import TlsContexts
    from riacho.broker.config import BrokerConfig
    from riacho.broker.counters.metrics import Authentications
    from riacho.broker.logs import Logs


class ListenerSecurity:
    def __init__(
        self,
        listener_name: str,
        config: BrokerConfig,
        dynamic_config: DynamicConfig,
        oauth: OauthValidators,
        credentials: CredentialProvider,
        authentications: Authentications,
        logs: Logs,
    ) -> None:
        """ConfigError, which names the listener, when it cannot be secured as it should."""
        self.protocol = config.protocol_of(listener_name)
        self.uses_tls = self.protocol in ("SSL", "SASL_SSL")
        self.uses_sasl = self.protocol in ("SASL_PLAINTEXT", "SASL_SSL")
        self.values = ListenerValues(listener_name, dynamic_config.values)
        self.mechanisms = SaslMechanisms(self.values, oauth, credentials)
        self.failure_delay_ms: int = config.get("connection.failed.authentication.delay.ms")
        self._name = listener_name
        self._authentications = authentications
        self._logs = logs
        try:
            self.tls = _tls_contexts(self.values) if self.uses_tls else None
            rules = self.values.get("ssl.principal.mapping.rules") if self.uses_tls else None
            self._mapper = None if rules is None else PrincipalMapper(rules)
            if self.uses_sasl:
                self.mechanisms.check()
        except ConfigError as error:
            raise ConfigError(f"listener {listener_name}: {error}") from None

    def refresh(self) -> None:
        """Take changed keys up; a change that cannot be used is told and left."""
        if self.tls is None:
            return
        logs = self._logs.error
        try:
            if self.tls.refresh():
                logs.info("TLS context renewed listener=%s", self._name)
        except (ConfigError, OSError, ValueError) as error:
            logs.error("TLS context cannot be renewed listener=%s reason=%s", self._name, error)

    def name_by_certificate(self, connection: ClientConnection, transport: asyncio.BaseTransport) -> None:
        """A client of TLS alone is who its certificate says, or nobody in particular without one."""
        certificate = transport.get_extra_info("ssl_object").getpeercert(binary_form=True)
        principal = self.principal_of(certificate, connection.context.client_host)
        if principal is None:
            connection.abort()
        else:
            connection.context.principal = principal

    def principal_of(self, certificate: bytes | None, host: str) -> str | None:
        """Whom a certificate stands for; None when it stands for nobody, which counts as a failed login."""
        assert self._mapper is not None, "certificates come by TLS"
        user: str | None = "ANONYMOUS"
        if certificate is not None:
            try:
                name = subject_of(certificate)
            except DerError as error:
                self.failed(host, "TLS", None, f"the client's certificate cannot be read: {error}")
                return None
            user = self._mapper.user_of(name)
            if user is None:
                self.failed(host, "TLS", None, f"no rule of ssl.principal.mapping.rules applies to {name}")
                return None
        self._authentications.succeeded += 1
        return f"User:{user}"

    @property
    def receive_size_bytes_max(self) -> int:
        return int(self.values.get("sasl.server.max.receive.size"))

    def failed(self, host: str, mechanism: str, user: str | None, reason: str) -> None:
        """Count it and say it; who it was said to be, at most, and never with what."""
        self._authentications.failed += 1
        self._logs.authentication_failed(host, self._name, mechanism, user or "-", reason)


def _tls_contexts(values: ListenerValues) -> TlsContexts:
    # Only here: a broker without TLS starts faster without its library.
    from riacho.broker.access.tls_contexts import TlsContexts

    return TlsContexts(values)

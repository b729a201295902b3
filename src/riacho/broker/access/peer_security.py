"""How this node secures what it says to other nodes: as the listener demands that they are reached by.

Towards brokers that is `inter.broker.listener.name` with `sasl.mechanism.inter.broker.protocol`, towards controllers
the first of `controller.listener.names` with `sasl.mechanism.controller.protocol`. Name and password come from the same
login settings as those of the listener itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from riacho.base.config import ConfigError
from riacho.base.errors import ErrorCode, KafkaError
from riacho.broker.access.listener_values import ListenerValues
from riacho.client.client_security import ClientSecurity

if TYPE_CHECKING:
    import ssl

    from riacho.broker.access.dynamic_config import DynamicConfig
    from riacho.broker.config import BrokerConfig
    from riacho.security.sasl import SaslClient


class PeerSecurity:
    def __init__(self, config: BrokerConfig, dynamic_config: DynamicConfig) -> None:
        self._config = config
        self._dynamic_config = dynamic_config
        self.to_controllers = self._security(controller_listener(config), "sasl.mechanism.controller.protocol")
        # A controller alone has no listener of brokers, and nothing to say to them.
        self.to_brokers = (
            self._security(config.inter_broker_listener_name, "sasl.mechanism.inter.broker.protocol")
            if config.is_broker
            else ClientSecurity()
        )

    def _security(self, listener_name: str, mechanism_setting: str) -> ClientSecurity:
        protocol = self._config.protocol_of(listener_name)
        values = ListenerValues(listener_name, self._dynamic_config.values)
        uses_tls, uses_sasl = protocol in ("SSL", "SASL_SSL"), protocol in ("SASL_PLAINTEXT", "SASL_SSL")
        tls = (lambda: _context(values)) if uses_tls else None
        if not uses_sasl:
            return ClientSecurity(tls)
        mechanism = str(values.get(mechanism_setting)).upper()
        _conversation(values, mechanism)
        return ClientSecurity(tls, mechanism, lambda: _conversation(values, mechanism))


def controller_listener(config: BrokerConfig) -> str:
    return str(config.get("controller.listener.names")[0]).upper()


def _context(values: ListenerValues) -> ssl.SSLContext:
    from riacho.broker.access.tls_contexts import stamps_of
    from riacho.client.security import cached_context
    from riacho.client.tls import tls_settings

    settings = tls_settings(values.get)
    try:
        return cached_context(settings, stamps_of(settings))
    except ConfigError as error:
        raise KafkaError(ErrorCode.SASL_AUTHENTICATION_FAILED, str(error)) from None


def _conversation(values: ListenerValues, mechanism: str) -> SaslClient:
    from riacho.client.security import sasl_client
    from riacho.security.jaas import parse_jaas

    text = values.jaas_text(mechanism)
    if text is None:
        name = f"listener.name.{values.listener_name.lower()}.{mechanism.lower()}.sasl.jaas.config"
        raise ConfigError(f"nodes log in at each other by {mechanism}, but {name} is not set")
    return sasl_client(mechanism, parse_jaas(text), values.get)

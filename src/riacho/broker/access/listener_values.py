"""A listener's settings: its own, under `listener.name.<name>.`, before those of all listeners.

Settings of one SASL mechanism carry its name as well: `listener.name.<name>.<mechanism>.sasl.jaas.config`. Read anew
each time, so changes made while the node runs count.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from riacho.metadata.settings.broker_values import BrokerValues


class ListenerValues:
    def __init__(self, listener_name: str, values: Callable[[], BrokerValues]) -> None:
        self.listener_name = listener_name
        self._prefix = f"listener.name.{listener_name.lower()}."
        self._values = values

    def own_name(self, name: str) -> str:
        return self._prefix + name

    def get(self, name: str) -> Any:
        values = self._values()
        own = self._prefix + name
        return values.get(own) if values.is_set(own) else values.get(name)

    def of_mechanism(self, mechanism: str, name: str) -> Any:
        """The mechanism's own, else the listener's."""
        values = self._values()
        own = f"{self._prefix}{mechanism.lower()}.{name}"
        return values.get(own) if values.is_set(own) else self.get(name)

    def jaas_text(self, mechanism: str) -> str | None:
        """Login settings must name their mechanism, as Kafka has it: a bare `sasl.jaas.config` is not for servers."""
        values = self._values()
        for prefix in (self._prefix, ""):
            name = f"{prefix}{mechanism.lower()}.sasl.jaas.config"
            if values.is_set(name):
                return str(values.get(name))
        return None

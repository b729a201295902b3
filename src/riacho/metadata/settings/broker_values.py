"""What a broker's settings come to: per-broker over cluster default over file over table (KIP-226)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from riacho.base.config import ConfigError, Value
from riacho.metadata.image.config_resource import ConfigSource
from riacho.metadata.settings.broker_configs import BROKER_KEYS, broker_key


class BrokerValues:
    """One state of the layers; made anew when a layer changes, parsed once for each key asked for."""

    def __init__(
        self,
        static: Mapping[str, str],
        dynamic_default: Mapping[str, str] | None = None,
        dynamic_broker: Mapping[str, str] | None = None,
    ) -> None:
        self.layers: tuple[tuple[ConfigSource, Mapping[str, str]], ...] = (
            (ConfigSource.DYNAMIC_BROKER_CONFIG, dynamic_broker or {}),
            (ConfigSource.DYNAMIC_DEFAULT_BROKER_CONFIG, dynamic_default or {}),
            (ConfigSource.STATIC_BROKER_CONFIG, static),
        )
        self._parsed: dict[str, Value] = {}

    @property
    def static(self) -> Mapping[str, str]:
        return self.layers[2][1]

    def get(self, name: str) -> Value:
        if name not in self._parsed:
            self._parsed[name] = self._parse(name)
        return self._parsed[name]

    def integer(self, name: str) -> int:
        value = self.get(name)
        assert isinstance(value, int), name
        return value

    def flag(self, name: str) -> bool:
        value = self.get(name)
        assert isinstance(value, bool), name
        return value

    def is_set(self, name: str) -> bool:
        """Whether somebody chose the value, here or in the cluster, rather than the table."""
        return any(name in layer for _, layer in self.layers)

    def texts(self, name: str) -> Iterator[tuple[str, ConfigSource]]:
        """Every text that some layer gives the setting, the ruling one first, the table's default last."""
        for source, layer in self.layers:
            if name in layer:
                yield layer[name], source
        key = BROKER_KEYS.get(name)
        if key is not None and key.default is not None:
            yield key.default, ConfigSource.DEFAULT_CONFIG

    def _parse(self, name: str) -> Value:
        key = broker_key(name)
        for text, _ in self.texts(name):
            if key is None:
                return text
            try:
                return key.parse(text)
            except ConfigError:
                # A dynamic value that an older version let in must not stop the broker: the next layer rules.
                continue
        return None if key is None else key.default_value

"""Which settings of a connector's config end in a Kafka client, and what is wrong with them.

`producer.override.*` and its kin are every connector's; a connector class names further prefixes in CLIENT_PREFIXES
(a mirror's `source.cluster.*`). Whatever the worker's policy of overriding says, only settings that can neither load
code nor run programs may come this way (`client/allowed_keys`); the worker's own file is its owner's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from riacho.client.librdkafka.allowed_keys import ALLOWED, Kind, key_refusal
from riacho.pipelines.plugin import Connector, SinkConnector

OVERRIDES = ("producer.override.", "consumer.override.", "admin.override.")
# Options of the read that a sink begins with.
READ = "riacho.read."
_READ_OPTIONS = frozenset(
    {"maxoffsetspertrigger", "minoffsetspertrigger", "maxtriggerdelay", "minpartitions", "maxrecordsperpartition"}
    | {"failondataloss", "fetchoffset.numretries", "fetchoffset.retryintervalms", "kafkaconsumer.polltimeoutms"}
)


class ClientSetting(NamedTuple):
    """`name` is what the config calls it, `key` what the client does."""

    name: str
    key: str
    value: str

    @property
    def kind(self) -> Kind | None:
        return ALLOWED.get(self.key)


def client_settings(connector: type[Connector], configs: Mapping[str, str]) -> Iterator[ClientSetting]:
    prefixes = (*OVERRIDES, f"{READ}kafka.", *connector.CLIENT_PREFIXES)
    for name, value in configs.items():
        # Names of Spark's options count in any case.
        prefix = next((each for each in prefixes if name.lower().startswith(each)), None)
        if prefix is not None and name not in connector.CONFIG:
            yield ClientSetting(name, name[len(prefix) :].lower(), value)


def client_refusal(setting: ClientSetting) -> str | None:
    refusal = key_refusal(setting.key, setting.value)
    return None if refusal is None else f"{setting.name} is refused: {refusal}."


def read_refusals(connector: type[Connector], configs: Mapping[str, str]) -> dict[str, str]:
    """By setting. What a sink reads is for `topics` to say, and where it begins for its offsets."""
    if not issubclass(connector, SinkConnector):
        return {}
    options = {name: name.lower().removeprefix(READ) for name in configs if name.lower().startswith(READ)}
    return {
        name: f"{name} is refused: '{option}' is not among the options of a read that a connector may set."
        for name, option in options.items()
        if option not in _READ_OPTIONS and not option.startswith("kafka.")
    }

"""Settings of one client metrics subscription (KIP-714)."""

from __future__ import annotations

from riacho.base.config import ConfigKey, ConfigType, list_of

INT = ConfigType.INT
LIST = ConfigType.LIST

# fmt: off
KEYS: tuple[ConfigKey, ...] = (
    ConfigKey("interval.ms", INT, "300000", "How often a matching client pushes its metrics."),
    ConfigKey("match", LIST, "",
              "Which clients the subscription is for, as name=pattern pairs that must all hold.", list_of()),
    ConfigKey("metrics", LIST, "", "Prefixes of the metric names to push; `*` for all, empty for none.", list_of()),
)
# fmt: on

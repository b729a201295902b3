"""Settings of one client metrics subscription (KIP-714)."""

from __future__ import annotations

from riacho.base.config import ConfigType, ServerKey, list_of
from riacho.base.config_effect import NoEffect

INT = ConfigType.INT
LIST = ConfigType.LIST

# fmt: off
NOT_COLLECTED = NoEffect("clients' metrics are not collected")

KEYS: tuple[ServerKey, ...] = (
    ServerKey("interval.ms", INT, "300000", "How often a matching client pushes its metrics.", effect=NOT_COLLECTED),
    ServerKey("match", LIST, "",
              "Which clients the subscription is for, as name=pattern pairs that must all hold.", list_of(),
              effect=NOT_COLLECTED),
    ServerKey("metrics", LIST, "", "Prefixes of the metric names to push; `*` for all, empty for none.", list_of(),
              effect=NOT_COLLECTED),
)
# fmt: on

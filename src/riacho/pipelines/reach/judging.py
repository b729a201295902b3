"""What a connector's config would reach beyond what it may, setting by setting.

Asked twice: when a config comes, so that whoever sends it is told; and in the runner before the connector is made, when
`${provider:path:key}` has been filled in and links may have changed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from riacho.pipelines.plugin import Connector
from riacho.pipelines.reach.client_settings import client_settings, client_trouble, read_troubles

_FILLED_IN_LATER = re.compile(r"\$\{[^}:]*:")


def reach_troubles(connector: type[Connector], configs: Mapping[str, str], *, is_final: bool) -> dict[str, str]:
    """A sentence for each setting that is refused. `is_final`: secrets have been filled in, so that every value counts;
    until then a value with a secret in it is judged by its name only."""
    troubles = read_troubles(connector, configs)
    for setting in client_settings(connector, configs):
        is_known = is_final or _FILLED_IN_LATER.search(setting.value) is None
        trouble = client_trouble(setting) if is_known or setting.kind is None else None
        if trouble is not None:
            troubles[setting.name] = trouble
    return troubles

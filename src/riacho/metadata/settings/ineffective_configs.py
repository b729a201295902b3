"""Which settings somebody gave though they have no effect here (`base/config_effect.py`).

A value that is the default changes nothing, so no warning names it: the files that come with Kafka name many.
"""

from __future__ import annotations

from collections.abc import Mapping

from riacho.base.config import ConfigError, ServerKey, parse_value
from riacho.base.config_effect import READ, READ_AT_START, NoEffect
from riacho.metadata.image.config_resource import ResourceType
from riacho.metadata.settings.configs import config_key


def ineffective_at_start(properties: Mapping[str, str]) -> list[str]:
    """Names in a node's file."""
    keys = {name: config_key(ResourceType.BROKER, name) for name in properties}
    return sorted(
        name
        for name, key in keys.items()
        if key is not None and isinstance(key.effect, NoEffect) and _is_chosen(key, properties[name])
    )


def ineffective_changes(resource_type: int, before: Mapping[str, str], after: Mapping[str, str]) -> list[str]:
    """Names that a change while nodes run has set. Among them those that count only in a file, and those that are
    refused here and were let in by a controller of another kind."""
    found = []
    for name, text in after.items():
        key = config_key(resource_type, name)
        if key is None or key.effect is READ or before.get(name) == text:
            continue
        if key.effect is READ_AT_START or _is_chosen(key, text):
            found.append(name)
    return sorted(found)


def _is_chosen(key: ServerKey, text: str) -> bool:
    try:
        value = parse_value(key.name, key.type, text)
    except ConfigError:
        return True
    return value not in ("", []) and value != key.default_value

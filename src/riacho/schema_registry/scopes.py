"""Which config and which mode hold for a subject: its own, else its context's, else those for all, else the default.

The first one found holds as a whole; only a compatibility level that it does not name is looked for further out. The
default context's own stand under no name (None), those for all contexts under `:.__GLOBAL:`.
"""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from riacho.schema_registry.entities import CompatibilityLevel, Config, Mode
from riacho.schema_registry.naming import DEFAULT_CONTEXT, GLOBAL_CONTEXT, parse_subject, qualify_with_parent
from riacho.schema_registry.state import State

_FOR_ALL = f":{GLOBAL_CONTEXT}:"


@dataclass(frozen=True, slots=True)
class Defaults:
    """What holds where nothing was set: from the service's properties."""

    compatibility_level: CompatibilityLevel = CompatibilityLevel.BACKWARD
    normalize: bool = False
    validate_fields: bool = False
    mode_mutability: bool = True
    incompatible_code: int = 409


def scopes_of(subject: str | None) -> list[str | None]:
    """From the nearest outwards."""
    if subject is None:
        return [None, _FOR_ALL]
    found = parse_subject(subject)
    own_context = None if found.context == DEFAULT_CONTEXT else found.context_name
    scopes: list[str | None] = [subject, own_context, _FOR_ALL]
    return list(dict.fromkeys(scopes))


def config_of(state: State, subject: str | None, defaults: Defaults) -> Config | None:
    """What is set for exactly this; the default context always has a level."""
    found = state.configs.get(subject)
    if subject is None and (found is None or found.compatibility_level is None):
        return msgspec.structs.replace(found or Config(), compatibility_level=config_level(state, None, defaults))
    return found


def config_in_scope(state: State, subject: str | None, defaults: Defaults) -> Config:
    found = next((config for scope in scopes_of(subject) if (config := state.configs.get(scope)) is not None), Config())
    return msgspec.structs.replace(found, compatibility_level=config_level(state, subject, defaults))


def config_level(state: State, subject: str | None, defaults: Defaults) -> CompatibilityLevel:
    for scope in scopes_of(subject):
        config = state.configs.get(scope)
        if config is not None and config.compatibility_level is not None:
            return config.compatibility_level
    return defaults.compatibility_level


def mode_of(state: State, subject: str | None) -> Mode | None:
    """What is set for exactly this; the default context always has one."""
    found = state.modes.get(subject)
    return mode_in_scope(state, None) if found is None and subject is None else found


def mode_in_scope(state: State, subject: str | None) -> Mode:
    scopes = scopes_of(subject)
    modes = [mode for scope in scopes if (mode := state.modes.get(scope)) is not None]
    outer = (state.modes.get(None), *(state.modes.get(scope) for scope in scopes[1:]))
    if Mode.READONLY_OVERRIDE in outer:
        return Mode.READONLY_OVERRIDE
    return modes[0] if modes else Mode.READWRITE


def aliased(state: State, subject: str) -> str:
    """The subject that a name stands for, where its config says that it is an alias."""
    config = state.configs.get(subject)
    if config is None or not config.alias:
        return subject
    return qualify_with_parent(config.alias, subject)

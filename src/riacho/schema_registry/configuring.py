"""Changing the config of a subject, a context or all."""

from __future__ import annotations

import msgspec
from msgspec import UNSET, UnsetType

from riacho.base.decision import Decision
from riacho.schema_registry import errors, records
from riacho.schema_registry.contracts import Metadata, RuleError, RuleSet, validate_rules
from riacho.schema_registry.entities import CompatibilityLevel, CompatibilityPolicy, Config
from riacho.schema_registry.registry import Registry
from riacho.schema_registry.scopes import config_of
from riacho.single_writer.record import Append


class ConfigUpdate(msgspec.Struct, frozen=True, omit_defaults=True, rename="camel"):
    """What is to change. A field that is not sent stays as it is, null takes it away."""

    compatibility: str | UnsetType | None = UNSET
    alias: str | UnsetType | None = UNSET
    alias_for_deks: str | UnsetType | None = UNSET
    normalize: bool | UnsetType | None = UNSET
    validate_fields: bool | UnsetType | None = UNSET
    validate_names: bool | UnsetType | None = UNSET
    validate_new_schemas: bool | UnsetType | None = UNSET
    validate_rules: bool | UnsetType | None = UNSET
    compatibility_policy: str | UnsetType | None = UNSET
    compatibility_group: str | UnsetType | None = UNSET
    default_metadata: Metadata | UnsetType | None = UNSET
    override_metadata: Metadata | UnsetType | None = UNSET
    default_rule_set: RuleSet | UnsetType | None = UNSET
    override_rule_set: RuleSet | UnsetType | None = UNSET
    # Another spelling of `compatibility`, which some clients send back as they read it.
    compatibility_level: str | UnsetType | None = UNSET


_PLAIN = (
    "alias",
    "alias_for_deks",
    "normalize",
    "validate_fields",
    "validate_names",
    "validate_new_schemas",
    "validate_rules",
    "compatibility_group",
    "default_metadata",
    "override_metadata",
    "default_rule_set",
    "override_rule_set",
)


def shown(config: Config) -> ConfigUpdate:
    """A config under the names by which it is changed; what is not set is not shown."""
    values = {name: value for name in _PLAIN if (value := getattr(config, name)) is not None}
    if config.compatibility_level is not None:
        values["compatibility"] = config.compatibility_level.value
    if config.compatibility_policy is not None:
        values["compatibility_policy"] = config.compatibility_policy.value
    return ConfigUpdate(**values)


def check_update(update: ConfigUpdate) -> None:
    """ApiError 42203 and 42210, before anything is forwarded or decided."""
    _level(update)
    _policy(update)
    for rule_set in (update.default_rule_set, update.override_rule_set):
        if isinstance(rule_set, RuleSet):
            try:
                validate_rules(rule_set)
            except RuleError as error:
                raise errors.invalid_rule_set(str(error)) from None


def decide_config(registry: Registry, subject: str | None, update: ConfigUpdate) -> Decision[Append, Config]:
    registry.check_writable(subject)
    check_update(update)
    changes: dict[str, object] = {name: value for name in _PLAIN if (value := getattr(update, name)) is not UNSET}
    for name, value in changes.items():
        if isinstance(value, Metadata | RuleSet):
            changes[name] = value.sorted()
    level, policy = _level(update), _policy(update)
    _check_pair(registry.config(subject), level, policy)
    if level is not UNSET:
        changes["compatibility_level"] = level
    if policy is not UNSET:
        changes["compatibility_policy"] = policy
    config = msgspec.structs.replace(registry.state.configs.get(subject, Config()), **changes)
    written = records.config_record(subject, config)
    assert written.key is not None, "configs have keys"
    return Decision(config, [Append(registry.state.key_as_written(written.key), written.value)])


def decide_delete_config(registry: Registry, subject: str | None) -> Decision[Append, Config]:
    """Replies what was set."""
    old = config_of(registry.state, subject, registry.defaults)
    if old is None:
        assert subject is not None, "the default context always has a config"
        raise errors.subject_not_found(subject)
    registry.check_writable(subject)
    return Decision(old, [Append(registry.state.key_as_written(records.subject_key("CONFIG", subject)), None)])


def _level(update: ConfigUpdate) -> CompatibilityLevel | UnsetType | None:
    said = update.compatibility if update.compatibility is not UNSET else update.compatibility_level
    if said is UNSET or said is None:
        return said
    try:
        return CompatibilityLevel[said.upper()]
    except KeyError:
        raise errors.invalid_compatibility_level() from None


def _policy(update: ConfigUpdate) -> CompatibilityPolicy | UnsetType | None:
    said = update.compatibility_policy
    if said is UNSET or said is None:
        return said
    try:
        return CompatibilityPolicy[said.upper()]
    except KeyError:
        raise errors.invalid_compatibility_policy() from None


def _check_pair(
    current: Config, level: CompatibilityLevel | UnsetType | None, policy: CompatibilityPolicy | UnsetType | None
) -> None:
    """Where one is taken away, what then holds stands further out: registering will tell."""
    if level is None or policy is None or level is policy is UNSET:
        return
    then_level = current.compatibility_level if level is UNSET else level
    then_policy = current.compatibility_policy if policy is UNSET else policy
    if then_policy is CompatibilityPolicy.LOGICAL and then_level is not None and then_level.is_forward:
        raise errors.logical_forward(then_level.value)

"""What `PUT /connector-plugins/{plugin}/config/validate` answers: every definition that a config calls for, and what is
wrong with the value it gives.

The shared definitions come first, then those of the transforms and predicates that the config names, the connector's
own, and its converters'. Fields and sentences are those of Kafka's validate.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from riacho.base.config import ConfigError, parse_value
from riacho.pipelines.config_def import ConfigDef, ConfigType, ConfigValue, Definition, Importance
from riacho.pipelines.connect.plugins.definitions import CONVERTERS, PREDICATES, TRANSFORMS, shared_config
from riacho.pipelines.connect.plugins.plugins import Plugins, config_def_of, lookup, main_names, type_of
from riacho.pipelines.errors import policy
from riacho.pipelines.reach.limits import Limits
from riacho.pipelines.reach.validation import reach_refusals

HIDDEN = "[hidden]"
_NO_TOPICS = "Must configure one of topics or topics.regex"
_BOTH_TOPICS = "topics and topics.regex are mutually exclusive options, but both are set."


class Validated(NamedTuple):
    """`secrets`: the names of settings whose values nobody may see."""

    type: str
    version: str
    groups: list[str]
    values: list[ConfigValue]
    secrets: list[str]

    @property
    def errors(self) -> list[str]:
        return [error for value in self.values for error in value.errors]


def validate(
    plugins: Plugins, configs: Mapping[str, str], defaults: Mapping[str, str], limits: Limits | None = None
) -> Validated:
    """ConnectError where there is no such connector class."""
    connector = plugins.connector(configs.get("connector.class", ""))
    kind = type_of(connector)
    shared = shared_config(kind == "sink", defaults)
    values = shared.check(configs)
    values = [_converter_checked(plugins, value) if value.definition.name in CONVERTERS else value for value in values]
    if kind == "sink":
        values = [_topics_checked(value, configs) for value in values]
    steps = _steps(plugins, configs)
    values += steps
    own = connector.check(configs)
    taken = {value.definition.name for value in values}
    values += [value for value in own if value.definition.name not in taken]
    # What a connector says of a shared setting counts as well.
    said = {value.definition.name: value.errors for value in own if value.definition.name in taken}
    values = [_with_errors(value, said.get(value.definition.name, ())) for value in values]
    values += _converter_settings(plugins, configs)
    values = _within_reach(values, reach_refusals(connector, configs, limits or Limits(), is_final=False), configs)
    refusal = _policy_refusal(values, configs, kind == "sink")
    values = [_with_errors(value, refusal) if value.definition.name == policy.TOLERANCE else value for value in values]
    groups = list(dict.fromkeys(value.definition.group for value in values if value.definition.group))
    secrets = [value.definition.name for value in values if value.definition.type is ConfigType.PASSWORD]
    return Validated(kind, connector.VERSION, groups, values, secrets)


def _within_reach(
    values: list[ConfigValue], refusals: Mapping[str, str], configs: Mapping[str, str]
) -> list[ConfigValue]:
    """`values` with what is refused; a setting that no definition knows gets one, so that validate can tell of it."""
    values = [_with_errors(value, (refusals.get(value.definition.name, ""),)) for value in values]
    known = {value.definition.name for value in values}
    # Some of these are passwords.
    return values + [
        ConfigValue(Definition(name, ConfigType.PASSWORD, doc="Refused."), configs[name], (refusal,))
        for name, refusal in refusals.items()
        if name not in known
    ]


def _converter_checked(plugins: Plugins, value: ConfigValue) -> ConfigValue:
    is_header = value.definition.name == "header.converter"
    table = plugins.header_converters if is_header else plugins.converters
    definition = replace(value.definition, recommended=tuple(main_names(table)))
    if value.errors or lookup(table, value.value or "") is not None:
        return replace(value, definition=definition)
    return ConfigValue(definition, None, (_no_class(definition.name, value.value),))


def _topics_checked(value: ConfigValue, configs: Mapping[str, str]) -> ConfigValue:
    if value.definition.name not in ("topics", "topics.regex"):
        return value
    has_topics, has_regex = (bool(configs.get(name, "").strip()) for name in ("topics", "topics.regex"))
    refusal = _BOTH_TOPICS if has_topics and has_regex else "" if has_topics or has_regex else _NO_TOPICS
    return _with_errors(value, (refusal, _dead_letter_refusal(value.definition.name, configs)))


def _dead_letter_refusal(name: str, configs: Mapping[str, str]) -> str:
    """A dead letter that is read as a record becomes a dead letter again, for ever."""
    letters, given = configs.get(policy.DLQ_TOPIC, "").strip(), configs.get(name, "").strip()
    if not letters or not given:
        return ""
    if name == "topics":
        topics = [topic.strip() for topic in given.split(",") if topic.strip()]
        what = f"included in the list of topics ('topics=[{', '.join(topics)}]')"
        return f"The DLQ topic '{letters}' may not be {what} consumed by the connector" if letters in topics else ""
    what = f"matched by the regex for the topics ('topics.regex={given}')"
    return f"The DLQ topic '{letters}' may not be {what} consumed by the connector" if _fits(given, letters) else ""


def _fits(pattern: str, topic: str) -> bool:
    try:
        return re.fullmatch(pattern, topic) is not None
    except (re.error, OverflowError, RecursionError):
        return False


def _steps(plugins: Plugins, configs: Mapping[str, str]) -> list[ConfigValue]:
    values: list[ConfigValue] = []
    for kind, group, shown in (("transforms", TRANSFORMS, "Transformation"), ("predicates", PREDICATES, "Predicate")):
        aliases = parse_value(kind, ConfigType.LIST, configs.get(kind, ""))
        assert isinstance(aliases, list), kind
        for alias in dict.fromkeys(aliases):
            values += _step(plugins, configs, kind, alias, f"{group}: {alias}", shown)
    return values


def _step(
    plugins: Plugins, configs: Mapping[str, str], kind: str, alias: str, group: str, shown: str
) -> list[ConfigValue]:
    table = plugins.transforms if kind == "transforms" else plugins.predicates
    prefix = f"{kind}.{alias}."
    definition = Definition(
        f"{prefix}type", ConfigType.CLASS, None, f"The class of the {shown.lower()} called {alias}.", required=True,
        importance=Importance.HIGH, group=group, order=0, width="LONG", display_name=f"{shown} type for {alias}",
        recommended=tuple(main_names(table)),
    )  # fmt: skip
    given = configs.get(definition.name)
    if given is None:
        return ConfigDef(definition).check(configs)
    known = lookup(table, given)
    if known is None:
        return [ConfigValue(definition, None, (_no_class(definition.name, given),))]
    own = config_def_of(table[known]).under(prefix, group)
    if kind == "transforms":
        own = own + _condition(prefix, group)
    return (ConfigDef(definition) + own).check(configs)


def _condition(prefix: str, group: str) -> ConfigDef:
    return ConfigDef(
        Definition(f"{prefix}predicate", ConfigType.STRING, None, "Apply where this predicate holds.", group=group),
        Definition(f"{prefix}negate", ConfigType.BOOLEAN, "false", "Apply where it does not hold.", group=group),
    )


def _converter_settings(plugins: Plugins, configs: Mapping[str, str]) -> list[ConfigValue]:
    """Of the converters that the config names itself: the worker's are settled by the worker."""
    values: list[ConfigValue] = []
    for name in CONVERTERS:
        table = plugins.header_converters if name == "header.converter" else plugins.converters
        known = lookup(table, configs.get(name, ""))
        if known is not None:
            values += config_def_of(table[known]).under(f"{name}.").check(configs)
    return values


def _policy_refusal(values: Iterable[ConfigValue], configs: Mapping[str, str], is_sink: bool) -> tuple[str, ...]:
    """Rules that span the settings of `errors.*`, where each by itself is right."""
    if any(value.errors for value in values):
        return ()
    try:
        policy.ErrorPolicy.from_configs(configs, is_sink)
    except ConfigError as error:
        return (str(error),)
    return ()


def _with_errors(value: ConfigValue, errors: Iterable[str]) -> ConfigValue:
    more = tuple(error for error in errors if error and error not in value.errors)
    return replace(value, errors=(*value.errors, *more)) if more else value


def _no_class(name: str, given: str | None) -> str:
    return f"Invalid value {given} for configuration {name}: Class {given} could not be found."


# As JSON


def answer(name: str, validated: Validated) -> dict[str, Any]:
    return {
        "name": name,
        "error_count": sum(1 for value in validated.values if value.errors),
        "groups": validated.groups,
        "configs": [{"definition": definition_json(v.definition), "value": _value_json(v)} for v in validated.values],
    }


def definition_json(definition: Definition) -> dict[str, Any]:
    is_secret = definition.type is ConfigType.PASSWORD
    return {
        "name": definition.name,
        "type": definition.type.name,
        "required": definition.required,
        "default_value": HIDDEN if is_secret and definition.default else definition.default,
        "importance": definition.importance.name,
        "documentation": definition.doc,
        "group": definition.group,
        "order_in_group": definition.order,
        "width": definition.width,
        "display_name": definition.display_name or definition.name,
        "dependents": list(definition.dependents),
    }


def _value_json(value: ConfigValue) -> dict[str, Any]:
    definition = value.definition
    shown = value.value
    if shown is not None and definition.type is ConfigType.PASSWORD:
        shown = HIDDEN
    elif shown is not None and value.errors:
        try:
            parse_value(definition.name, definition.type, shown)
        except ConfigError:
            shown = None
    return {
        "name": definition.name,
        "value": shown,
        "recommended_values": list(definition.recommended),
        "errors": list(value.errors),
        "visible": True,
    }

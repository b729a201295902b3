"""What a connector's config would reach beyond what it may, setting by setting.

Asked twice: when a config comes, so that whoever sends it gets the reason; and in the runner before the connector is
made, when `${provider:path:key}` has been filled in and links may have changed. What a sink writes to is asked for each
batch.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from riacho.client.librdkafka.allowed_keys import Kind
from riacho.pipelines.config_def import Outside
from riacho.pipelines.plugin import Connector
from riacho.pipelines.reach.client_settings import ClientSetting, client_refusal, client_settings, read_refusals
from riacho.pipelines.reach.jdbc import jdbc_refusal
from riacho.pipelines.reach.limits import Limits
from riacho.pipelines.reach.paths import folder_refusal, path_refusal
from riacho.pipelines.reach.urls import url_refusal

_FILLED_IN_LATER = re.compile(r"\$\{[^}:]*:")
_CONVERTERS = ("key.converter.", "value.converter.", "header.converter.")
_REGISTRY_URL = "schema.registry.url"


def reach_refusals(
    connector: type[Connector], configs: Mapping[str, str], limits: Limits, *, is_final: bool
) -> dict[str, str]:
    """A sentence for each setting that is refused. `is_final`: secrets have been filled in, so that every value counts;
    until then a value with a secret in it is judged by its name only."""
    known = configs if is_final else {name: text for name, text in configs.items() if not _is_filled_in_later(text)}
    refusals = read_refusals(connector, configs)
    for setting in client_settings(connector, configs):
        if setting.name in known or setting.kind is None:
            refusal = client_refusal(setting) or _place_of(setting, limits, is_final)
            if refusal is not None:
                refusals[setting.name] = refusal
    for name, refusal in (
        *_converter_refusals(known, limits, is_final),
        *_own_refusals(connector, known, limits, is_final),
    ):
        refusals.setdefault(name, _sentence(name, refusal))
    return refusals


def own_refusals(connector: Connector) -> list[str]:
    """Sentences: what the connector's own settings would reach by now."""
    context = connector.context
    found = _own_refusals(type(connector), context.configs, context.limits, is_final=True)
    return [_sentence(name, refusal) for name, refusal in found]


def _own_refusals(
    connector: type[Connector], configs: Mapping[str, str], limits: Limits, is_final: bool
) -> Iterator[tuple[str, str]]:
    for definition in connector.CONFIG:
        value = configs.get(definition.name, "")
        if definition.outside is not None and value.strip():
            refusal = outside_refusal(definition.outside, value, limits, resolve=is_final)
            if refusal is not None:
                yield definition.name, refusal
    yield from connector.reach(configs, limits)


def outside_refusal(outside: Outside, value: str, limits: Limits, *, resolve: bool) -> str | None:
    match outside:
        case Outside.FILE:
            return path_refusal(value, limits)
        case Outside.FOLDER:
            return folder_refusal(value, limits)
        case Outside.URL:
            return url_refusal(value, limits.urls, resolve=resolve)
        case Outside.JDBC:
            return jdbc_refusal(value, limits)


def _place_of(setting: ClientSetting, limits: Limits, is_final: bool) -> str | None:
    refusal = None
    if setting.kind is Kind.FILE:
        refusal = path_refusal(setting.value, limits)
    elif setting.kind is Kind.URL:
        refusal = url_refusal(setting.value, limits.urls, resolve=is_final)
    return None if refusal is None else _sentence(setting.name, refusal)


def _converter_refusals(configs: Mapping[str, str], limits: Limits, is_final: bool) -> Iterator[tuple[str, str]]:
    """Converters have clients of a schema registry, and those have key stores."""
    for name, value in configs.items():
        if not name.startswith(_CONVERTERS) or not value.strip():
            continue
        if name.endswith(_REGISTRY_URL):
            found = [url_refusal(each, limits.urls, resolve=is_final) for each in value.split(",") if each.strip()]
            yield from ((name, refusal) for refusal in found if refusal is not None)
        elif name.endswith(".location"):
            refusal = path_refusal(value, limits)
            if refusal is not None:
                yield name, refusal


def _sentence(name: str, refusal: str) -> str:
    return f"{name} is refused: {refusal}."


def _is_filled_in_later(text: str) -> bool:
    return _FILLED_IN_LATER.search(text) is not None

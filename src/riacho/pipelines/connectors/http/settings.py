"""The settings that the HTTP source and sink share: authentication, time-outs, tries. Confluent's names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from riacho.base.config import Value, at_least, one_of_any_case
from riacho.pipelines.config_def import ConfigDef, ConfigError, ConfigType, ConfigValue, Definition, with_errors
from riacho.pipelines.connectors.http.exchange import HttpSettings
from riacho.pipelines.reach.limits import ALL

_AUTH = ("none", "basic", "bearer")


def _valid_headers(name: str, value: Value) -> None:
    parse_headers(name, str(value or ""))


HTTP = ConfigDef(
    Definition(
        "headers", ConfigType.STRING, "", doc="Headers of each request: name:value|name:value.", valid=_valid_headers
    ),
    Definition(
        "auth.type",
        ConfigType.STRING,
        "none",
        doc="How the API knows us.",
        valid=one_of_any_case(*_AUTH),
        group="Authentication",
        recommended=_AUTH,
    ),
    Definition("connection.user", ConfigType.STRING, "", doc="User, with auth.type basic.", group="Authentication"),
    Definition("connection.password", ConfigType.PASSWORD, doc="Password of that user.", group="Authentication"),
    Definition("bearer.token", ConfigType.PASSWORD, doc="Token, with auth.type bearer.", group="Authentication"),
    Definition("max.retries", ConfigType.INT, "10", doc="How often a request is tried again.", valid=at_least(0)),
    Definition(
        "retry.backoff.ms", ConfigType.INT, "3000", doc="The first pause before that; it doubles.", valid=at_least(0)
    ),
    Definition(
        "connect.timeout.ms", ConfigType.INT, "30000", doc="How long to wait for a connection.", valid=at_least(1)
    ),
    Definition("request.timeout.ms", ConfigType.INT, "30000", doc="How long to wait for an answer.", valid=at_least(1)),
)


def parse_headers(name: str, text: str) -> dict[str, str]:
    """`a:b|c:d`. ConfigError when one has no colon or could break out of its line."""
    found = {}
    for part in filter(None, (part.strip() for part in text.split("|"))):
        header, colon, value = part.partition(":")
        if not colon or not header.strip() or any(letter in part for letter in "\r\n"):
            raise ConfigError(f"Invalid value for configuration {name}: Expected name:value|name:value")
        found[header.strip()] = value.strip()
    return found


def http_settings(given: Mapping[str, Any], allowed_urls: tuple[str, ...] = (ALL,)) -> HttpSettings:
    return HttpSettings(
        headers=parse_headers("headers", given["headers"]),
        auth_type=given["auth.type"].lower(),
        user=given["connection.user"] or "",
        password=given["connection.password"] or "",
        token=given["bearer.token"] or "",
        retries_max=given["max.retries"],
        backoff_s=given["retry.backoff.ms"] / 1000,
        connect_timeout_s=given["connect.timeout.ms"] / 1000,
        request_timeout_s=given["request.timeout.ms"] / 1000,
        allowed_urls=allowed_urls,
    )


def check_auth(configs: Mapping[str, str], values: list[ConfigValue]) -> list[ConfigValue]:
    """`values` with what is missing for the kind of authentication."""
    needed = {"basic": "connection.user", "bearer": "bearer.token"}.get(configs.get("auth.type", "").strip().lower())
    if needed is None or configs.get(needed):
        return values
    wrong = f"{needed} must be set when auth.type is {configs['auth.type']}"
    return with_errors(values, {needed: wrong})

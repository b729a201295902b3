"""Who reads the settings, rules and expressions that pages show."""

from __future__ import annotations

import tempfile
import tomllib
from collections.abc import Callable, Mapping

from riacho.broker.config import BrokerConfig
from riacho.console.config import console_config, load_console_settings
from riacho.console.door import users
from riacho.console.messages.expression import parse_expression
from riacho.pipelines.connect.config import load_worker_settings
from riacho.pipelines.connectors.registry import ENTRY_POINTS
from riacho.rest_proxy.config import load_proxy_settings, proxy_config
from riacho.schema_registry.authorization import parse_rules
from riacho.schema_registry.config import load_registry_settings


def _broker(properties: Mapping[str, str]) -> None:
    assert BrokerConfig(dict(properties)).warnings() == []


def _console(properties: Mapping[str, str]) -> None:
    console_config(load_console_settings(properties))


def _proxy(properties: Mapping[str, str]) -> None:
    proxy_config(load_proxy_settings(properties))


# Who reads the properties of a page.
PROPERTIES: dict[str, Callable[[Mapping[str, str]], object]] = {
    "docs/guides/broker.md": _broker,
    "docs/operations/cluster.md": _broker,
    "docs/guides/connect.md": load_worker_settings,
    "docs/guides/spark-clusters.md": load_worker_settings,
    "docs/guides/control-center.md": _console,
    "docs/operations/control-center.md": _console,
    "docs/guides/rest-proxy.md": _proxy,
    "docs/guides/schema-registry.md": load_registry_settings,
}


def _expressions(text: str) -> None:
    for line in text.splitlines():
        parse_expression(line)


def _rules(text: str) -> None:
    parse_rules(text, "the page")


def _users(text: str) -> None:
    with tempfile.NamedTemporaryFile("w") as file:
        file.write(text)
        file.flush()
        users.load(file.name)


def _entry_points(text: str) -> None:
    assert list(tomllib.loads(text)["project"]["entry-points"]) == [ENTRY_POINTS]


# Who reads other texts, by page and what names the block there.
READ: dict[tuple[str, str], Callable[[str], None]] = {
    ("docs/guides/control-center.md", 'value.amount > 100 and key startswith "ana"'): _expressions,
    ("docs/guides/schema-registry.md", "# effect  who         operations   subjects"): _rules,
    ("docs/operations/control-center.md", "# name: password,role"): _users,
    ("docs/reference/python-api.md", "toml"): _entry_points,
}

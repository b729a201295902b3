"""Settings do what their definitions say: those marked as read are read somewhere, those without effect nowhere.

A setting is read where its name is handed to a call, is an index, or is kept under a name of its own. Names that are
put together when the code runs are found by running it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from riacho.base.config import Dynamic, ServerKey
from riacho.base.config_effect import READ, READ_AT_START, NoEffect, Reading, Restricted
from riacho.broker.config import BrokerConfig
from riacho.client.tls import tls_settings
from riacho.groups.config import GroupConfig
from riacho.metadata.settings.broker_configs import BROKER_KEYS, DYNAMIC_ONLY_KEYS, synonyms_of
from riacho.metadata.settings.configs import BROKER_SYNONYM, CLIENT_METRICS_KEYS, GROUP_KEYS, TOPIC_KEYS
from riacho.shares.config import ShareGroupConfig

SOURCE = Path(__file__).resolve().parents[2] / "src/riacho"
# The rooms that a broker is made of, and what brokers take from the room of clients.
_ROOMS = ("broker", "groups", "log", "metadata", "partition", "raft", "security", "shares", "transactions")
_MORE = ("client/config_providers.py", "client/oauth_login.py", "cli/commands/broker.py")
# Definitions, and what makes settings rather than reads them.
_NO_READERS = (
    "broker/local_cluster.py",
    "metadata/settings/broker_configs.py",
    "metadata/settings/client_metrics_configs.py",
    "metadata/settings/configs.py",
    "metadata/settings/group_configs.py",
    "metadata/settings/topic_configs.py",
)
# Broker settings that stand behind those of topics are read with them.
_BEHIND_TOPICS = {
    each: TOPIC_KEYS[topic_name] for topic_name, name in BROKER_SYNONYM.items() for each in synonyms_of(name)
}


class Asked(dict[str, str]):
    """A group's settings, which remembers what it was asked for."""

    def __init__(self, entries: Mapping[str, str]) -> None:
        super().__init__(entries)
        self.names: set[str] = set()

    def get(self, name: str, default: object = None) -> object:  # type: ignore[override]
        self.names.add(name)
        return super().get(name, default)


def _modules() -> Iterator[Path]:
    for room in _ROOMS:
        for path in sorted((SOURCE / room).rglob("*.py")):
            relative = path.relative_to(SOURCE).as_posix()
            if relative not in _NO_READERS and not relative.startswith("metadata/settings/broker_keys/"):
                yield path
    yield from (SOURCE / name for name in _MORE)


def names_read(text: str) -> Iterator[tuple[str, bool]]:
    """(name, whether it comes from the file that the node started with) for all that a module reads."""
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Call(args=arguments):
                is_static = isinstance(node.func, ast.Attribute) and ast.unparse(node.func.value).endswith("config")
                for argument in arguments:
                    yield from ((name, is_static) for name in _texts(argument))
            case ast.Subscript(slice=index):
                yield from ((name, False) for name in _texts(index))
            case ast.Assign(value=ast.Dict(keys=keys)):
                yield from ((name, False) for key in keys if key is not None for name in _texts(key))
            case ast.Assign(value=value):
                yield from ((name, False) for name in _texts(value))


def _texts(node: ast.expr) -> Iterator[str]:
    match node:
        case ast.Constant(value=str(text)):
            yield text
        case ast.IfExp(body=body, orelse=other):
            yield from _texts(body)
            yield from _texts(other)
        # `f"{listener}{mechanism}.sasl.jaas.config"`
        case ast.JoinedStr(values=[*_, ast.Constant(value=str(tail))]):
            yield tail.lstrip(".")


def _built_at_start() -> set[str]:
    asked: set[str] = set()
    config = BrokerConfig()

    def get(name: str) -> object:
        asked.add(name)
        return config.get(name)

    GroupConfig.of(get)
    own = Asked({name: key.default or "" for name, key in GROUP_KEYS.items()})
    ShareGroupConfig.of(get, own)
    ShareGroupConfig.of(get, {})
    return asked | own.names


def _built_while_running() -> set[str]:
    asked: set[str] = set()
    tls_settings(lambda name: asked.add(name))
    return asked


@pytest.fixture(scope="module")
def read() -> dict[str, bool]:
    """By name: whether it is read from the file of the node's start alone."""
    found: dict[str, bool] = dict.fromkeys(_built_at_start(), True)
    for path in _modules():
        for name, is_static in names_read(path.read_text()):
            found[name] = is_static and found.get(name, True)
    return found | dict.fromkeys(_built_while_running(), False)


def _keys() -> Iterator[ServerKey]:
    for name, key in {**BROKER_KEYS, **DYNAMIC_ONLY_KEYS}.items():
        if name not in _BEHIND_TOPICS:
            yield key
    yield from TOPIC_KEYS.values()
    yield from GROUP_KEYS.values()
    yield from CLIENT_METRICS_KEYS.values()


def unread(keys: list[ServerKey], read: Mapping[str, bool]) -> list[str]:
    return [key.name for key in keys if isinstance(key.effect, Reading) and key.name not in read]


def read_after_all(keys: list[ServerKey], read: Mapping[str, bool]) -> list[str]:
    return [key.name for key in keys if isinstance(key.effect, NoEffect) and key.name in read]


def fixed_at_start(keys: list[ServerKey], read: Mapping[str, bool]) -> list[str]:
    return [
        key.name
        for key in keys
        if key.effect is READ and key.dynamic is not Dynamic.READ_ONLY and read.get(key.name, True)
    ]


def test_what_is_marked_as_read_is_read(read: dict[str, bool]) -> None:
    assert unread(list(_keys()), read) == []


def test_what_has_no_effect_is_read_nowhere(read: dict[str, bool]) -> None:
    assert read_after_all(list(_keys()), read) == []


def test_what_may_change_while_the_node_runs_is_not_read_from_its_file_alone(read: dict[str, bool]) -> None:
    assert fixed_at_start(list(_keys()), read) == []


def test_settings_behind_those_of_topics_have_the_same_effect() -> None:
    assert {
        name for name, key in _BEHIND_TOPICS.items() if type(BROKER_KEYS[name].effect) is not type(key.effect)
    } == set()


def test_only_what_kafka_lets_change_can_be_read_at_start_only() -> None:
    told = [key for key in _keys() if key.effect is READ_AT_START]
    assert told
    assert [key.name for key in told if key.dynamic is Dynamic.READ_ONLY] == []


def test_defaults_are_never_refused() -> None:
    for key in _keys():
        if isinstance(key.effect, Restricted) and key.default:
            key.parse(key.default)


def test_a_definition_that_is_wrong_is_noticed() -> None:
    lines = 'x = config.get("a.b")\ny = values.get("c.d")\nf(z={"e.f": 1})\n"g.h"\nprint(f"i.j is {x}")\n'
    read = dict(names_read(lines))
    assert read == {"a.b": True, "c.d": False}
    template = BROKER_KEYS["num.partitions"]

    def key(name: str, **changes: object) -> ServerKey:
        return replace(template, name=name, **changes)

    assert unread([key("a.b"), key("e.f")], read) == ["e.f"]
    assert read_after_all([key("a.b", effect=NoEffect("")), key("e.f", effect=NoEffect(""))], read) == ["a.b"]
    dynamic = {"dynamic": Dynamic.CLUSTER_WIDE}
    assert fixed_at_start([key("a.b", **dynamic), key("a.b"), key("c.d", **dynamic)], read) == ["a.b"]

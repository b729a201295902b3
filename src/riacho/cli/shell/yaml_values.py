"""YAML read without harm, and values changed where they stand in its text, so that all else stays as it is."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import yaml

Path = tuple[str, ...]
# What one alias stands for may hold others: this many multiply to some thousand things at most.
_ALIASES_MAX = 20


def load_plain(text: str) -> Any:
    """Mappings, lists and scalars; no tag makes an object of anything, and aliases do not multiply without end."""
    aliases = sum(isinstance(event, yaml.AliasEvent) for event in yaml.parse(text, Loader=yaml.SafeLoader))
    if aliases > _ALIASES_MAX:
        raise yaml.YAMLError("it has too many aliases")
    return yaml.safe_load(text)


def with_values(text: str, values: Mapping[Path, bool | str]) -> str:
    """The text with these scalars at these places; names that lack are added. YAMLError rather than a text that would
    say anything else otherwise than before."""
    wanted = _unshared(load_plain(text))
    wanted = {} if wanted is None else wanted
    for path, value in values.items():
        text = _with_value(text, path, _scalar(value))
        _set(wanted, path, value)
    if load_plain(text) != wanted:
        raise yaml.YAMLError("it is written in a way that cannot be changed in place")
    return text


def _unshared(data: Any) -> Any:
    """A copy in which what aliases name is there as often as it is named: a change of one is none of the other."""
    if isinstance(data, dict):
        return {key: _unshared(value) for key, value in data.items()}
    return [_unshared(each) for each in data] if isinstance(data, list) else data


def _set(data: Any, path: Path, value: bool | str) -> None:
    for name in path[:-1]:
        if not isinstance(data, dict):
            raise yaml.YAMLError(f"there are no names where '{name}' would be")
        if data.get(name) is None:
            data[name] = {}
        data = data[name]
    data[path[-1]] = value


def _with_value(text: str, path: Path, value: str) -> str:
    node = yaml.compose(text, Loader=yaml.SafeLoader)
    if node is None:
        return _joined(text, _nested(path, value, ""))
    for depth, name in enumerate(path):
        if not isinstance(node, yaml.MappingNode):
            raise yaml.YAMLError(f"'{'.'.join(path[:depth])}' holds no names")
        found = next((pair for pair in node.value if pair[0].value == name), None)
        if found is None:
            return _added(text, node, path[depth:], value)
        node = found[1]
        if depth + 1 < len(path) and isinstance(node, yaml.ScalarNode) and node.value in ("", "null", "~"):
            # `enable:` with nothing in it.
            nested = _flow(path[depth + 1 :], value)
            return _replaced(text, node, f" {nested}" if not node.value else nested)
    if isinstance(node, yaml.ScalarNode) and yaml.safe_load(value) == yaml.safe_load(_source(text, node) or "null"):
        return text
    if isinstance(node, yaml.ScalarNode) and node.value == "" and node.style is None:
        value = f" {value}"
    return _replaced(text, node, value)


def _added(text: str, node: yaml.MappingNode, path: Path, value: str) -> str:
    if node.flow_style:
        at = node.start_mark.index + 1
        return f"{text[:at]}{path[0]}: {_flow(path[1:], value)}{', ' if node.value else ''}{text[at:]}"
    first = node.value[0][0]
    at, indent = first.start_mark.index, " " * first.start_mark.column
    # In front of the first name: it is the one place whose indentation is certain.
    return f"{text[:at]}{path[0]}: {_flow(path[1:], value)}\n{indent}{text[at:]}"


def _flow(path: Path, value: str) -> str:
    for name in reversed(path):
        value = f"{{{name}: {value}}}"
    return value


def _nested(path: Path, value: str, indent: str) -> str:
    return f"{indent}{path[0]}: {_flow(path[1:], value)}\n"


def _joined(text: str, line: str) -> str:
    return f"{text}{'' if not text or text.endswith(chr(10)) else chr(10)}{line}"


def _replaced(text: str, node: yaml.Node, value: str) -> str:
    return text[: node.start_mark.index] + value + text[node.end_mark.index :]


def _source(text: str, node: yaml.Node) -> str:
    return text[node.start_mark.index : node.end_mark.index]


def _scalar(value: bool | str) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    plain = value.replace("-", "").replace("_", "").isalnum() and yaml.safe_load(value) == value
    # A string of JSON is one of YAML.
    return value if plain else json.dumps(value, ensure_ascii=False)

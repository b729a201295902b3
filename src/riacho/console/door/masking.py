"""Fields of messages that nobody, or only some roles, get to see: rules from the settings file.

    masking.rules=cards,emails
    masking.cards.topics=payments|refunds.*   # a regular expression for the whole name; all topics without it
    masking.cards.field=$.card.number         # or `key`, `value`, `header:name`, `key:$.id`; `$..name` is any depth
    masking.cards.mode=last4                  # hide, last4, hash
    masking.cards.except=admin                # roles that see it as it is; nobody without it

A `Masker` is what the rules come to for one topic and role; the message engine applies it to what it decoded, before
filters look at it (else a filter would be a way to guess) and before anything is shown or exported. Where a rule is
about a field and the value has no fields (text, bytes), the whole value is hidden: what cannot be found in it cannot be
left out of it either. `hash` is keyed with a salt of this installation, so equal values can be told and not guessed.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import re
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from riacho.base.config import ConfigError
from riacho.base.errors import KafkaError
from riacho.base.pattern import compile_pattern
from riacho.console.door.roles import Role

HIDDEN = "••••"
_MODES = ("hide", "last4", "hash")
_RULES_MAX = 100
_PATTERN_BYTES_MAX = 1 << 20
_DEPTH_MAX = 200
_STEP = re.compile(r"(\.\.|\.)([^.\[\]]+)|\[(\d+|\*)\]|\[(?:'([^']*)'|\"([^\"]*)\")\]")
_LAST4_LENGTH_MIN = 8
_SALT_BYTES = 32


class _Step(NamedTuple):
    """`name` None: every element or member. `is_deep`: at any depth below."""

    name: str | None
    is_deep: bool = False


class _Rule(NamedTuple):
    topics: Any
    part: str
    path: tuple[_Step, ...]
    header: str
    mode: str
    exempt: frozenset[Role]


class Masker:
    """What is hidden of one topic's messages. Values are what JSON has; nothing given is changed."""

    def __init__(self, rules: list[_Rule], salt: bytes) -> None:
        self._rules = rules
        self._salt = salt

    def key(self, value: Any) -> Any:
        return self._part("key", value)

    def value(self, value: Any) -> Any:
        return self._part("value", value)

    def header(self, name: str, text: Any) -> Any:
        for rule in self._rules:
            if rule.part == "header" and rule.header == name.lower():
                text = self._masked(rule.mode, text)
        return text

    @property
    def hides_in_key(self) -> bool:
        return any(rule.part == "key" for rule in self._rules)

    @property
    def hides_in_value(self) -> bool:
        """Where it does, raw bytes and hex of the value must not be shown."""
        return any(rule.part == "value" for rule in self._rules)

    def _part(self, part: str, value: Any) -> Any:
        for rule in self._rules:
            if rule.part != part or value is None:
                continue
            if not rule.path:
                value = self._masked(rule.mode, value)
            elif isinstance(value, dict | list):
                value = self._along(value, rule.path, rule.mode, 0)
            else:
                return HIDDEN
        return value

    def _along(self, value: Any, path: tuple[_Step, ...], mode: str, depth: int) -> Any:
        if not path:
            return self._masked(mode, value)
        if depth >= _DEPTH_MAX:
            return HIDDEN
        step, rest = path[0], path[1:]
        if isinstance(value, dict):
            pairs = value.items()
            return {name: self._step(step, rest, path, str(name), each, mode, depth) for name, each in pairs}
        if isinstance(value, list):
            items = enumerate(value)
            return [self._step(step, rest, path, str(index), each, mode, depth) for index, each in items]
        return value

    def _step(
        self, step: _Step, rest: tuple[_Step, ...], path: tuple[_Step, ...], at: str, value: Any, mode: str, depth: int
    ) -> Any:
        if step.is_deep:
            value = self._along(value, path, mode, depth + 1)
        if step.name is None or step.name == at:
            return self._along(value, rest, mode, depth + 1)
        return value

    def _masked(self, mode: str, value: Any) -> Any:
        if value is None:
            return None
        text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
        if mode == "hash":
            return "hash:" + hmac.digest(self._salt, text.encode(), hashlib.sha256).hex()[:16]
        if mode == "last4" and not isinstance(value, dict | list) and len(text) >= _LAST4_LENGTH_MIN:
            return HIDDEN + text[-4:]
        return HIDDEN


class Masking:
    """All rules. `of` gives what holds for a topic, None where everything may be seen."""

    def __init__(self, rules: list[_Rule], salt: bytes) -> None:
        self._rules = rules
        self._salt = salt

    def of(self, topic: str, role: Role) -> Masker | None:
        rules = [rule for rule in self._rules if role not in rule.exempt and rule.topics.fullmatch(topic)]
        return Masker(rules, self._salt) if rules else None

    def hides_from(self, role: Role) -> bool:
        """Whether anything, of whatever topic, is hidden from this role."""
        return any(role not in rule.exempt for rule in self._rules)


def masking_of(properties: Mapping[str, str], salt: bytes) -> Masking:
    """`properties`: what is set under `masking.`, without that prefix. ConfigError."""
    names = [name.strip() for name in properties.get("rules", "").split(",") if name.strip()]
    if len(names) > _RULES_MAX:
        raise ConfigError(f"masking.rules names {len(names)} rules; at most {_RULES_MAX} can be")
    known = {f"{name}.{end}" for name in names for end in ("topics", "field", "mode", "except")} | {"rules"}
    for name in sorted(properties):
        # A rule that is misspelt hides nothing, and nobody would notice.
        if name not in known:
            raise ConfigError(f"masking.{name} belongs to no rule that masking.rules names")
    return Masking([_rule(name, properties) for name in names], salt)


def load_salt(path: Path) -> bytes:
    """Made when it is asked for first, and readable by nobody else. OSError."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        salt = path.read_bytes()
        if len(salt) == _SALT_BYTES:
            return salt
        # The process ended before it was written.
        descriptor = os.open(path, os.O_WRONLY | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        salt = secrets.token_bytes(_SALT_BYTES)
        file.write(salt)
    return salt


def _rule(name: str, properties: Mapping[str, str]) -> _Rule:
    def given(end: str, default: str) -> str:
        return properties.get(f"{name}.{end}", default).strip()

    mode = given("mode", "hide")
    if mode not in _MODES:
        raise ConfigError(f"masking.{name}.mode is {mode}; it can be {', '.join(_MODES)}")
    part, path, header = _place(name, given("field", ""))
    exempt = set()
    for label in filter(None, (each.strip() for each in given("except", "").split(","))):
        try:
            exempt.add(Role[label.upper()])
        except KeyError:
            raise ConfigError(f"masking.{name}.except names {label}, which is no role") from None
    try:
        topics = compile_pattern(given("topics", ".*"), _PATTERN_BYTES_MAX, f"masking.{name}.topics")
    except KafkaError as error:
        raise ConfigError(error.detail.rstrip(".")) from None
    return _Rule(topics, part, path, header, mode, frozenset(exempt))


def _place(name: str, text: str) -> tuple[str, tuple[_Step, ...], str]:
    if text.lower().startswith("header:") and text[7:].strip():
        return "header", (), text[7:].strip().lower()
    part, _, path = ("value", "", text) if text.startswith("$") else text.partition(":")
    if part not in ("key", "value"):
        raise ConfigError(f"masking.{name}.field has to be key, value, header:name or a path that begins with $.")
    return part, _steps(name, path) if path else (), ""


def _steps(name: str, text: str) -> tuple[_Step, ...]:
    steps = []
    at = 1 if text.startswith("$") else -1
    while 0 <= at < len(text):
        match = _STEP.match(text, at)
        if match is None:
            at = -1
            break
        dots, plain, index, single, double = match.groups()
        found = next(each for each in (plain, index, single, double) if each is not None)
        is_any = found == "*" and single is None and double is None
        steps.append(_Step(None if is_any else found, dots == ".."))
        at = match.end()
    if at < 0 or not steps:
        raise ConfigError(f"masking.{name}.field is no path: $.a.b, $.a[0], $.a[*].b and $..b are")
    return tuple(steps)

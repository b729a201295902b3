"""`ssl.principal.mapping.rules`: from the name in a certificate to the name of a user (KIP-371).

`RULE:pattern/replacement/[LU]`, separated by commas, and `DEFAULT`, which takes the whole name as it is. The first rule
whose pattern matches the whole name wins. Patterns and `$1` are Java's; the difference to Python's is bridged where it
matters.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from riacho.base.config import ConfigError

_PART = r"(?:\\.|[^\\/])*"
_RULES = re.compile(rf"\s*(?:(?P<default>DEFAULT)|RULE:(?P<pattern>{_PART})/(?P<to>{_PART})/(?P<case>[LU]?))\s*(?:,|$)")
_REFERENCE = re.compile(r"\\(?P<literal>.)|\$(?:\{(?P<name>[A-Za-z][A-Za-z0-9]*)\}|(?P<number>[0-9]))", re.DOTALL)
_NAMED_GROUP = re.compile(r"\(\?<(?=[A-Za-z])")


class _Rule(NamedTuple):
    # None for DEFAULT.
    pattern: re.Pattern[str] | None
    replacement: str = ""
    case: str = ""

    def apply(self, name: str) -> str | None:
        if self.pattern is None:
            return name
        found = self.pattern.fullmatch(name)
        if found is None:
            return None
        result = _REFERENCE.sub(lambda reference: _filled(reference, found), self.replacement)
        return result.lower() if self.case == "L" else result.upper() if self.case == "U" else result


class PrincipalMapper:
    def __init__(self, rules: str) -> None:
        """ConfigError for rules that cannot be read."""
        self._rules = _parse(rules.strip() or "DEFAULT")

    def user_of(self, distinguished_name: str) -> str | None:
        """None when no rule applies: such a client is refused."""
        for rule in self._rules:
            result = rule.apply(distinguished_name)
            if result is not None:
                return result
        return None


def _parse(text: str) -> list[_Rule]:
    rules: list[_Rule] = []
    position = 0
    while position < len(text):
        found = _RULES.match(text, position)
        if found is None:
            raise ConfigError(f"ssl.principal.mapping.rules has an invalid rule: {text[position:]}")
        position = found.end()
        rules.append(_Rule(None) if found["default"] else _rule(found))
    return rules


def _rule(found: re.Match[str]) -> _Rule:
    try:
        pattern = re.compile(_NAMED_GROUP.sub("(?P<", found["pattern"]))
    except re.error as error:
        raise ConfigError(f"ssl.principal.mapping.rules has an invalid pattern: {error}") from None
    for reference in _REFERENCE.finditer(found["to"]):
        group = reference["number"] and int(reference["number"])
        if group and group > pattern.groups:
            raise ConfigError(f"ssl.principal.mapping.rules has no group ${group} in its pattern")
    return _Rule(pattern, found["to"], found["case"])


def _filled(reference: re.Match[str], found: re.Match[str]) -> str:
    if reference["literal"] is not None:
        return str(reference["literal"])
    if reference["name"] is not None:
        return str(found.groupdict().get(reference["name"]) or "")
    return str(found[int(reference["number"])] or "")

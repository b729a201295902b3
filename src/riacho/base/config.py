"""Configuration keys: what a setting is called, what it takes, what it says when the value is wrong.

A `ConfigKey` is one row of a table, as in Kafka's ConfigDef: of a service, a broker (`ServerKey`), a connector
(`pipelines/config_def.py`). Values live as text (a properties file, a ConfigRecord, a DescribeConfigs reply all carry
text) and are parsed by the key that owns them; `format_value` gives the text back the way Kafka prints it.
Also here, because they produce that text: the reader of Java `.properties` files, and the mapping of `KAFKA_*`
environment variables that Kafka's container images made common (`KAFKA_LOG_RETENTION_MS` is `log.retention.ms`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from enum import Enum, IntEnum

from riacho.base.config_effect import READ, Effect, Restricted

Value = str | int | float | bool | list[str] | None
"""The parsed value of a setting."""
Validator = Callable[[str, Value], None]
"""A validator takes a setting's name and parsed value, and raises ConfigError where the value is not allowed."""


class ConfigError(ValueError):
    """A setting cannot be used. The text is one sentence that says why."""


class ConfigRefused(ConfigError):
    """A value that Kafka would take, and that would have no effect here where somebody counts on one."""


class ConfigType(IntEnum):
    """The type of a setting. The numbers are those of DescribeConfigs."""

    UNKNOWN = 0
    BOOLEAN = 1
    STRING = 2
    INT = 3
    SHORT = 4
    LONG = 5
    DOUBLE = 6
    LIST = 7
    CLASS = 8
    PASSWORD = 9


class Importance(Enum):
    """How much a setting matters, for lists and forms that show the important ones first."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


class Dynamic(Enum):
    """How a broker setting may change while the broker runs (KIP-226)."""

    READ_ONLY = "read-only"
    PER_BROKER = "per-broker"
    CLUSTER_WIDE = "cluster-wide"


_BITS = {ConfigType.INT: 31, ConfigType.SHORT: 15, ConfigType.LONG: 63}
_NUMBER = re.compile(r"[+-]?[0-9]+")
_COMMA = re.compile(r"\s*,\s*")


@dataclass(frozen=True, slots=True)
class ConfigKey:
    """A config key defines one setting. `default` is text, or None where there is none; `valid` checks the value."""

    name: str
    type: ConfigType
    default: str | None = None
    doc: str = ""
    valid: Validator | None = None
    importance: Importance = Importance.MEDIUM
    required: bool = field(default=False, kw_only=True)

    @property
    def is_sensitive(self) -> bool:
        """Whether its values are secrets, which no answer shows."""
        return self.type is ConfigType.PASSWORD

    @property
    def default_value(self) -> Value:
        """The typed default."""
        return None if self.default is None else parse_value(self.name, self.type, self.default)

    def parse(self, text: str | None) -> Value:
        """Return the typed value of `text`, or of the default where it is None. Raise ConfigError for a wrong one."""
        if text is None and self.required:
            raise ConfigError(f'Missing required configuration "{self.name}" which has no default value.')
        value = self.default_value if text is None else parse_value(self.name, self.type, text)
        if self.valid is not None:
            self.valid(self.name, value)
        return value


@dataclass(frozen=True, slots=True)
class ServerKey(ConfigKey):
    """A setting of brokers, topics, groups or client metrics, which the cluster stores and lists."""

    dynamic: Dynamic = Dynamic.READ_ONLY
    internal: bool = False
    effect: Effect = READ

    @property
    def allowed(self) -> tuple[str, ...]:
        """The texts that a value, or an item of a list, is one of; none where they are not counted out."""
        if self.type is ConfigType.BOOLEAN:
            return ("true", "false")
        return getattr(self.valid, "allowed", ())

    def parse(self, text: str | None) -> Value:
        # `super()` would name the class before it had slots.
        value = ConfigKey.parse(self, text)
        if isinstance(self.effect, Restricted):
            _check_allowed(self.name, value, self.effect)
        return value

    def normalize(self, text: str) -> str:
        """Return the text as Kafka would print it back: trimmed, numbers in their plain form."""
        return format_value(self.parse(text)) or ""


def _check_allowed(name: str, value: Value, effect: Restricted) -> None:
    for item in value if isinstance(value, list) else [format_value(value)]:
        if item and item not in effect.allowed:
            raise ConfigRefused(f"{name} cannot be {item} here: {effect.instead}")


def invalid(name: str, value: Value, reason: str) -> ConfigError:
    shown = f"[{', '.join(value)}]" if isinstance(value, list) else format_value(value)
    return ConfigError(f"Invalid value {shown} for configuration {name}: {reason}")


def parse_value(name: str, kind: ConfigType, text: str) -> Value:
    trimmed = text.strip()
    match kind:
        case ConfigType.BOOLEAN:
            if trimmed.lower() not in ("true", "false"):
                raise invalid(name, text, "Expected value to be either true or false")
            return trimmed.lower() == "true"
        case ConfigType.INT | ConfigType.SHORT | ConfigType.LONG:
            return _parse_integer(name, kind, trimmed)
        case ConfigType.DOUBLE:
            try:
                return float(trimmed)
            except ValueError:
                raise invalid(name, trimmed, "Not a number of type DOUBLE") from None
        case ConfigType.LIST:
            return _COMMA.split(trimmed) if trimmed else []
        case ConfigType.PASSWORD:
            return text
        case _:
            return trimmed


def _parse_integer(name: str, kind: ConfigType, text: str) -> int:
    number = int(text) if _NUMBER.fullmatch(text) and len(text) <= 20 else None
    limit = 1 << _BITS[kind]
    if number is None or not -limit <= number < limit:
        raise invalid(name, text, f"Not a number of type {kind.name}")
    return number


def format_value(value: Value) -> str | None:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return ",".join(value)
    return java_double_text(value) if isinstance(value, float) else str(value)


def java_double_text(value: float) -> str:
    """`Double.toString`: plain between 0.001 and 10 million, else with an exponent (`1.0E7`)."""
    if value == 0 or 1e-3 <= abs(value) < 1e7:
        return repr(float(value))
    sign, digits, exponent = Decimal(repr(value)).as_tuple()
    assert isinstance(exponent, int), "finite"
    fraction = "".join(map(str, digits[1:])).rstrip("0") or "0"
    return f"{'-' * sign}{digits[0]}.{fraction}E{exponent + len(digits) - 1}"


# Validators


def between(low: float | None, high: float | None = None) -> Validator:
    """Allow numbers from `low` to `high`, both included; None is no bound."""

    def check(name: str, value: Value) -> None:
        assert isinstance(value, int | float), name
        if low is not None and value < low:
            raise invalid(name, value, f"Value must be at least {low}")
        if high is not None and value > high:
            raise invalid(name, value, f"Value must be no more than {high}")

    return check


def at_least(low: float) -> Validator:
    """Allow numbers from `low` on."""
    return between(low)


@dataclass(frozen=True, slots=True)
class _Choice:
    """A validator that can be asked for what it allows."""

    allowed: tuple[str, ...]
    is_any_case: bool = False

    def __call__(self, name: str, value: Value) -> None:
        if self.is_any_case:
            if str(value).upper() not in {each.upper() for each in self.allowed}:
                raise invalid(name, value, f"String must be one of (case insensitive): {', '.join(self.allowed)}")
        elif value not in self.allowed:
            raise invalid(name, value, f"String must be one of: {', '.join(self.allowed)}")


@dataclass(frozen=True, slots=True)
class _ListOf:
    allowed: tuple[str, ...]
    may_be_empty: bool

    def __call__(self, name: str, value: Value) -> None:
        assert isinstance(value, list), name
        if not value and not self.may_be_empty:
            choice = f"[{', '.join(self.allowed)}]" if self.allowed else "any non-empty value"
            raise ConfigError(f"Configuration '{name}' must not be empty. Valid values include: {choice}")
        if "" in value:
            raise ConfigError(f"Configuration '{name}' values must not be empty.")
        if len(set(value)) != len(value):
            raise ConfigError(f"Configuration '{name}' values must not be duplicated.")
        for item in value:
            if self.allowed and item not in self.allowed:
                raise invalid(name, item, f"String must be one of: {', '.join(self.allowed)}")


def one_of(*allowed: str) -> Validator:
    """Allow these texts, as they are written here."""
    return _Choice(allowed)


def one_of_any_case(*allowed: str) -> Validator:
    """Allow these texts, in upper or lower case."""
    return _Choice(allowed, is_any_case=True)


def non_empty(name: str, value: Value) -> None:
    """Refuse a text or a list that is empty or not there."""
    if not value:
        raise invalid(name, value, "String must be non-empty")


def list_of(*allowed: str, empty: bool = True) -> Validator:
    """Allow a list without repeats, of these items only where any are named."""
    return _ListOf(allowed, empty)


# Properties text

_ESCAPES = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}
_SPACE = " \t\f"


def parse_properties(text: str) -> dict[str, str]:
    """Read a Java `.properties` text: `#` and `!` comment, `=`, `:` or space part, `\\` continues a line or escapes."""
    return dict(_split_property(line) for line in _logical_lines(text))


def _logical_lines(text: str) -> Iterator[str]:
    pending: str | None = None
    for line in re.split(r"\r\n|\r|\n", text):
        stripped = line.lstrip(_SPACE)
        if pending is None and (not stripped or stripped[0] in "#!"):
            continue
        whole = (pending or "") + stripped
        # An even number of backslashes at the end escapes itself; an odd one carries the line on.
        continues = (len(whole) - len(whole.rstrip("\\"))) % 2 == 1
        pending = whole[:-1] if continues else None
        if not continues:
            yield whole
    if pending is not None:
        yield pending


def _split_property(line: str) -> tuple[str, str]:
    end = 0
    while end < len(line) and line[end] not in "=:" + _SPACE:
        end += 2 if line[end] == "\\" else 1
    rest = line[end:].lstrip(_SPACE)
    if rest and rest[0] in "=:":
        rest = rest[1:].lstrip(_SPACE)
    return _unescape(line[:end]), _unescape(rest)


def _unescape(text: str) -> str:
    def replace(found: re.Match[str]) -> str:
        code = found.group(1)
        return chr(int(code[1:], 16)) if len(code) == 5 else _ESCAPES.get(code, code)

    return re.sub(r"\\(u[0-9a-fA-F]{4}|.)", replace, text)


# What the images' start scripts and the JVM read; not settings of the broker.
_NOT_SETTINGS = re.compile(r"(.*_)?OPTS?|HOME|VERSION|(JMX|HEAP|LOG4J|TOOLS|GC)_.*|DEBUG|USER|MODE")
_UNDERSCORES = {1: ".", 2: "_", 3: "-"}


def properties_from_environment(environment: Mapping[str, str], prefix: str = "KAFKA_") -> dict[str, str]:
    """Variables with the prefix as settings: one underscore is a dot, two an underscore, three a dash."""
    words = {name.removeprefix(prefix): value for name, value in environment.items() if name.startswith(prefix)}
    return {
        re.sub(r"_+", lambda run: _UNDERSCORES.get(len(run.group()), "_"), word.lower()): value
        for word, value in words.items()
        if word and not _NOT_SETTINGS.fullmatch(word)
    }

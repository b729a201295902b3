"""Rules that single settings of Kafka have beyond ranges and lists of choices."""

from __future__ import annotations

import re

from riacho.base.config import ConfigError, Value, invalid


def gzip_level(name: str, value: Value) -> None:
    assert isinstance(value, int), name
    if value != -1 and not 1 <= value <= 9:
        raise invalid(name, value, "Value must be between 1 and 9 or equal to -1")


def throttled_replicas(name: str, value: Value) -> None:
    assert isinstance(value, list), name
    if value in ([], [""], ["*"]) or all(re.fullmatch(r"[0-9]+:[0-9]+", pair) for pair in value):
        return
    form = "[partitionId]:[brokerId],[partitionId]:[brokerId],..."
    raise invalid(name, value, f"{name} must be the literal '*' or a list of replicas in the following format: {form}")


def host_and_port_list(name: str, value: Value) -> None:
    assert isinstance(value, list), name
    for entry in value:
        if not re.fullmatch(r".*?\[?([0-9a-zA-Z\-%._:]*)\]?:[0-9]+", entry):
            form = 'Each entry should be in the form "{host}:{port}"'
            raise ConfigError(f"Failed to parse host name from {entry} for the configuration {name}. {form}")


def voter_list(name: str, value: Value) -> None:
    assert isinstance(value, list), name
    if not all(re.fullmatch(r"[0-9]+@.*:[0-9]+", entry) for entry in value):
        form = "Each entry should be in the form `{id}@{host}:{port}`."
        raise ConfigError(f"Invalid configuration value for {name}. {form}")


_DURATION = re.compile(r"by_duration:P(?=.)([0-9]+D)?(T(?=.)([0-9]+H)?([0-9]+M)?([0-9]+(\.[0-9]+)?S)?)?", re.IGNORECASE)


def offset_reset(name: str, value: Value) -> None:
    if value in ("latest", "earliest") or _DURATION.fullmatch(str(value)):
        return
    form = "The value must be either 'earliest', 'latest' or of the format 'by_duration:<PnDTnHnMn.nS>'."
    raise invalid(name, value, f"Invalid value `{value}` for configuration {name}. {form}")

"""Quotas of users, clients and IPs, and SCRAM credentials of users, for kafka-configs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from riacho.cli.kafka.deserializers import java_float
from riacho.cli.kafka.launch import ToolError
from riacho.client import client_quotas
from riacho.client.client_quotas import CLIENT_KEYS, IP_KEYS, QuotaSubject
from riacho.client.cluster import Cluster
from riacho.client.scram_users import (
    ITERATIONS_DEFAULT,
    ITERATIONS_MIN,
    MECHANISMS,
    Password,
    alter_scram_user,
    describe_scram_users,
)

if TYPE_CHECKING:
    from riacho.cli.kafka.configs import Entity

# What may stand before a password.
_ITERATIONS = re.compile(r"\s*(?:iterations=([0-9]{1,9})\s*,)?\s*")
_KINDS = {"users": client_quotas.USER, "clients": client_quotas.CLIENT_ID, "ips": client_quotas.IP}
_LABELS = {"user": "user-principal", "client-id": "client-id", "ip": "ip"}


def _subjects(entities: Sequence[Entity]) -> list[QuotaSubject]:
    return [QuotaSubject(_KINDS[entity.kind], entity.name) for entity in entities]


def describe_quotas(cluster: Cluster, entities: Sequence[Entity]) -> None:
    for entry in client_quotas.describe_quotas(cluster, _subjects(entities)):
        named = sorted(((part.entity_type, part.entity_name) for part in entry.entity), key=lambda p: p[0] != "user")
        who = ", ".join(
            f"the default {_LABELS.get(kind, kind)}" if name is None else f"{_LABELS.get(kind, kind)} '{name}'"
            for kind, name in named
        )
        quotas = ", ".join(
            f"{v.key}={java_float(v.value, repr(v.value))}" for v in sorted(entry.values, key=lambda v: v.key)
        )
        print(f"Quota configs for {who} are {quotas}")
    if [entity.kind for entity in entities] == ["users"] and entities[0].name != "":
        _describe_scram(cluster, entities[0].name)


def _describe_scram(cluster: Cluster, user: str | None) -> None:
    for found in describe_scram_users(cluster, None if user is None else [user]):
        credentials = ", ".join(f"{mechanism}=iterations={count}" for mechanism, count in found.credentials)
        print(f"SCRAM credential configs for user-principal '{found.name}' are {credentials}")


def alter_quotas(cluster: Cluster, entities: Sequence[Entity], added: dict[str, str], deleted: Iterable[str]) -> None:
    removed = list(deleted)
    for keys, verb in ((list(added), "added"), (removed, "deleted")):
        _check_keys(entities, keys, verb)
    scram = {key: value for key, value in added.items() if key in MECHANISMS}
    if not scram and not any(key in MECHANISMS for key in removed):
        rates = {key: _rate(key, value) for key, value in added.items()}
        _check_present(cluster, entities, removed)
        client_quotas.alter_quotas(cluster, _subjects(entities), rates, removed)
        return
    user = entities[0].name
    if not user:
        raise ToolError(
            "The use of --entity-default or --user-defaults is not allowed with User SCRAM Credentials using "
            "--bootstrap-server."
        )
    if len(scram) < len(added) or any(key not in MECHANISMS for key in removed):
        raise ToolError(
            "Cannot alter both quota and SCRAM credential configs simultaneously for 'users' using --bootstrap-server."
        )
    alter_scram_user(cluster, user, {name: _credential(name, text) for name, text in scram.items()}, removed)


def _check_keys(entities: Sequence[Entity], keys: Iterable[str], verb: str) -> None:
    if entities[0].kind == "ips":
        what, allowed, kind = "connection quota", IP_KEYS, "ips"
    elif [entity.kind for entity in entities] == ["users"]:
        what, allowed, kind = "quota and SCRAM credential", CLIENT_KEYS | MECHANISMS.keys(), "users"
    else:
        what, allowed, kind = "quota", CLIENT_KEYS, "clients"
    unknown = [key for key in keys if key not in allowed]
    if unknown:
        named = ",".join(unknown) if kind == "ips" else f"Set({', '.join(unknown)})"
        raise ToolError(
            f"Only {what} configs can be {verb} for '{kind}' using --bootstrap-server. Unexpected config names: {named}"
        )


def _check_present(cluster: Cluster, entities: Sequence[Entity], removed: Iterable[str]) -> None:
    entries = client_quotas.describe_quotas(cluster, _subjects(entities))
    present = {value.key for entry in entries for value in entry.values}
    missing = [key for key in removed if key not in present]
    if missing:
        raise ToolError(f"Invalid config(s): {','.join(missing)}")


def _rate(key: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ToolError(f"Cannot parse quota configuration value for {key}: {text}") from None


def _credential(mechanism: str, text: str) -> Password:
    """`iterations=8192,password=secret`; the password goes to the end, so it may hold commas."""
    options, _, password = text.partition("password=")
    found = _ITERATIONS.fullmatch(options)
    # Brackets in a file are no grouping: the password would end in one, and nobody could tell why it is wrong.
    if not password or found is None:
        raise ToolError(f"{mechanism} takes [iterations=n,password=text], in a file without the brackets")
    iterations = int(found[1] or ITERATIONS_DEFAULT)
    if iterations < ITERATIONS_MIN:
        raise ToolError(f"Iterations {iterations} is less than the minimum {ITERATIONS_MIN} required for {mechanism}")
    return Password(password, iterations)

"""Quotas of users, clients and IPs, and SCRAM credentials of users, for kafka-configs."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from riacho.base.errors import ErrorCode, KafkaError
from riacho.cli.kafka.deserializers import java_float
from riacho.cli.kafka.launch import ToolError
from riacho.client.cluster import Cluster, check

if TYPE_CHECKING:
    from riacho.cli.kafka.configs import Entity
    from riacho.wire.messages.describe_client_quotas_response import EntryData

_ENTITY_TYPES = {"users": "user", "clients": "client-id", "ips": "ip"}
_LABELS = {"user": "user-principal", "client-id": "client-id", "ip": "ip"}
_EXACT, _DEFAULT, _ANY = 0, 1, 2
_MECHANISMS = {"SCRAM-SHA-256": (1, "sha256"), "SCRAM-SHA-512": (2, "sha512")}
_MECHANISM_NAMES = {number: name for name, (number, _) in _MECHANISMS.items()}
_ITERATIONS_DEFAULT, _ITERATIONS_MIN = 4096, 4096
_CLIENT_KEYS = frozenset({"producer_byte_rate", "consumer_byte_rate", "request_percentage", "controller_mutation_rate"})
_IP_KEYS = frozenset({"connection_creation_rate"})
_SALT_SIZE_BYTES = 24


def _described(cluster: Cluster, entities: Sequence[Entity]) -> list[EntryData]:
    from riacho.wire.messages.describe_client_quotas_request import ComponentData, DescribeClientQuotasRequest
    from riacho.wire.messages.describe_client_quotas_response import DescribeClientQuotasResponse

    components = [
        ComponentData(
            entity_type=_ENTITY_TYPES[entity.kind],
            match_type=_ANY if entity.name is None else _EXACT if entity.name else _DEFAULT,
            match=entity.name or None,
        )
        for entity in entities
    ]

    def work() -> DescribeClientQuotasResponse:
        request = DescribeClientQuotasRequest(components=components, strict=True)
        response = cluster.ask(request, DescribeClientQuotasResponse)
        check(response.error_code, response.error_message)
        return response

    return cluster.retry(work).entries or []


def describe_quotas(cluster: Cluster, entities: Sequence[Entity]) -> None:
    for entry in _described(cluster, entities):
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
    from riacho.wire.messages.describe_user_scram_credentials_request import (
        DescribeUserScramCredentialsRequest,
        UserName,
    )
    from riacho.wire.messages.describe_user_scram_credentials_response import DescribeUserScramCredentialsResponse

    request = DescribeUserScramCredentialsRequest(users=None if user is None else [UserName(name=user)])
    try:
        response = cluster.ask(request, DescribeUserScramCredentialsResponse, cluster.controller())
    except KafkaError as error:
        if error.code is ErrorCode.UNSUPPORTED_VERSION:
            return
        raise
    check(response.error_code, response.error_message)
    for result in sorted(response.results, key=lambda r: r.user):
        if result.error_code == ErrorCode.RESOURCE_NOT_FOUND:
            continue
        check(result.error_code, result.error_message)
        credentials = ", ".join(
            f"{_MECHANISM_NAMES.get(c.mechanism, 'UNKNOWN')}=iterations={c.iterations}" for c in result.credential_infos
        )
        print(f"SCRAM credential configs for user-principal '{result.user}' are {credentials}")


def alter_quotas(cluster: Cluster, entities: Sequence[Entity], added: dict[str, str], deleted: Iterable[str]) -> None:
    removed = list(deleted)
    for keys, verb in ((list(added), "added"), (removed, "deleted")):
        _check_keys(entities, keys, verb)
    scram = {key: value for key, value in added.items() if key in _MECHANISMS}
    if not scram and not any(key in _MECHANISMS for key in removed):
        rates = {key: _rate(key, value) for key, value in added.items()}
        _check_present(cluster, entities, removed)
        _alter_rates(cluster, entities, rates, removed)
        return
    user = entities[0].name
    if not user:
        raise ToolError(
            "The use of --entity-default or --user-defaults is not allowed with User SCRAM Credentials using "
            "--bootstrap-server."
        )
    if len(scram) < len(added) or any(key not in _MECHANISMS for key in removed):
        raise ToolError(
            "Cannot alter both quota and SCRAM credential configs simultaneously for 'users' using --bootstrap-server."
        )
    _alter_scram(cluster, user, scram, removed)


def _check_keys(entities: Sequence[Entity], keys: Iterable[str], verb: str) -> None:
    if entities[0].kind == "ips":
        what, allowed, kind = "connection quota", _IP_KEYS, "ips"
    elif [entity.kind for entity in entities] == ["users"]:
        what, allowed, kind = "quota and SCRAM credential", _CLIENT_KEYS | _MECHANISMS.keys(), "users"
    else:
        what, allowed, kind = "quota", _CLIENT_KEYS, "clients"
    unknown = [key for key in keys if key not in allowed]
    if unknown:
        named = ",".join(unknown) if kind == "ips" else f"Set({', '.join(unknown)})"
        raise ToolError(
            f"Only {what} configs can be {verb} for '{kind}' using --bootstrap-server. Unexpected config names: {named}"
        )


def _check_present(cluster: Cluster, entities: Sequence[Entity], removed: Iterable[str]) -> None:
    entries = _described(cluster, entities)
    present = {value.key for entry in entries for value in entry.values}
    missing = [key for key in removed if key not in present]
    if missing:
        raise ToolError(f"Invalid config(s): {','.join(missing)}")


def _rate(key: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ToolError(f"Cannot parse quota configuration value for {key}: {text}") from None


def _alter_rates(cluster: Cluster, entities: Sequence[Entity], rates: dict[str, float], removed: list[str]) -> None:
    from riacho.wire.messages.alter_client_quotas_request import (
        AlterClientQuotasRequest,
        EntityData,
        EntryData,
        OpData,
    )
    from riacho.wire.messages.alter_client_quotas_response import AlterClientQuotasResponse

    entry = EntryData(
        entity=[EntityData(entity_type=_ENTITY_TYPES[e.kind], entity_name=e.name or None) for e in entities],
        ops=[
            *(OpData(key=key, value=value) for key, value in rates.items()),
            *(OpData(key=key, remove=True) for key in removed),
        ],
    )

    def work() -> None:
        request = AlterClientQuotasRequest(entries=[entry])
        response = cluster.ask(request, AlterClientQuotasResponse, cluster.controller())
        for result in response.entries:
            check(result.error_code, result.error_message)

    cluster.retry(work)


def _alter_scram(cluster: Cluster, user: str, added: dict[str, str], deleted: list[str]) -> None:
    from riacho.wire.messages.alter_user_scram_credentials_request import (
        AlterUserScramCredentialsRequest,
        ScramCredentialDeletion,
        ScramCredentialUpsertion,
    )
    from riacho.wire.messages.alter_user_scram_credentials_response import AlterUserScramCredentialsResponse

    request = AlterUserScramCredentialsRequest(
        deletions=[ScramCredentialDeletion(name=user, mechanism=_MECHANISMS[name][0]) for name in deleted]
    )
    for name, text in added.items():
        iterations, password = _credential(name, text)
        salt = os.urandom(_SALT_SIZE_BYTES)
        request.upsertions.append(
            ScramCredentialUpsertion(
                name=user,
                mechanism=_MECHANISMS[name][0],
                iterations=iterations,
                salt=salt,
                salted_password=salted_password(_MECHANISMS[name][1], password, salt, iterations),
            )
        )

    def work() -> None:
        response = cluster.ask(request, AlterUserScramCredentialsResponse, cluster.controller())
        for result in response.results:
            check(result.error_code, result.error_message)

    cluster.retry(work)


def _credential(mechanism: str, text: str) -> tuple[int, str]:
    """`iterations=8192,password=secret`; the password goes to the end, so it may hold commas."""
    options, _, password = text.partition("password=")
    if not password:
        raise ToolError(f"{mechanism} takes [iterations=n,password=text]")
    _, _, digits = options.strip(", ").partition("iterations=")
    iterations = int(digits) if digits.isdigit() else _ITERATIONS_DEFAULT
    if iterations < _ITERATIONS_MIN:
        raise ToolError(f"Iterations {iterations} is less than the minimum {_ITERATIONS_MIN} required for {mechanism}")
    return iterations, password


def salted_password(hash_name: str, password: str, salt: bytes, iterations: int) -> bytes:
    """RFC 5802's Hi(): the password never leaves this machine."""
    from hashlib import pbkdf2_hmac

    return pbkdf2_hmac(hash_name, password.encode(), salt, iterations)

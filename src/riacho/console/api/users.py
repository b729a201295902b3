"""Users who log in to the brokers by SCRAM (KIP-554). A password comes in and never goes out."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from starlette.responses import Response

from riacho.base.errors import ErrorCode, KafkaError
from riacho.client.cluster import Cluster
from riacho.client.scram_users import (
    ITERATIONS_DEFAULT,
    ITERATIONS_MIN,
    Password,
    ScramUser,
    alter_scram_user,
    describe_scram_users,
)
from riacho.console.api.listing import PAGE_QUERY, Page, cut, fields_of
from riacho.console.api.now import now_ms
from riacho.console.door.audit_log import note
from riacho.console.parts import Parts
from riacho.web.answers import json_answer, no_content
from riacho.web.call import Call
from riacho.web.endpoint import Endpoint

_ITERATIONS_MAX = 16_384
_Mechanism = Literal["SCRAM-SHA-256", "SCRAM-SHA-512"]


class Credential(msgspec.Struct):
    mechanism: str
    iterations: int


class UserRow(msgspec.Struct):
    name: str
    credentials: list[Credential]


class NewUser(msgspec.Struct, forbid_unknown_fields=True):
    name: Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
    password: Annotated[str, msgspec.Meta(min_length=1, max_length=1_000)]
    mechanisms: Annotated[list[_Mechanism], msgspec.Meta(min_length=1, max_length=2)]
    iterations: Annotated[int, msgspec.Meta(ge=ITERATIONS_MIN, le=_ITERATIONS_MAX)] = ITERATIONS_DEFAULT

    def __repr__(self) -> str:
        return f"NewUser({self.name!r})"


def endpoints(parts: Parts) -> list[Endpoint]:
    async def get(call: Call) -> Response:
        found = await parts.clusters.of(call).kafka.ask(describe_scram_users)
        rows = [_row(each) for each in found]
        part = cut(call, rows, lambda row: row.name, fields_of("name"), "name")
        return json_answer(Page(list(part.rows), part.total, part.page, part.page_size, now_ms(), None))

    async def post(call: Call) -> Response:
        cluster = parts.clusters.of(call)
        new: NewUser = await call.read(NewUser)
        note(call, user=new.name, mechanisms=", ".join(new.mechanisms))
        await cluster.kafka.ask(lambda c: _put(c, new))
        return json_answer(UserRow(new.name, [Credential(each, new.iterations) for each in new.mechanisms]), 201)

    async def delete(call: Call) -> Response:
        name = call.segment("name")
        await parts.clusters.of(call).kafka.ask(lambda c: _delete(c, name))
        return no_content()

    path = "/api/v1/clusters/{c}/users"
    return [
        Endpoint("GET", path, get, "Users who log in by SCRAM.", tag="security", query=PAGE_QUERY,
                 answers={200: Page[UserRow]}),
        Endpoint("POST", path, post, "Make one, or give one another password.", tag="security", body=NewUser,
                 answers={201: UserRow}),
        Endpoint("DELETE", path + "/{name}", delete, "Take one away.", tag="security", answers={204: None}),
    ]  # fmt: skip


def _row(user: ScramUser) -> UserRow:
    return UserRow(user.name, [Credential(mechanism, iterations) for mechanism, iterations in user.credentials])


def _put(cluster: Cluster, new: NewUser) -> None:
    # One by one: brokers take one change of a user a request.
    for mechanism in dict.fromkeys(new.mechanisms):
        alter_scram_user(cluster, new.name, {mechanism: Password(new.password, new.iterations)}, ())


def _delete(cluster: Cluster, name: str) -> None:
    found = describe_scram_users(cluster, [name])
    if not found:
        raise KafkaError(ErrorCode.RESOURCE_NOT_FOUND, f"There is no user {name}.")
    for mechanism, _ in found[0].credentials:
        alter_scram_user(cluster, name, {}, [mechanism])

"""Who may do what: the role that each changing route needs.

A viewer sees everything, an operator does what keeps a cluster running (produces, resets offsets, restarts), an admin
does the rest. Reading needs no line here. A changing route without one needs an admin, and `tests/unit/console/door`
fails until it has its line. Names of segments do not matter: `{c}` and `{cluster}` are the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import IntEnum
from typing import NamedTuple

from riacho.web.endpoint import Endpoint

_SEGMENT = re.compile(r"\{[^}]*\}")
_READING = frozenset({"GET", "HEAD", "OPTIONS"})
_API = "/api/v1"
_CLUSTER = f"{_API}/clusters/{{}}"


class Role(IntEnum):
    """In the order of what they may: each may what those before it may."""

    VIEWER = 1
    OPERATOR = 2
    ADMIN = 3

    @property
    def label(self) -> str:
        return self.name.lower()


class Right(NamedTuple):
    """`is_change`: False where the route only answers a question that does not fit into a URL; such a call is served in
    read-only mode too and does not stand in the audit log."""

    role: Role
    is_change: bool = True


_OPERATE = Right(Role.OPERATOR)
_ADMINISTER = Right(Role.ADMIN)
_ASK = Right(Role.OPERATOR, is_change=False)
# For everyone, logged in or not.
_ANYONE = Right(Role.VIEWER, is_change=False)

_OF_CLUSTER: dict[str, Right] = {
    "PATCH /brokers/{}/config": _ADMINISTER,
    "PATCH /broker-defaults": _ADMINISTER,
    "POST /reassignments": _ADMINISTER,
    "POST /reassignments/plan": _ASK,
    "DELETE /reassignments": _ADMINISTER,
    "DELETE /reassignments/throttle": _ADMINISTER,
    "POST /topics": _ADMINISTER,
    "DELETE /topics/{}": _ADMINISTER,
    "PATCH /topics/{}/config": _ADMINISTER,
    "POST /topics/{}/partitions": _ADMINISTER,
    "POST /topics/{}/purge": _ADMINISTER,
    "POST /topics/{}/clone": _ADMINISTER,
    "POST /topics/{}/messages": _OPERATE,
    "POST /topics/{}/messages/{}/{}/replay": _OPERATE,
    "POST /groups/{}/offsets/preview": _ASK,
    "POST /groups/{}/offsets": _OPERATE,
    "DELETE /groups/{}": _ADMINISTER,
    "DELETE /groups/{}/offsets": _ADMINISTER,
    "POST /transactions/{}/abort": _ADMINISTER,
    "POST /schemas/{}/check": _ASK,
    "POST /schemas/{}/versions": _ADMINISTER,
    "DELETE /schemas/{}": _ADMINISTER,
    "DELETE /schemas/{}/versions/{}": _ADMINISTER,
    "PUT /schemas/{}/compatibility": _ADMINISTER,
    "POST /connector-plugins/{}/validate": _ASK,
    "PUT /connector-plugins/{}/validate": _ASK,
    "POST /connectors": _ADMINISTER,
    "PUT /connectors/{}": _ADMINISTER,
    "DELETE /connectors/{}": _ADMINISTER,
    "POST /connectors/{}/restart": _OPERATE,
    "POST /connectors/{}/tasks/{}/restart": _OPERATE,
    "POST /connectors/{}/pause": _OPERATE,
    "POST /connectors/{}/resume": _OPERATE,
    "POST /connectors/{}/stop": _OPERATE,
    "PATCH /connectors/{}/offsets": _ADMINISTER,
    "DELETE /connectors/{}/offsets": _ADMINISTER,
    "POST /sql/statements": _OPERATE,
    "POST /sql/query": _ASK,
    "POST /sql/explain": _ASK,
    "POST /acls": _ADMINISTER,
    "DELETE /acls": _ADMINISTER,
    "POST /users": _ADMINISTER,
    "DELETE /users": _ADMINISTER,
    "DELETE /users/{}": _ADMINISTER,
    "POST /quotas": _ADMINISTER,
    "DELETE /quotas": _ADMINISTER,
    "PUT /alerts": _ADMINISTER,
    "POST /alerts/test": _ADMINISTER,
}
_OF_CONSOLE: dict[str, Right] = {
    "POST /login": _ANYONE,
    "POST /logout": _ANYONE,
}


def _rows() -> Iterable[tuple[tuple[str, str], Right]]:
    for prefix, table in ((_CLUSTER, _OF_CLUSTER), (_API, _OF_CONSOLE)):
        for line, right in table.items():
            method, path = line.split()
            yield (method, prefix + path), right


_RIGHTS = dict(_rows())


def right_of(method: str, path: str) -> Right | None:
    """What a call of this route needs; None where being let in is enough."""
    if method in _READING:
        return None
    return _RIGHTS.get((method, _SEGMENT.sub("{}", path)), _ADMINISTER)


def without_right(endpoints: Iterable[Endpoint]) -> list[str]:
    """Changing routes that have no line in the table."""
    routes = {(each.method, _SEGMENT.sub("{}", each.path)) for each in endpoints if each.method not in _READING}
    return sorted(f"{method} {path}" for method, path in routes - _RIGHTS.keys())

"""Every API and what it takes: a request, the rights it needs, and the answer when each of them is missing.

A right reads `READ topic:open`; `{me}` in a name is the user who asks, so that no two rows meet. `denied` has an answer
for each right in turn: the codes that the response holds when all rights but this one are granted. `granted` are the
codes with all of them; None: any but a refusal.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

TOPIC = "TOPIC_AUTHORIZATION_FAILED"
GROUP = "GROUP_AUTHORIZATION_FAILED"
CLUSTER = "CLUSTER_AUTHORIZATION_FAILED"
TXN = "TRANSACTIONAL_ID_AUTHORIZATION_FAILED"
UNKNOWN = "UNKNOWN_TOPIC_OR_PARTITION"
CLOSED = "CLOSED"
NOTHING = ""
REFUSALS = (TOPIC, GROUP, CLUSTER, TXN)


@dataclass(frozen=True, slots=True)
class World:
    """What the requests speak of: a topic `open` with a record, a group `group` that committed to it."""

    me: str
    topic_id: bytes
    cluster_id: str
    log_dir: str


Values = Callable[[World], dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Case:
    name: str
    api: str
    version: int
    values: Values
    needs: tuple[str, ...] = ()
    denied: tuple[str, ...] = ()
    granted: str | None = NOTHING
    # Without it, what is granted would do harm or is another test's business.
    tries_granted: bool = True
    to_controller: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """One case with one right missing, or none."""

    case: Case
    missing: str | None
    expected: str | None

    @property
    def id(self) -> str:
        lacking = "all granted" if self.missing is None else f"without {self.missing}"
        return f"{self.case.name}, {lacking}"

    @property
    def rights(self) -> list[str]:
        return [right for right in self.case.needs if right != self.missing]


def rows(cases: list[Case]) -> Iterator[Row]:
    for case in cases:
        assert len(case.needs) == len(case.denied), case.name
        for right, answer in zip(case.needs, case.denied, strict=True):
            yield Row(case, right, answer)
        if case.tries_granted:
            yield Row(case, None, case.granted)


_RIGHT = re.compile(r"(?P<operation>[A-Z_]+) (?P<kind>[a-z_]+)(?::(?P<name>.+))?")


def parse_right(right: str, me: str) -> tuple[str, str, str]:
    """(operation, type, name)."""
    found = _RIGHT.fullmatch(right)
    assert found is not None, right
    return found["operation"], found["kind"].upper(), (found["name"] or "kafka-cluster").replace("{me}", me)


def commit_values(topic: dict[str, Any], **more: Any) -> dict[str, Any]:
    partition = {"partition_index": 0, "committed_offset": 0, "committed_metadata": ""}
    return {"topics": [{**topic, "partitions": [partition]}], **more}

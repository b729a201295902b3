"""POST /inserts-stream: acknowledged in order, row by row, over a connection that is read and written at once."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from support.ksql_server import KsqlServer

_DELIMITED = {"content-type": "application/vnd.ksqlapi.delimited.v1"}


def _insert(ksql: KsqlServer, *lines: bytes | dict[str, Any], **more: Any) -> httpx.Response:
    body = b"\n".join(each if isinstance(each, bytes) else json.dumps(each).encode() for each in lines)
    return httpx.post(ksql.url + "/inserts-stream", content=body, headers=_DELIMITED, timeout=60, **more)


def test_rows_are_acknowledged_in_their_order_and_those_that_cannot_be_are_told(ksql: KsqlServer) -> None:
    answer = _insert(
        ksql, {"target": "users"}, {"id": "i1", "Name": "x", "AGE": 5}, b"no json", {"ID": "i2", "age": "not a number"},
        b"[]", {"name": "without key"}, b"[" * 3_000, {"ID": "i3"},
    )  # fmt: skip
    assert answer.status_code == 200
    acks = [json.loads(line) for line in answer.text.splitlines()]
    assert [each["seq"] for each in acks] == list(range(7))
    assert [each["status"] for each in acks] == ["ok", "error", "error", "error", "error", "error", "ok"]
    assert all(each["error_code"] == 50000 and each["message"] for each in acks if each["status"] == "error")
    assert ksql.rows("SELECT id, name, age FROM users WHERE id IN ('i1', 'i2', 'i3');") == [
        ["i1", "x", 5],
        ["i3", None, None],
    ]
    ksql.run("DELETE FROM users WHERE id = 'i1'; DELETE FROM users WHERE id = 'i3';")


def test_rows_are_in_the_topic_in_their_order(ksql: KsqlServer) -> None:
    ksql.run(
        "CREATE STREAM ordered (id VARCHAR KEY, v INT) WITH (kafka_topic='ordered', value_format='json', partitions=1);"
    )
    answer = _insert(ksql, {"target": "ordered"}, *({"ID": "k", "V": number} for number in range(3_000)))
    assert len(answer.text.splitlines()) == 3_000
    assert [row[0] for row in ksql.rows("SELECT v FROM ordered;")] == list(range(3_000))


def test_over_http2_a_row_is_acknowledged_before_the_next_is_sent(ksql: KsqlServer) -> None:
    """The body waits for an answer that nobody could give if both ways were not open at once."""
    seen: list[bytes] = []

    def body() -> Iterator[bytes]:
        yield b'{"target":"s"}\n'
        for number in range(3):
            yield b'{"ID":"d","V":%d}\n' % number

    with (
        httpx.Client(http1=False, http2=True, timeout=60) as client,
        client.stream("POST", ksql.url + "/inserts-stream", content=body(), headers=_DELIMITED) as answer,
    ):
        seen.extend(line.encode() for line in answer.iter_lines())
    assert [json.loads(line) for line in seen] == [{"status": "ok", "seq": number} for number in range(3)]


@pytest.mark.parametrize(
    ("first", "part"),
    [
        (b"", "target"), (b"{}", "target"), (b"no json", "target"),
        (b'{"target":"nope"}', "unknown stream/table: NOPE"),
        (b'{"target":"s","properties":{"bootstrap.servers":"x"}}', "Cannot override property"),
        (b'{"target":"`s`"}', "unknown stream/table: s"),
    ],
)  # fmt: skip
def test_targets_that_cannot_be(ksql: KsqlServer, first: bytes, part: str) -> None:
    answer = _insert(ksql, first)
    assert (answer.status_code, answer.json()["error_code"]) == (400, 40000)
    assert part in answer.json()["message"]


def test_a_line_without_end_is_refused(ksql: KsqlServer) -> None:
    answer = _insert(ksql, {"target": "s"}, {"ID": "a", "V": 1}, b"x" * 3_000_000)
    acks = [json.loads(line) for line in answer.text.splitlines()]
    assert acks[0] == {"status": "ok", "seq": 0}
    assert acks[1]["error_code"] == 40000
    assert "longer than the allowed" in acks[1]["message"]

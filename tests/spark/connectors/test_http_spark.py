"""The HTTP source and sink in Spark against a small API on loopback."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from riacho.pipelines.connectors.http.sink import HttpSinkConnector
from riacho.pipelines.connectors.http.source import HttpSourceConnector
from riacho.pipelines.plugin import Rejected
from support.http_api import Reply, Request, running_api

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def test_records_come_page_by_page_as_structs(
    make_connector: Callable[..., Any], run_source: Callable[..., Any]
) -> None:
    stored = [{"id": n, "name": f"n{n}"} for n in range(1, 6)]

    def answer(request: Request) -> Reply:
        after = int(request.path.rpartition("=")[2])
        return Reply(content={"data": {"items": [item for item in stored if int(str(item["id"])) > after][:2]}})

    with running_api(answer) as api:
        configs = {"url": f"{api.url}/items?after=${{offset}}", "topic.name.pattern": "items"}
        configs |= {"http.offset.mode": "CHAINING", "http.offset.json.pointer": "/id", "http.initial.offset": "0"}
        configs |= {"http.response.data.json.pointer": "/data/items", "http.key.json.pointer": "/name"}
        connector = make_connector(HttpSourceConnector, configs | {"auth.type": "bearer", "bearer.token": "t0ken"})
        batches = run_source(connector)
        assert [[(row.key, row.value.id) for row in batch] for batch in batches] == [
            [("n1", 1), ("n2", 2)],
            [("n3", 3), ("n4", 4)],
            [("n5", 5)],
        ]
        assert {request.headers["authorization"] for request in api.requests} == {"Bearer t0ken"}
        stored.append({"id": 6, "name": "n6", "added": True})
        ((row,),) = run_source(connector)
        assert (row.topic, row.value.asDict()) == ("items", {"added": True, "id": 6, "name": "n6"})


def test_requests_are_tried_again_and_refusals_told_by_record(
    spark: SparkSession, make_connector: Callable[..., Any]
) -> None:
    busy = [True]

    def answer(request: Request) -> Reply:
        if busy.pop() if busy else False:
            return Reply(503, headers={"Retry-After": "0"})
        items = request.json()
        return Reply(207, [{"status": 422 if item["n"] == 2 else 201, "message": "no twos"} for item in items])

    records = [("t", 0, n, f"k{n}", (n, None)) for n in range(4)] + [("t", 0, 4, "k4", None)]
    batch = spark.createDataFrame(
        records, "topic string, partition int, offset bigint, key string, value struct<n int, empty string>"
    ).coalesce(1)
    with running_api(answer) as api:
        configs = {"http.api.url": f"{api.url}/${{topic}}", "batch.max.size": "3", "batch.json.as.array": "true"}
        sink = make_connector(HttpSinkConnector, configs | {"retry.backoff.ms": "1"})
        assert sink.put(batch, 0) == [Rejected("t", 0, 2, f"{api.url}/t answered 422 for this record: no twos")]
        assert [request.headers["idempotency-key"] for request in api.requests] == [
            "t-0-0-0-2-3",
            "t-0-0-0-2-3",
            "t-0-3",
        ]
        assert api.requests[-1].json() == [{"n": 3, "empty": None}]

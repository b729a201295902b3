"""The HTTP connectors without Spark: pages of an API, tries, spooled pages, requests and refusals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pyspark.sql.streaming.datasource import ReadAllAvailable

from riacho.client.http_client import HttpAnswer
from riacho.pipelines.connectors.http.exchange import HttpExchange, HttpSettings
from riacho.pipelines.connectors.http.pages import Page, PageOffset, PageSettings, fetch_page, pointed
from riacho.pipelines.connectors.http.requests import Outgoing, RequestSettings, TaskRequests, refusals, request_id
from riacho.pipelines.connectors.http.sink import HttpSinkConnector
from riacho.pipelines.connectors.http.source import HttpSourceConnector
from riacho.pipelines.connectors.http.stream import HttpStreamReader, Records
from riacho.pipelines.plugin import ConnectError
from support.http_api import Reply, Request, running_api

QUICK = HttpSettings(retries_max=3, backoff_s=0.001)


def _fetch(settings: PageSettings, position: PageOffset) -> Page:
    exchange = HttpExchange(settings.http)
    try:
        return fetch_page(settings, exchange, position)
    finally:
        exchange.close()


def test_pointers() -> None:
    content = {"a": [{"b/c": 1}], "m~n": 2}
    assert pointed(content, "") == content
    assert pointed(content, "/a/0/b~1c") == 1
    assert pointed(content, "/m~0n") == 2
    assert (pointed(content, "/a/7"), pointed(content, "/a/0/b~1c/d")) == (None, None)


def test_a_snapshot_comes_once_until_it_changes() -> None:
    content = [{"n": 1}]

    def answer(request: Request) -> Reply:
        tag = f'"{len(content)}"'
        return (
            Reply(304) if request.headers.get("if-none-match") == tag else Reply(content=content, headers={"ETag": tag})
        )

    with running_api(answer) as api:
        settings = PageSettings(url=api.url, http=QUICK)
        first = _fetch(settings, PageOffset())
        assert first.records == [(None, '{"n":1}')]
        assert _fetch(settings, first.position).records == []
        content.append({"n": 2})
        assert len(_fetch(settings, first.position).records) == 2


def test_links_and_cursors_lead_on_and_a_last_page_may_grow() -> None:
    pages = {"/p1": [1, 2], "/p2": [3]}

    def answer(request: Request) -> Reply:
        headers = {"Link": '</p0>; rel="prev", </p2>; rel="next"'} if request.path == "/p1" else {}
        return Reply(content=pages[request.path], headers=headers)

    with running_api(answer) as api:
        settings = PageSettings(url=f"{api.url}/p1", http=QUICK, mode="LINK_PAGINATION")
        first = _fetch(settings, PageOffset())
        assert [text for _, text in first.records] == ["1", "2"]
        second = _fetch(settings, first.position)
        assert (second.position.offset, second.position.seen) == (f"{api.url}/p2", 1)
        pages["/p2"].append(4)
        assert [text for _, text in _fetch(settings, second.position).records] == ["4"]

        api.answer = lambda request: Reply(content={"items": [request.path], "next": "b c"})
        cursor = PageSettings(
            url=f"{api.url}/?c=${{offset}}",
            http=QUICK,
            mode="CURSOR_PAGINATION",
            records_pointer="/items",
            next_pointer="/next",
        )
        page = _fetch(cursor, PageOffset())
        assert page.position == PageOffset("b c")
        assert _fetch(cursor, page.position).records == [(None, '"/?c=b%20c"')]


def test_trouble_that_passes_is_tried_again_and_the_rest_is_told() -> None:
    replies = [Reply(429, headers={"Retry-After": "0"}), Reply(500), Reply(content=[])]
    with running_api(lambda request: replies.pop(0)) as api:
        assert _fetch(PageSettings(url=api.url, http=QUICK), PageOffset()).records == []
        assert len(api.requests) == 3
        replies.append(Reply(403))
        with pytest.raises(ConnectError, match=r"^http://127.0.0.1:\d+/x answered 403$"):
            _fetch(PageSettings(url=f"{api.url}/x?token=secret", http=QUICK), PageOffset())
        url = api.url
    with pytest.raises(ConnectError, match=r"cannot be reached: Connection refused$"):
        _fetch(PageSettings(url=url, http=QUICK), PageOffset())


def test_half_an_answer_is_no_answer() -> None:
    replies = [Reply(content=[1], headers={"Content-Length": "99", "Connection": "close"}), Reply(content=[1, 2])]
    with running_api(lambda request: replies.pop(0)) as api:
        assert _fetch(PageSettings(url=api.url, http=QUICK), PageOffset()).records == [(None, "1"), (None, "2")]


def test_a_page_read_again_comes_from_its_file(tmp_path: Path) -> None:
    served = [[1, 2], [3], []]
    with running_api(lambda request: Reply(content=served.pop(0))) as api:
        settings = PageSettings(url=api.url, http=QUICK, mode="SIMPLE_INCREMENTING")
        reader = HttpStreamReader(settings, tmp_path / "pages", 3600.0, {})
        start = reader.initialOffset()
        first = reader.latestOffset(start, ReadAllAvailable())
        second = reader.latestOffset(first, ReadAllAvailable())
        assert (first["offset"], second["offset"]) == ("2", "3")
        assert reader.latestOffset(second, ReadAllAvailable()) == second
        assert reader.latestOffset(second, ReadAllAvailable()) == second
        assert len(api.requests) == 3, "with nothing new it waits"
    again = HttpStreamReader(settings, tmp_path / "pages", 1.0, {})
    parts: Any = again.partitions(start, second)
    assert [part.rows for part in parts if isinstance(part, Records)] == [[(None, "1"), (None, "2")], [(None, "3")]]
    again.commit(first)
    with pytest.raises(ConnectError, match="Page 1 was asked for"):
        again.partitions(start, first)


def test_requests_carry_topic_key_and_a_name_of_their_own() -> None:
    records = [Outgoing("s/1", 0, n, f"k {n}", f'{{"n":{n}}}' if n != 1 else None, "t/1") for n in range(3)]
    with running_api(lambda request: Reply(400 if request.method == "DELETE" else 200, "no")) as api:
        settings = RequestSettings(url=f"{api.url}/${{topic}}/${{key}}", http=QUICK, method="PUT", on_null="delete")
        exchange = HttpExchange(QUICK)
        ((refused, text),) = TaskRequests(settings).send(exchange, records)
        exchange.close()
        assert (refused.offset, text) == (1, f'{api.url}/t%2F1/k%201 answered 400: "no"')
        assert [(request.method, request.path) for request in api.requests] == [
            ("PUT", "/t%2F1/k%200"),
            ("DELETE", "/t%2F1/k%201"),
            ("PUT", "/t%2F1/k%202"),
        ]
        assert [request.headers["idempotency-key"] for request in api.requests] == [f"s%2F1-0-{n}" for n in range(3)]
    assert request_id(records) == "s%2F1-0-0-0-2-3"


@pytest.mark.parametrize(
    ("status", "body", "refused"),
    [
        (200, b"", []),
        (200, b'[{"status":200},{"status":409,"message":"twice"}]', [1]),
        (207, b'{"items":[{"status":500},{"status":201}]}', [0]),
        (200, b'[{"status":500}]', []),
        (422, b"x", [0, 1]),
    ],
)
def test_which_records_were_refused(status: int, body: bytes, refused: list[int]) -> None:
    part = [Outgoing("t", 0, n, None, "1", "routed") for n in range(2)]
    assert [each.offset for each, _ in refusals(part, "http://h/x", HttpAnswer(status, {}, body))] == refused


def test_configs_that_make_no_sense() -> None:
    usual = {"url": "http://h/x", "topic.name.pattern": "t"}
    cases = [
        ({"url": "ftp://h"}, "url"),
        ({"http.offset.mode": "CHAINING"}, "http.offset.json.pointer"),
        ({"auth.type": "basic"}, "connection.user"),
        ({"headers": "no colon"}, "headers"),
        ({"http.response.data.json.pointer": "data"}, "http.response.data.json.pointer"),
    ]
    for configs, name in cases:
        answers = HttpSourceConnector.check(usual | configs)
        assert [each.definition.name for each in answers if each.errors] == [name]
    answers = HttpSinkConnector.check({"http.api.url": "http://h", "auth.type": "bearer"})
    assert [each.definition.name for each in answers if each.errors] == ["bearer.token"]

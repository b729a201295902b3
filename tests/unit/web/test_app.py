"""The application: what each failure is answered, and what a call passes on its way to the handler."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import msgspec
import pytest

from riacho.base.log_fields import fields
from riacho.web.answers import json_answer, no_content, raw_json, stream_answer
from riacho.web.app import App
from riacho.web.call import Call
from riacho.web.endpoint import Endpoint
from riacho.web.errors import ApiError
from support.web_service import asgi, asgi_call, exchange, running

VND = "application/vnd.kafka.v2+json"


class Order(msgspec.Struct):
    name: str
    count: int = 1


async def show(call: Call) -> Any:
    return json_answer({"topic": call.segment("topic"), "type": call.answer_type})


async def order(call: Call) -> Any:
    body = await call.read(Order)
    return json_answer({"name": body.name, "count": body.count, "sent": call.request_type}, status=201)


async def refuse(call: Call) -> Any:
    raise ApiError(409, 40901, "It is there already.", headers={"X-Reason": "twice"})


async def fail(call: Call) -> Any:
    raise RuntimeError("secret detail")


async def nothing(call: Call) -> Any:
    return no_content()


async def stream(call: Call) -> Any:
    async def echoed() -> Any:
        async for piece in call.stream():
            yield piece

    return stream_answer(echoed(), is_duplex=True)


async def half(call: Call) -> Any:
    async def broken() -> Any:
        yield b"[1,"
        raise RuntimeError("in the middle")

    return stream_answer(broken())


ENDPOINTS = [
    Endpoint("GET", "/topics/{topic}", show, "A topic.", answer_types=(VND, "application/json")),
    Endpoint("DELETE", "/topics/{topic}", nothing, "Delete it.", answers={204: None}),
    Endpoint("POST", "/orders", order, "An order.", body=Order, request_types=(VND, "application/json")),
    Endpoint("GET", "/refuse", refuse, "Always 409."),
    Endpoint("GET", "/fail", fail, "Always 500."),
    Endpoint("POST", "/stream", stream, "Echo.", is_stream=True),
    Endpoint("POST", "/small", order, "A small order.", body=Order, body_bytes_max=16),
    Endpoint("GET", "/half", half, "Breaks off."),
    Endpoint("GET", "/events", fail, "No JSON.", answer_types=("text/event-stream",)),
]


def make(**options: Any) -> App:
    return App("demo", ENDPOINTS, **{"media_type": VND, "body_bytes_max": 99, **options})


JSON = {"Content-Type": "application/json"}


def test_an_answer_is_in_the_type_that_the_caller_asked_for():
    assert asgi(make(), "GET", "/topics/a%2Fb").json == {"topic": "a/b", "type": VND}
    got = asgi(make(), "GET", "/topics/a", headers={"Accept": "application/json"})
    assert got.headers["content-type"] == "application/json"
    assert got.headers["content-length"] == str(len(got.body))


@pytest.mark.parametrize(
    ("method", "path", "headers", "body", "status", "message"),
    [
        ("GET", "/nowhere", {}, None, 404, "HTTP 404 Not Found"),
        ("POST", "/topics/a", {}, b"{}", 405, "HTTP 405 Method Not Allowed"),
        ("GET", "/topics/a", {"Accept": "text/html"}, None, 406, "HTTP 406 Not Acceptable"),
        ("POST", "/orders", {"Content-Type": "text/plain"}, b"{}", 415, "HTTP 415 Unsupported Media Type"),
        ("POST", "/orders", {}, b"{}", 415, "HTTP 415 Unsupported Media Type"),
        ("POST", "/orders", {**JSON, "Content-Encoding": "gzip"}, b"{}", 415, "HTTP 415 Unsupported Media Type"),
        ("POST", "/orders", JSON, b" " * 100, 413, "The request body is larger than the allowed 99 bytes."),
        (
            "POST",
            "/orders",
            JSON,
            [b" " * 60, b" " * 60],
            413,
            "The request body is larger than the allowed 99 bytes.",
        ),
        ("POST", "/small", JSON, b" " * 17, 413, "The request body is larger than the allowed 16 bytes."),
        ("GET", "/topics/%zz", {}, None, 400, "The path has a percent-encoding that is not UTF-8 text."),
        ("POST", "/orders", JSON, b'{"name":', 400, "The request body is not valid JSON: Input data was truncated"),
        ("POST", "/orders", JSON, b"", 400, "The request body is not valid JSON: Input data was truncated"),
        ("POST", "/orders", JSON, b'{"name":7}', 422, "Expected `str`, got `int` - at `$.name`"),
        ("POST", "/orders", JSON, b"{}", 422, "Object missing required field `name`"),
    ],
)
def test_failures_are_told_in_the_envelope(
    method: str, path: str, headers: dict[str, str], body: Any, status: int, message: str
):
    got = asgi(make(), method, path, headers=headers, body=body)
    assert (got.status, got.json) == (status, {"error_code": status, "message": message})
    assert got.headers["content-type"].endswith("json")


def test_wrong_bytes_in_a_body_are_not_valid_json():
    for body in (b'{"name":"\xff"}', b'{"name":"a"} x', b"[" * 90):
        got = asgi(make(), "POST", "/orders", headers=JSON, body=body)
        assert got.status in (400, 422), body
        assert set(got.json) == {"error_code", "message"}


def test_405_tells_what_is_allowed():
    assert asgi(make(), "PUT", "/topics/a").headers["allow"] == "DELETE,GET,HEAD,OPTIONS"
    assert "allow" not in asgi(make(), "PUT", "/nowhere").headers


def test_options_tells_what_is_allowed():
    got = asgi(make(), "OPTIONS", "/orders")
    assert (got.status, got.headers["allow"], got.body) == (200, "OPTIONS,POST", b"")
    assert asgi(make(), "OPTIONS", "/nowhere").status == 404


def test_head_is_get_without_the_body():
    got, whole = asgi(make(), "HEAD", "/topics/a"), asgi(make(), "GET", "/topics/a")
    assert (got.status, got.headers, got.body) == (200, whole.headers, b"")
    assert asgi(make(), "HEAD", "/nowhere").body == b""
    assert asgi(make(), "HEAD", "/orders").status == 405


def test_types_are_compared_without_their_parameters():
    got = asgi(make(), "POST", "/orders", headers={"Content-Type": f"{VND}; charset=utf-8"}, body=b'{"name":"a"}')
    assert (got.status, got.json["sent"]) == (201, VND)


def test_types_of_the_service_are_taken_everywhere():
    app = make(request_types=("application/octet-stream",))
    assert asgi(app, "POST", "/orders", body=b'{"name":"a"}').json["sent"] == "application/octet-stream"


def test_an_error_of_the_handler_is_told_as_it_is():
    got = asgi(make(), "GET", "/refuse")
    assert (got.status, got.json) == (409, {"error_code": 40901, "message": "It is there already."})
    assert got.headers["x-reason"] == "twice"


def test_an_error_may_tell_more_than_its_code_and_message():
    async def statement(call: Call) -> Any:
        raise ApiError(400, 40001, "No such stream.", fields={"statementText": "DROP STREAM s;", "entities": []})

    endpoints = [Endpoint("GET", "/", statement, "Fails."), Endpoint("GET", "/bug", fail, "A bug.")]
    told = {"error_code": 40001, "message": "No such stream.", "statementText": "DROP STREAM s;", "entities": []}
    assert asgi(App("demo", endpoints), "GET", "/").json == told


def test_a_service_may_have_its_own_form_of_errors():
    def body(error: ApiError) -> dict[str, Any]:
        return {"@type": "generic_error", "error_code": error.error_code, "message": error.message, **error.fields}

    app = App("demo", [Endpoint("GET", "/bug", fail, "A bug.")], error_body=body, internal_error_code=50000)
    assert asgi(app, "GET", "/nowhere").json == {
        "@type": "generic_error",
        "error_code": 404,
        "message": "HTTP 404 Not Found",
    }
    assert asgi(app, "GET", "/bug").json == {
        "@type": "generic_error",
        "error_code": 50000,
        "message": "Internal Server Error",
    }
    with running(app) as server:
        answer = exchange(server.port, b"NONSENSE / HTTP/1.1\r\n\r\n")
        assert answer.endswith(b'{"@type":"generic_error","error_code":400,"message":"The request is not valid HTTP."}')


def test_what_was_not_foreseen_is_logged_and_not_told(caplog: pytest.LogCaptureFixture):
    got = asgi(make(internal_error_code=50001), "GET", "/fail")
    assert (got.status, got.json) == (500, {"error_code": 50001, "message": "Internal Server Error"})
    assert "secret detail" in caplog.text
    # Errors are JSON where the answer would not have been.
    assert asgi(make(), "GET", "/events").headers["content-type"] == VND


def test_an_answer_that_breaks_off_is_logged_and_left_incomplete(caplog: pytest.LogCaptureFixture):
    got = asgi(make(), "GET", "/half")
    assert (got.status, got.body) == (200, b"[1,")
    assert "answer broke off" in caplog.text


def test_a_caller_that_goes_away_is_no_error(caplog: pytest.LogCaptureFixture):
    app = make()
    assert asgi(app, "POST", "/orders", headers=JSON, body=[b'{"na'], ends=False).status == 0
    assert caplog.text == ""
    assert 'endpoint="/orders",status="499"} 1' in app.metrics.render()


def test_streams_have_no_limit_of_size():
    pieces = [b"x" * 60, b"y" * 60]
    got = asgi(make(), "POST", "/stream", headers=JSON, body=pieces)
    assert got.body == b"".join(pieces)
    assert got.headers == {"content-type": "application/json"}


@pytest.mark.parametrize("is_duplex", [False, True])
def test_a_stream_ends_when_its_caller_goes_away(is_duplex: bool):
    ended = []

    async def endless(call: Call) -> Any:
        async def pieces() -> Any:
            try:
                yield b"first"
                await (call.body() if is_duplex else asyncio.Event().wait())
            finally:
                ended.append(True)

        return stream_answer(pieces(), is_duplex=is_duplex)

    app = App("demo", [Endpoint("POST", "/", endless, "Endless.", is_stream=True)])
    got = asgi(app, "POST", "/", headers=JSON, body=[b"a"], ends=False)
    assert (got.body, ended) == (b"first", [True])
    assert 'status="499"} 1' in app.metrics.render()


def test_the_head_of_a_stream_is_not_made():
    async def pieces(call: Call) -> Any:
        async def endless() -> Any:
            raise AssertionError("nobody wants it")
            yield b""

        return stream_answer(endless())

    assert asgi(App("demo", [Endpoint("GET", "/", pieces, "Endless.")]), "HEAD", "/").status == 200


def test_a_body_that_does_not_come_in_time_is_given_up():
    async def never(call: Call) -> Any:
        call._receive = asyncio.Event().wait  # type: ignore[assignment]
        return await order(call)

    app = App("demo", [Endpoint("POST", "/", never, "Waits.", body=Order)], body_timeout_s=0.01)
    got = asgi(app, "POST", "/", headers=JSON, body=b"{}")
    assert (got.status, got.headers["connection"]) == (408, "close")
    assert got.json == {"error_code": 408, "message": "The request body did not arrive in time."}


def test_too_many_calls_at_once_are_refused_but_for_health_checks():
    async def scenario() -> None:
        going_on, release = asyncio.Event(), asyncio.Event()

        async def wait(call: Call) -> Any:
            going_on.set()
            await release.wait()
            return json_answer({})

        app = App("demo", [Endpoint("GET", "/wait", wait, "Waits.")], concurrent_requests_max=1)
        first = asyncio.ensure_future(asgi_call(app, "GET", "/wait"))
        await going_on.wait()
        second = await asgi_call(app, "GET", "/wait")
        assert (second.status, second.json["error_code"], second.headers["retry-after"]) == (503, 503, "1")
        assert (await asgi_call(app, "GET", "/health")).status == 200
        assert "riacho_http_requests_refused_total" in app.metrics.render()
        release.set()
        assert (await first).status == 200
        assert (await asgi_call(app, "GET", "/wait")).status == 200

    asyncio.run(scenario())


def test_who_follows_takes_no_room_from_other_calls():
    async def scenario() -> None:
        release, ended = asyncio.Event(), list[str]()

        async def follow(call: Call) -> Any:
            call.at_end(lambda: ended.append("end"))
            await release.wait()
            return json_answer({})

        async def answer(call: Call) -> Any:
            return json_answer({})

        endpoints = [
            Endpoint("GET", "/follow", follow, "Waits.", is_followed=True),
            Endpoint("GET", "/list", answer, "Answers."),
        ]
        app = App("demo", endpoints, concurrent_requests_max=1)
        followers = [asyncio.ensure_future(asgi_call(app, "GET", "/follow")) for _ in range(5)]
        await asyncio.sleep(0)
        assert (await asgi_call(app, "GET", "/list")).status == 200
        release.set()
        assert [each.status for each in await asyncio.gather(*followers)] == [200] * 5
        assert ended == ["end"] * 5
        assert (app.metrics.in_flight, app._followers) == (0, 0)

    asyncio.run(scenario())


def test_paths_are_rewritten_before_they_are_routed():
    got = asgi(make(rewrite=lambda path: path.replace("/contexts/c", "")), "GET", "/contexts/c/topics/%2F")
    assert got.json["topic"] == "/"


def test_health_tells_why_the_service_cannot_work():
    assert asgi(make(), "GET", "/health").json == {"status": "UP"}
    got = asgi(make(health=lambda: "No leader."), "GET", "/health")
    assert (got.status, got.json) == (503, {"status": "DOWN", "trouble": "No leader."})


def test_a_service_keeps_its_own_endpoint_where_we_would_have_one():
    async def own(call: Call) -> Any:
        return raw_json(b"[]")

    assert asgi(App("demo", [Endpoint("GET", "/health", own, "Own.")]), "GET", "/health").body == b"[]"


def test_calls_are_logged_one_by_one_only_when_asked_for(caplog: pytest.LogCaptureFixture):
    asgi(make(), "GET", "/topics/a")
    assert caplog.text == ""
    with caplog.at_level(logging.DEBUG, "riacho.access"):
        asgi(make(), "GET", "/topics/a")
    assert "127.0.0.1 - GET /topics/a status=200" in caplog.text
    assert fields(caplog.messages[-1]) | {"elapsed_us": "0"} == {
        "status": "200",
        "elapsed_us": "0",
        "agent": "-",
        "referrer": "-",
    }


def test_a_logged_call_tells_its_user_agent_and_its_referrer(caplog: pytest.LogCaptureFixture):
    headers = {"user-agent": 'curl/8 "x"\x1b[31m', "referer": "https://ann:secret@pages.example/a?token=secret#b"}
    with caplog.at_level(logging.DEBUG, "riacho.access"):
        asgi(make(), "GET", "/topics/a", headers=headers)
    (line,) = caplog.messages
    assert line.isprintable()
    assert fields(line)["agent"] == 'curl/8 "x"\x1b[31m'
    assert fields(line)["referrer"] == "https://pages.example/a"
    assert "secret" not in line


def test_other_servers_start_and_stop_the_service_by_the_lifespan_protocol():
    told: list[Any] = []

    async def started(addresses: Any) -> None:
        told.append(tuple(addresses))

    async def stopped() -> None:
        told.append("stopped")

    async def receive() -> Any:
        return {}

    async def send(message: Any) -> None:
        told.append(message["type"])

    asyncio.run(make(on_start=started, on_stop=stopped)({"type": "lifespan"}, receive, send))
    assert told == [(), "lifespan.startup.complete", "stopped", "lifespan.shutdown.complete"]

"""What the URLs in answers begin with."""

from __future__ import annotations

import pytest

from riacho.rest_proxy.config import ProxyConfig
from riacho.rest_proxy.links import Links, base_url, crn, path
from riacho.web.call import Call


def _call(scheme: str = "http", **headers: str) -> Call:
    raw = [(name.replace("_", "-").encode(), value.encode("latin-1")) for name, value in headers.items()]
    scope = {
        "type": "http",
        "method": "GET",
        "scheme": scheme,
        "path": "/x",
        "query_string": b"",
        "headers": raw,
        "server": ("10.0.0.1", 8082),
    }

    async def nothing(*_: object) -> None:
        return None

    return Call(scope, nothing, nothing)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("headers", "url"),
    [
        ({"host": "localhost:8082"}, "http://localhost:8082"),
        ({"host": "[::1]:8082"}, "http://[::1]:8082"),
        ({}, "http://10.0.0.1:8082"),
        ({"host": "a b"}, "http://10.0.0.1:8082"),
        ({"host": "x", "x_forwarded_host": "lb"}, "http://lb"),
        ({"host": "x", "x_forwarded_host": "lb", "x_forwarded_proto": "https"}, "https://lb"),
        ({"host": "x", "x_forwarded_host": "lb", "x_forwarded_port": "8443"}, "http://lb:8443"),
        ({"host": "x", "x_forwarded_host": "lb:1", "x_forwarded_port": "8443"}, "http://lb:1"),
        (
            {"host": "x", "x_forwarded_host": "lb", "x_forwarded_proto": "https", "x_forwarded_port": "443"},
            "https://lb",
        ),
        ({"host": "x", "x_forwarded_host": "first, second"}, "http://first"),
        ({"host": "x", "x_forwarded_prefix": "/kafka/rest/"}, "http://x/kafka/rest"),
        ({"host": "x", "x_forwarded_prefix": "/../<"}, "http://x"),
        ({"host": "x", "x_forwarded_proto": "javascript"}, "http://x"),
        ({"host": "x", "forwarded": "host=lb;proto=https", "x_forwarded_host": "other"}, "https://lb"),
        ({"host": "x", "forwarded": 'For="[::1]";Host="lb:9"'}, "http://lb:9"),
        ({"host": "x", "forwarded": ";;=;"}, "http://x"),
    ],
)
def test_the_clients_address(headers: dict[str, str], url: str) -> None:
    assert base_url(_call(**headers), ProxyConfig()) == url


def test_settings_go_before_headers() -> None:
    call = _call(host="x", x_forwarded_host="lb", x_forwarded_prefix="/p")
    assert base_url(call, ProxyConfig(host_name="rest-proxy", port=8082)) == "http://rest-proxy:8082/p"
    advertised = ProxyConfig(advertised_listeners=("https://a:443/", "http://b:80"), host_name="rest-proxy")
    assert base_url(call, advertised) == "http://b:80/p"
    assert base_url(_call("https", host="x"), advertised) == "https://a:443"
    assert base_url(call, ProxyConfig(advertised_listeners=("https://a:443",))) == "https://a:443/p"


def test_segments_are_encoded() -> None:
    assert path("consumers", "a/b", "ü", "%41?#") == "/consumers/a%2Fb/%C3%BC/%2541%3F%23"
    assert Links(_call(host="h"), ProxyConfig()).url("clusters", "c", "topics", "t:1") == (
        "http://h/v3/clusters/c/topics/t:1"
    )


def test_resource_names() -> None:
    assert crn("kafka", "c", "topic", "t", "partition", 0) == "crn:///kafka=c/topic=t/partition=0"
    assert (
        crn("kafka", "c", "consumer-group", "g/1", "lag-summary") == "crn:///kafka=c/consumer-group=g%2F1/lag-summary"
    )

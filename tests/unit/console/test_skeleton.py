"""What is there before any noun: clusters, who calls, pages, and what is refused at the door."""

from __future__ import annotations

import pytest

from riacho.base.config import ConfigError
from riacho.console.api.clusters import cluster_row
from riacho.console.clusters.cluster import ConsoleCluster
from riacho.console.config import console_config, load_console_settings
from riacho.console.service import ControlCenter
from support.control_center import ControlCenterService


def test_the_clusters_and_how_they_fare(console: ControlCenterService) -> None:
    console.look()
    [row] = console.get("/api/v1/clusters").json()
    assert (row["id"], row["name"], row["state"], row["reason"]) == ("default", "default", "up", None)
    assert row["as_of_ms"] > 0
    assert row["has"] == {"schema_registry": False, "connect": False, "ksql": False, "metrics": False}
    assert (row["registry_url"], row["connect_url"], row["ksql_url"]) == (None, None, None)


def test_clusters_tell_the_addresses_of_their_services_and_no_login() -> None:
    config = console_config(
        load_console_settings(
            {
                "schema.registry.url": "http://user:password@registry:8081",
                "connect.url": "https://user:password@connect:8083/,https://user:password@other:8083",
                "ksql.url": "http://ksql:8088",
            }
        )
    )
    row = cluster_row(ConsoleCluster(config.clusters[0], config))
    assert row.registry_url == "http://registry:8081"
    assert row.connect_url == "https://connect:8083"
    assert row.ksql_url == "http://ksql:8088"
    assert "user" not in repr(row)
    assert "password" not in repr(row)


def test_who_calls_where_nobody_is_asked(console: ControlCenterService) -> None:
    me = console.get("/api/v1/me")
    assert me.headers["cache-control"] == "no-store"
    assert me.json() | {"csrf": "", "version": ""} == {
        "name": "anonymous",
        "role": "admin",
        "login": "none",
        "csrf": "",
        "read_only": False,
        "version": "",
        "language": None,
        "has_passwords": False,
        "has_parquet": True,
    }


def test_numbers_that_are_offsets_say_so(console: ControlCenterService) -> None:
    described = console.get("/openapi.json").json()
    assert "they are offsets, markers included" in described["info"]["description"]
    rows = described["components"]["schemas"]
    for name, field in (("TopicRow", "messages"), ("TopicRow", "lag"), ("ConsumerRow", "lag"), ("GroupRow", "lag")):
        assert "markers of transactions included" in rows[name]["properties"][field]["description"], (name, field)
    assert "markers of transactions included" in rows["Overview"]["properties"]["messages_in_per_s"]["description"]


def test_pages_have_a_policy_and_an_etag(console: ControlCenterService) -> None:
    for path in ("/", "/clusters/default/topics/a%2Fb", "/../../etc/passwd", "/%2e%2e/x"):
        page = console.get(path, accept="text/html,*/*;q=0.8")
        assert page.status_code == 200
        assert page.headers["content-type"] == "text/html; charset=utf-8"
        assert "default-src 'self'" in page.headers["content-security-policy"]
        assert "unsafe" not in page.headers["content-security-policy"]
        assert "frame-ancestors 'none'" in page.headers["content-security-policy"]
        assert page.headers["x-content-type-options"] == "nosniff"
    again = console.get("/", if_none_match=page.headers["etag"])
    assert (again.status_code, again.content) == (304, b"")


def test_what_is_not_there_below_the_api_is_no_page(console: ControlCenterService) -> None:
    answer = console.get("/api/v1/none")
    assert (answer.status_code, answer.headers["content-type"]) == (404, "application/json")
    assert console.get("/api/v1/clusters/other/topics").json()["error_code"] in (404, 40401)
    assert console.post("/anything").status_code in (403, 405)


def test_foreign_pages_and_names_are_refused(console: ControlCenterService) -> None:
    assert console.get("/api/v1/clusters", origin="http://evil.example").status_code == 403
    assert console.get("/api/v1/clusters", host="evil.example").status_code == 403
    assert console.get("/api/v1/clusters", origin="http://127.0.0.1:9021").status_code == 200


def test_without_users_only_this_machine_is_listened_to() -> None:
    with pytest.raises(ConfigError, match="open to other machines"):
        ControlCenter(load_console_settings({"listeners": "http://0.0.0.0:9021"}))


def test_several_clusters() -> None:
    properties = {
        "clusters": "prod,test",
        "cluster.prod.bootstrap.servers": "a:1,b:2",
        "cluster.prod.name": "Production",
        "cluster.prod.color": "#cc0000",
        "cluster.prod.client.security.protocol": "SASL_PLAINTEXT",
        "cluster.prod.client.sasl.mechanism": "PLAIN",
        "cluster.prod.client.sasl.jaas.config": (
            'org.apache.kafka.common.security.plain.PlainLoginModule required username="u" password="secret";'
        ),
        "cluster.prod.schema.registry.url": "http://r:8081/",
        "cluster.test.bootstrap.servers": "c:3",
    }
    prod, test = console_config(load_console_settings(properties)).clusters
    assert (prod.id, prod.name, prod.color) == ("prod", "Production", "#cc0000")
    assert prod.client["bootstrap.servers"] == "a:1,b:2"
    assert prod.schema_registry_urls == ("http://r:8081",)
    assert (test.id, test.name, dict(test.client)) == ("test", "test", {"bootstrap.servers": "c:3"})
    assert "secret" not in repr(prod)


@pytest.mark.parametrize(
    ("properties", "problem"),
    [
        ({"clusters": "a"}, r"cluster\.a\.bootstrap\.servers is not set"),
        ({"clusters": "a,a", "cluster.a.bootstrap.servers": "x:1"}, "twice"),
        ({"clusters": "a/b", "cluster.a/b.bootstrap.servers": "x:1"}, "not an id"),
        ({"client.plugin.library.paths": "/tmp/x.so"}, "not among the client settings"),
        ({"cluster.color": "url(x)"}, "not a color"),
        ({"schema.registry.url": "ftp://x"}, "not an address"),
        ({"bootstrap.servers": "host:port"}, "not an address"),
    ],
)
def test_settings_that_cannot_be_used(properties: dict[str, str], problem: str) -> None:
    with pytest.raises(ConfigError, match=problem):
        console_config(load_console_settings(properties))

"""Several clusters in one console: each by its own login, and one that is away does not hold the others up."""

from __future__ import annotations

from riacho.testing import KafkaCluster
from support.control_center import ControlCenterService


def test_each_by_its_own_login() -> None:
    with KafkaCluster(users={"console": "secret"}, tls=True) as secured, KafkaCluster() as plain:
        login = {f"cluster.secured.client.{key}": str(value) for key, value in secured.client_settings().items()}
        properties = {
            "clusters": "secured,plain,wrong,away",
            **login,
            "cluster.secured.bootstrap.servers": secured.bootstrap_servers,
            "cluster.plain.bootstrap.servers": plain.bootstrap_servers,
            # In the clear, to a listener that speaks TLS.
            "cluster.wrong.bootstrap.servers": secured.bootstrap_servers,
            "cluster.away.bootstrap.servers": "127.0.0.1:1",
            "riacho.console.timeout.ms": "2000",
        }
        properties.pop("cluster.secured.client.bootstrap.servers", None)
        console = ControlCenterService("unused:1", properties)
        try:
            console.look()
            rows = {row["id"]: row for row in console.get("/api/v1/clusters").json()}
            states = {name: row["state"] for name, row in rows.items()}
            assert states == {"secured": "up", "plain": "up", "wrong": "down", "away": "down"}
            assert "TLS" in rows["wrong"]["reason"]
            assert "secret" not in str(rows)
            made = console.post("/api/v1/clusters/secured/topics", {"name": "here", "partitions": 1})
            assert made.status_code == 201, made.text
            assert console.get("/api/v1/clusters/secured/topics/here").status_code == 200
            assert console.get("/api/v1/clusters/plain/topics/here").status_code == 404
            assert console.get("/api/v1/clusters/away/topics/here").status_code == 503
        finally:
            console.stop()

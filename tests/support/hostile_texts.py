"""A platform in which every text that others may choose means harm to the pages that show it.

Brokers, a schema registry and a control center, with a Connect and a KSQL of which nothing but answers is there. Were
one of the texts taken for markup, it would set `window.harmed`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
from confluent_kafka import Consumer, Producer, TopicPartition

from riacho.testing import KafkaCluster
from riacho.testing.registry_thread import RegistryThread
from support.http_api import Reply, Request, running_api
from support.schema_registry_process import until
from support.service_process import ServiceProcess, running_service

IMAGE = '<img src=x onerror="window.harmed=1">'
SCRIPT = '"><script>window.harmed=2</script>'
LINK = "javascript:window.harmed=3"
# Turns what follows around, ends a terminal's line, and clears it.
TURNED = "\u202egnp.exe\u2066 \x07\x1b[2J"
ALL = f"{IMAGE}{SCRIPT}'-window.harmed=4-'{{{{harmed}}}}{TURNED}"
TEXTS = (IMAGE, SCRIPT, LINK, TURNED, ALL)
# Names that JavaScript gives a meaning to; topics can be called so.
TOPICS = ("__proto__", "constructor", "toString", "hasOwnProperty", "hostile")
WAIT_S = 60.0
_JSON = {"Content-Type": "application/json"}


class HostilePlatform:
    def __init__(self, brokers: KafkaCluster, registry: RegistryThread, console: ServiceProcess) -> None:
        self.url = console.url
        self._brokers = brokers
        self._registry = registry
        self._consumers: list[Consumer] = []

    def fill(self) -> None:
        for topic in TOPICS:
            self._brokers.create_topic(topic, partitions=1)
        self._produce()
        self._consume()
        self._register()
        self._change()
        self._wait_for("groups", json.dumps(ALL)[1:40])
        self._wait_for("topics", "hasOwnProperty")

    def close(self) -> None:
        for each in self._consumers:
            each.close()

    def _produce(self) -> None:
        producer = Producer({**self._brokers.client_settings(), "client.id": ALL})
        for topic in TOPICS:
            for text in TEXTS:
                document = {text: [text, {"__proto__": text, "constructor": text}], "href": LINK, "src": "x"}
                for value in (text, json.dumps(document), json.dumps(document, ensure_ascii=False)):
                    headers: list[tuple[str, str | bytes | None]] = [(text, text), ("__proto__", text)]
                    producer.produce(topic, value.encode(), text.encode(), headers=headers)
        assert producer.flush(WAIT_S) == 0

    def _consume(self) -> None:
        """Groups with and without members, of hostile names."""
        for text in (*TEXTS, *TOPICS):
            settings = {**self._brokers.client_settings(), "group.id": text, "client.id": text}
            consumer = Consumer({**settings, "enable.auto.commit": False})
            consumer.commit(offsets=[TopicPartition("hostile", 0, 1)], asynchronous=False)
            consumer.close()
        settings = {**self._brokers.client_settings(), "group.id": "members", "client.id": ALL}
        member = Consumer({**settings, "auto.offset.reset": "earliest"})
        member.subscribe(["hostile"])
        until(lambda: member.poll(0.2) is not None)
        self._consumers.append(member)

    def _register(self) -> None:
        for number, text in enumerate((IMAGE, SCRIPT, LINK, ALL)):
            avro = {"type": "record", "name": "R", "doc": text, "fields": [
                {"name": f"a{number}", "type": "string", "doc": text, "default": text}]}  # fmt: skip
            schema = {"title": text, "description": text, "properties": {text: {"description": text}}}
            for kind, content in (("AVRO", avro), ("JSON", schema)):
                # A registry takes no control characters.
                subject = quote(f"{text.partition(TURNED)[0]}-{kind}", safe="")
                body = {"schema": json.dumps(content), "schemaType": kind}
                url = f"{self._registry.url}/subjects/{subject}/versions"
                httpx.post(url, json=body, timeout=WAIT_S).raise_for_status()

    def _change(self) -> None:
        """By the console itself: rules, quotas, users; and changes that fail, which the audit log tells of."""
        token = httpx.get(f"{self.url}/api/v1/me", timeout=WAIT_S).json()["csrf"]
        headers = {"X-Riacho-Csrf": token, **_JSON}

        def call(method: str, path: str, body: Any = None) -> int:
            url = f"{self.url}/api/v1/clusters/default/{path}"
            return httpx.request(method, url, json=body, headers=headers, timeout=WAIT_S).status_code

        rules = [{"name": text, "kind": "lag", "above": 0, "for_s": 0, "target": ""} for text in TEXTS]
        assert call("PUT", "alerts", {"rules": rules}) == 200
        for text in TEXTS:
            assert call("DELETE", f"topics/{quote(text, safe='')}") >= 400
            assert call("POST", "quotas", {"client_id": text, "set": {"producer_byte_rate": 1e9}}) < 500
            assert call("POST", "users", {"name": text, "password": "p", "mechanisms": ["SCRAM-SHA-256"]}) < 500

    def _wait_for(self, path: str, text: str) -> None:
        until(lambda: text in httpx.get(f"{self.url}/api/v1/clusters/default/{path}", timeout=WAIT_S).text)


def _connect(request: Request) -> Reply:
    """Connectors, plugins and pipelines; all that can be text is hostile."""
    status = {
        "name": ALL,
        "connector": {"state": "FAILED", "worker_id": ALL, "trace": ALL},
        "tasks": [{"id": 0, "state": "FAILED", "worker_id": IMAGE, "trace": f"{ALL}\n\tat {SCRIPT}"}],
        "type": "source",
    }
    info = {"name": ALL, "config": {"connector.class": IMAGE, ALL: ALL, "topics": ALL, "url": LINK}, "type": "source"}
    path = request.path.partition("?")[0].strip("/").split("/")
    if path == ["connectors"]:
        return Reply(content={ALL: {"info": info, "status": status}, "__proto__": {"info": info, "status": status}})
    if path[0] == "connectors" and len(path) > 2:
        return Reply(
            content={"status": status, "topics": {ALL: {"topics": [ALL]}}, "offsets": {"offsets": []}}[path[2]]
        )
    if path[0] == "connectors":
        return Reply(content=info)
    if path == ["connector-plugins"]:
        return Reply(content=[{"class": IMAGE, "type": "source", "version": SCRIPT}])
    return Reply(500, content={"error_code": 500, "message": ALL})


def _ksql(request: Request) -> Reply:
    return Reply(400, content={"@type": "statement_error", "error_code": 40001, "message": ALL, "statementText": ALL})


@contextmanager
def hostile_platform(home: Path) -> Iterator[HostilePlatform]:
    with KafkaCluster() as brokers, running_api(_connect) as connect, running_api(_ksql) as ksql:
        registry = RegistryThread({"bootstrap.servers": brokers.bootstrap_servers})
        settings = {
            "cluster.name": f"{IMAGE}{SCRIPT}",
            "schema.registry.url": registry.url,
            "connect.url": connect.url,
            "ksql.url": ksql.url,
            "riacho.console.refresh.ms": "500",
            "riacho.console.dir": str(home / "kept"),
        }
        try:
            with running_service("control-center", brokers.bootstrap_servers, home, settings) as console:
                platform = HostilePlatform(brokers, registry, console)
                platform.fill()
                yield platform
                platform.close()
        finally:
            registry.stop()

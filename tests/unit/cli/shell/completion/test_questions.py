"""What the services beside the brokers are asked for, and whatever they may answer."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from riacho.cli.shell.cluster_addresses import ClusterAddresses
from riacho.cli.shell.completion.offers import NameKind, Offer
from riacho.cli.shell.completion.questions import questions_of

ANSWERS: dict[str, object] = {
    "/subjects": ["orders-value", "orders-key", 7],
    "/connectors?expand=status": {
        "archive": {"status": {"type": "sink", "connector": {"state": "RUNNING"}}},
        "odd": {"status": "?"},
    },
    "SHOW STREAMS;": [{"streams": [{"type": "STREAM", "name": "ORDERS", "topic": "orders"}]}],
    "SHOW TABLES;": [{"tables": [{"type": "TABLE", "name": "select", "topic": "t"}]}],
    "SHOW QUERIES;": [{"queries": [{"id": "CTAS_1", "state": "RUNNING"}]}],
    "DESCRIBE `or``ders`;": [{"sourceDescription": {"fields": [{"name": "ID", "schema": {"type": "BIGINT"}}]}}],
}


class _Service(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.server.seen.append(self.headers.get("Authorization"))  # type: ignore[attr-defined]
        self._answer(self.path)

    def do_POST(self) -> None:
        self._answer(json.loads(self.rfile.read(int(self.headers["Content-Length"])))["ksql"])

    def _answer(self, key: str) -> None:
        body = json.dumps(ANSWERS.get(key)).encode()
        self.send_response(200 if key in ANSWERS else 404)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *words: object) -> None:
        pass


@pytest.fixture
def service() -> Iterator[HTTPServer]:
    server = HTTPServer(("127.0.0.1", 0), _Service)
    server.seen = []  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def test_services_are_asked(service: HTTPServer) -> None:
    url = f"http://127.0.0.1:{service.server_port}"
    addresses = ClusterAddresses(
        name="here",
        bootstrap="127.0.0.1:1",
        properties={"basic.auth.user.info": "ana:secret"},
        schema_registry_url=f"{url}/",
        connect_url=url,
        ksql_url=url,
    )
    asked = {kind: each for each in questions_of(addresses) for kind in each.kinds}

    def answer(kind: NameKind, of: str = "") -> list[Offer]:
        return list(asked[kind].ask(kind, of))

    assert answer(NameKind.SUBJECT) == [Offer("orders-value"), Offer("orders-key")]
    assert answer(NameKind.CONNECTOR) == [Offer("archive", "sink, RUNNING"), Offer("odd", "")]
    # The registry's login is for the registry alone.
    assert service.seen == ["Basic YW5hOnNlY3JldA==", None]  # type: ignore[attr-defined]
    assert answer(NameKind.STREAM) == [Offer("ORDERS", "stream on orders")]
    # As a statement has to name it.
    assert answer(NameKind.TABLE) == [Offer("`select`", "table on t")]
    assert answer(NameKind.QUERY) == [Offer("CTAS_1", "RUNNING")]
    assert answer(NameKind.COLUMN, "or`ders") == [Offer("ID", "BIGINT of or`ders")]
    for each in asked.values():
        each.end()


def test_services_that_have_no_address_are_not_asked() -> None:
    kinds = {kind for each in questions_of(ClusterAddresses(name="x", bootstrap="a:1")) for kind in each.kinds}
    assert not kinds & {NameKind.SUBJECT, NameKind.CONNECTOR, NameKind.STREAM}

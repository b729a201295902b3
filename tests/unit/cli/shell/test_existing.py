"""Whether what a line would make is there already: who is asked, and what is said where nobody answers."""

from __future__ import annotations

import json
import shlex
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from riacho.cli.shell.cluster_addresses import ClusterAddresses
from riacho.cli.shell.clusters import ShellCluster
from riacho.cli.shell.danger.replaced import Made
from riacho.cli.shell.existing import what_is_there
from riacho.cli.shell.given_cluster import with_cluster
from riacho.cli.shell.programs import find_program
from riacho.testing import KafkaCluster

ANSWERS: dict[str, object] = {
    "/connectors?expand=status": {"lines": {}},
    "/api/v1/clusters/default/alerts": {"rules": [{"name": "Disk"}]},
    "/api/v1/clusters/other/alerts": {"rules": []},
}
NOWHERE = "127.0.0.1:1"


class _Services(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        body = json.dumps(ANSWERS.get(self.path)).encode()
        self.send_response(200 if self.path in ANSWERS else 404)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *words: object) -> None:
        pass


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    server = HTTPServer(("127.0.0.1", 0), _Services)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture(scope="module")
def brokers() -> Iterator[str]:
    with KafkaCluster() as cluster:
        yield cluster.bootstrap_servers


Asked = Callable[..., bool | None]


@pytest.fixture
def is_there(url: str) -> Asked:
    def ask(line: str, kind: Made, name: str, bootstrap: str = NOWHERE, **environment: str) -> bool | None:
        addresses = ClusterAddresses(name="a", bootstrap=bootstrap, connect_url=url)
        program = find_program(shlex.split(line))
        assert program is not None
        return what_is_there(*with_cluster(program, ShellCluster(addresses=addresses), environment))(kind, name)

    return ask


def test_a_pipeline_of_the_clusters_connect_or_of_the_one_that_is_named(is_there: Asked, url: str) -> None:
    assert is_there("pipeline create lines -c file=a", Made.PIPELINE, "lines") is True
    assert is_there("pipeline create others", Made.PIPELINE, "others") is False
    assert is_there(f"pipeline create lines --connect http://{NOWHERE}", Made.PIPELINE, "lines") is None
    assert is_there(f"pipeline create lines --connect {url}/elsewhere", Made.PIPELINE, "lines") is not True


def test_a_rule_of_the_control_center(is_there: Asked, url: str) -> None:
    line = f"alert set Disk --above 80 --console {url}"
    assert is_there(line, Made.RULE, "Disk") is True
    assert is_there(line, Made.RULE, "Billing") is False
    assert is_there(f"{line} --cluster other", Made.RULE, "Disk") is False
    assert is_there(f"{line} --cluster nowhere", Made.RULE, "Disk") is None
    assert is_there(f"{line} --user ana", Made.RULE, "Disk", RIACHO_PASSWORD="hers") is True


def test_a_password_is_not_asked_for_twice(is_there: Asked, url: str) -> None:
    assert is_there(f"alert set Disk --console {url} --user ana", Made.RULE, "Disk") is None


def test_a_user_of_the_cluster_that_the_line_means(is_there: Asked, brokers: str) -> None:
    from click.testing import CliRunner

    from riacho.cli.main import cli

    made = CliRunner().invoke(cli, ["user", "create", "ana", "--password", "hers", "-b", brokers])
    assert made.exit_code == 0, made.stderr
    changed = "kafka-configs --alter --user ana --add-config SCRAM-SHA-256=[password=new]"
    for line in ("user create ana", changed):
        assert is_there(line, Made.USER, "ana", brokers) is True
        assert is_there(line, Made.USER, "bruno", brokers) is False
        assert is_there(f"{line} --bootstrap-server {brokers}", Made.USER, "ana") is True
        assert is_there(line, Made.USER, "ana") is None
        assert is_there(f"{line} --bootstrap-server {NOWHERE}", Made.USER, "ana", brokers) is None

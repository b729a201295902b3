"""Services of `riacho up`: their ports, their settings, their life under supervision."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from riacho.cli.commands import up
from riacho.cli.data_dir import DataDir
from riacho.cli.main import cli
from riacho.cli.service_command import merged
from riacho.cli.supervisor import services, supervised_service
from riacho.cli.supervisor.port_choice import choose_service_ports
from riacho.cli.supervisor.process_mark import ProcessMark
from riacho.cli.supervisor.run_state import Phase, RunState, ServiceState
from riacho.cli.supervisor.service_process import ServiceProcess
from riacho.cli.supervisor.services import (
    CONNECT,
    CONTROL_CENTER,
    KSQL,
    REST_PROXY,
    SCHEMA_REGISTRY,
    Service,
    service_properties,
)
from riacho.cli.supervisor.supervised_service import SupervisedService
from riacho.client.loopback import free_port, is_free


@pytest.fixture
def taken() -> Iterator[int]:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        yield other.getsockname()[1]


def test_a_usual_port_that_is_taken_gives_way_with_a_word(
    taken: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    stranger = Service("x", "about", taken, "bootstrap.servers", "X_", "x")
    monkeypatch.setitem(services.SERVICES, "x", stranger)
    chosen = choose_service_ports({"x": None}, is_free_choice=False)
    assert chosen["x"] != taken
    assert is_free(chosen["x"])
    assert f"Port {taken} on 127.0.0.1 is taken: x gets {chosen['x']}." in capsys.readouterr().err


def test_a_port_that_was_asked_for_and_is_taken_is_an_error(taken: int) -> None:
    with pytest.raises(click.ClickException, match=f"Port {taken} on .* is taken .* --rest-proxy-port"):
        choose_service_ports({"rest-proxy": taken}, is_free_choice=False)


def test_free_ports_where_they_are_wanted() -> None:
    chosen = choose_service_ports({"rest-proxy": None, "schema-registry": 0}, is_free_choice=True)
    assert chosen.keys() == {"rest-proxy", "schema-registry"}
    assert not {8081, 8082} & set(chosen.values())


def test_the_rest_proxy_is_told_of_the_registry_beside_it() -> None:
    ports = {SCHEMA_REGISTRY.name: 1, REST_PROXY.name: 2}
    assert service_properties(REST_PROXY, "h:9", ports) == {
        "bootstrap.servers": "h:9",
        "listeners": "http://127.0.0.1:2",
        "schema.registry.url": "http://127.0.0.1:1",
    }
    assert "schema.registry.url" not in service_properties(REST_PROXY, "h:9", {REST_PROXY.name: 2})
    assert service_properties(SCHEMA_REGISTRY, "h:9", ports)["kafkastore.bootstrap.servers"] == "h:9"


def test_the_console_is_told_of_all_beside_it(tmp_path: Path) -> None:
    ports = {SCHEMA_REGISTRY.name: 1, CONNECT.name: 3, KSQL.name: 4, CONTROL_CENTER.name: 5}
    directory = DataDir(tmp_path)
    assert service_properties(CONTROL_CENTER, "h:9", ports, directory, metrics_ports=[7, -1, 8]) == {
        "bootstrap.servers": "h:9",
        "listeners": "http://127.0.0.1:5",
        "schema.registry.url": "http://127.0.0.1:1",
        "connect.url": "http://127.0.0.1:3",
        "ksql.url": "http://127.0.0.1:4",
        "metrics.url": "http://127.0.0.1:7,http://127.0.0.1:8",
        "riacho.console.dir": str(tmp_path / "console"),
        "cluster.name": "Local",
    }
    # What its own file says holds, but for brokers and listeners.
    given = {"connect.url": "http://elsewhere:8083", "listeners": "http://0.0.0.0:1"}
    chosen = service_properties(CONTROL_CENTER, "h:9", ports, directory, given)
    assert (chosen["connect.url"], chosen["listeners"]) == ("http://elsewhere:8083", "http://127.0.0.1:5")


def test_settings_from_file_environment_and_override(tmp_path: Path) -> None:
    file = tmp_path / "sr.properties"
    file.write_text("kafkastore.topic=file\nhost.name=file\nmode.mutability=false\n")
    environment = {"SCHEMA_REGISTRY_HOST_NAME": "environment", "SCHEMA_REGISTRY_KAFKASTORE_TOPIC": "environment"}
    environment |= {"SCHEMA_REGISTRY_HEAP_OPTS": "-Xmx1g", "KAFKA_REST_HOST_NAME": "not mine"}
    assert merged(SCHEMA_REGISTRY, file, ("host.name=override",), environment) == {
        "kafkastore.topic": "environment",
        "host.name": "override",
        "mode.mutability": "false",
    }
    file.write_bytes(b"kafkastore.topic=\xff\xfe\n")
    with pytest.raises(click.ClickException) as refused:
        merged(SCHEMA_REGISTRY, file, (), {})
    assert refused.value.message == f"{file} cannot be read: it is not text."


def test_without_their_packages_only_the_brokers_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(up, "can_run_services", lambda: False)
    assert up._wanted_services(None) == []
    assert up._wanted_services("broker") == []
    with pytest.raises(click.ClickException, match=r"pip install '\.\[services\]'"):
        up._wanted_services("broker,rest-proxy")
    monkeypatch.setattr("riacho.cli.service_command.can_run_services", lambda: False)
    result = CliRunner().invoke(cli, ["rest-proxy"])
    assert (result.exit_code, "pip install '.[services]'" in result.stderr) == (1, True)


def test_by_default_all_of_them_are_wanted() -> None:
    assert up._wanted_services(None) == ["schema-registry", "rest-proxy", "connect", "ksqldb-server", "control-center"]
    assert up._wanted_services("rest-proxy, broker") == ["rest-proxy"]


class _Fake(ServiceProcess):
    """Runs from `spawn` on; asks the world nothing."""

    def __init__(self, tmp_path: Path) -> None:
        super().__init__(DataDir(tmp_path), REST_PROXY, free_port(), {})
        self.alive = False

    def spawn(self) -> None:
        self.alive = True
        self._mark = ProcessMark(1, 1)

    @property
    def is_running(self) -> bool:
        return self.alive

    def terminate(self) -> None:
        self.alive = False


def test_a_service_runs_when_it_is_well_and_comes_back_after_a_crash(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    now_s = [0.0]
    health = [False]
    monkeypatch.setattr(supervised_service, "is_healthy", lambda host, port: health[0])
    process = _Fake(tmp_path)
    service = SupervisedService(process, say=said.append, clock=lambda: now_s[0])
    service.start()
    service.step()
    assert service.phase is Phase.STARTING
    health[0] = True
    service.step()
    assert service.state == ServiceState(
        "rest-proxy", ProcessMark(1, 1), f"http://127.0.0.1:{process.port}", str(process.log), 0, Phase.RUNNING
    )
    process.alive = False
    now_s[0] += service.step()
    assert service.phase is Phase.WAITING
    service.step()
    service.step()
    assert (service.phase, service.state.restarts) == (Phase.RUNNING, 1)
    assert said[0].startswith("rest-proxy ended (")
    assert said[1] == "rest-proxy is back, pid 1"


def test_services_are_stopped_before_brokers() -> None:
    service = ServiceState("rest-proxy", ProcessMark(2, 1), "http://127.0.0.1:1", "x.log")
    state = RunState("d", ProcessMark(1, 1), 0, (), services=(service,))
    assert state.children == [ProcessMark(2, 1)]
    assert state.processes == [ProcessMark(1, 1), ProcessMark(2, 1)]
    assert state.service("rest-proxy") is service
    assert state.service("connect") is None


def test_connectors_of_up_reach_what_is_at_hand_and_not_the_data(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from riacho.pipelines.connect.config import limits_of, load_worker_settings
    from riacho.pipelines.reach.paths import path_refusal
    from riacho.pipelines.reach.urls import url_refusal

    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    directory = DataDir(tmp_path / "data")
    directory.create()
    ports = {SCHEMA_REGISTRY.name: 8081, CONNECT.name: 8083}
    limits = limits_of(load_worker_settings(service_properties(CONNECT, "h:9", ports, directory)))
    for path in ("orders.txt", str(directory.files / "a"), str(tmp_path / "temporary")):
        assert path_refusal(path, limits) is None
    for path in (str(directory.path), str(directory.checkpoints / "x"), str(directory.logs / "x"), "/etc/passwd"):
        assert path_refusal(path, limits) is not None
    assert url_refusal("http://localhost:8081/subjects", limits.urls, resolve=False) is None
    assert url_refusal("http://localhost:8082/topics", limits.urls, resolve=False) is not None
    given = {"riacho.connectors.allowed.paths": "/srv"}
    chosen = limits_of(load_worker_settings(service_properties(CONNECT, "h:9", ports, directory, given)))
    assert chosen.paths == ("/srv",)

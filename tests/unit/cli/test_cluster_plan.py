"""Who does what in a cluster on one machine, what a data directory allows, and which ports are chosen."""

from __future__ import annotations

import socket
from pathlib import Path

import click
import pytest

from riacho.broker.config import BrokerConfig
from riacho.broker.local_cluster import ClusterPlan, NodePorts, cluster_defaults, controllers_of
from riacho.cli.cluster_file import Made, growth, keep, read_made, settle
from riacho.cli.data_dir import DataDir
from riacho.cli.supervisor.port_choice import choose_ports
from riacho.client.loopback import free_ports, is_free
from riacho.log.meta_properties import MetaProperties, write_meta_properties

ID = "MkU3OEVBNTcwNTJENDM2Qg"


def _plan(brokers: int) -> ClusterPlan:
    ports = {n: NodePorts(9090 + 2 * n, 9403 + n, 9091 + 2 * n) for n in range(1, brokers + 1)}
    return ClusterPlan(ID, controllers_of(brokers), ports)


def _broker_ran(directory: DataDir, node_id: int, cluster_id: str = ID) -> None:
    path = directory.broker_data(node_id)
    path.mkdir(parents=True)
    write_meta_properties(str(path), MetaProperties(node_id, cluster_id, b"d" * 16))


# Roles


@pytest.mark.parametrize(
    ("brokers", "controllers"), [(1, (1,)), (2, (1,)), (3, (1, 2, 3)), (4, (1, 2, 3)), (30, (1, 2, 3))]
)
def test_a_quorum_is_of_one_or_three(brokers: int, controllers: tuple[int, ...]) -> None:
    assert controllers_of(brokers) == controllers


def test_a_broker_alone_needs_no_quorum_settings() -> None:
    alone = ClusterPlan(None, (1,), {1: NodePorts(9092)})
    assert alone.properties(1) == {
        "node.id": "1",
        "process.roles": "broker,controller",
        "listeners": "PLAINTEXT://127.0.0.1:9092",
    }


def test_controllers_listen_for_each_other_and_brokers_find_them() -> None:
    plan = _plan(4)
    assert plan.properties(2) == {
        "node.id": "2",
        "process.roles": "broker,controller",
        "listeners": "PLAINTEXT://127.0.0.1:9094,CONTROLLER://127.0.0.1:9095",
        "controller.listener.names": "CONTROLLER",
        "controller.quorum.voters": "1@127.0.0.1:9093,2@127.0.0.1:9095,3@127.0.0.1:9097",
        "cluster.id": ID,
    }
    fourth = plan.properties(4)
    assert fourth["process.roles"] == "broker"
    assert fourth["listeners"] == "PLAINTEXT://127.0.0.1:9098"
    assert fourth["controller.quorum.voters"] == plan.properties(1)["controller.quorum.voters"]


@pytest.mark.parametrize("brokers", [1, 2, 3, 5])
def test_a_broker_takes_the_settings_of_its_plan(brokers: int, tmp_path: Path) -> None:
    plan = _plan(brokers)
    for node_id in plan.node_ids:
        own = {**cluster_defaults(brokers), **plan.properties(node_id), "log.dirs": str(tmp_path)}
        config = BrokerConfig(own)
        assert config.warnings() == []
        assert config.node_id == node_id
        assert ("controller" in config.roles) == plan.is_controller(node_id)


@pytest.mark.parametrize(("brokers", "factor", "in_sync"), [(2, "2", "1"), (3, "3", "2"), (7, "3", "2")])
def test_topics_have_copies_and_one_may_be_away(brokers: int, factor: str, in_sync: str) -> None:
    defaults = cluster_defaults(brokers)
    assert defaults["default.replication.factor"] == defaults["offsets.topic.replication.factor"] == factor
    assert defaults["min.insync.replicas"] == in_sync
    assert cluster_defaults(1) == {}


# What a data directory allows


def test_a_new_directory_takes_any_number(tmp_path: Path) -> None:
    directory = DataDir(tmp_path)
    made = settle(directory, 3, ID)
    assert made == Made(ID, (1, 2, 3), 3)
    assert settle(directory, None).brokers == 1
    assert settle(directory, 3).cluster_id != settle(directory, 3).cluster_id


def test_a_cluster_comes_back_as_it_was(tmp_path: Path) -> None:
    directory = DataDir(tmp_path)
    keep(directory, settle(directory, 3, ID))
    for node_id in (1, 2, 3):
        _broker_ran(directory, node_id)
    assert settle(directory, None) == settle(directory, 3) == Made(ID, (1, 2, 3), 3)


def test_a_single_broker_grows_but_its_quorum_does_not(tmp_path: Path) -> None:
    directory = DataDir(tmp_path)
    _broker_ran(directory, 1)
    assert settle(directory, None) == Made(ID, (1,), 1)
    grown = settle(directory, 3)
    assert grown == Made(ID, (1,), 3)
    told = growth(directory, grown)
    assert told is not None
    assert "was made by 1 broker: topics that are there keep the copies that they have" in told
    assert "still one controller, broker 1" in told
    assert "--data-dir" in told
    keep(directory, grown)
    for node_id in (2, 3):
        _broker_ran(directory, node_id)
    assert settle(directory, None) == grown
    assert growth(directory, grown) is None


def test_a_cluster_that_grows_has_its_quorum_already(tmp_path: Path) -> None:
    directory = DataDir(tmp_path)
    assert growth(directory, settle(directory, 3, ID)) is None
    keep(directory, settle(directory, 3, ID))
    for node_id in (1, 2, 3):
        _broker_ran(directory, node_id)
    told = growth(directory, settle(directory, 5))
    assert told is not None
    assert "topics that are there" in told
    assert "controller" not in told


@pytest.mark.parametrize("asked", [1, 2])
def test_a_cluster_does_not_shrink_by_itself(tmp_path: Path, asked: int) -> None:
    directory = DataDir(tmp_path)
    keep(directory, settle(directory, 3))
    _broker_ran(directory, 1)
    with pytest.raises(click.ClickException, match=r"has the data of 3 brokers; start it with --brokers 3"):
        settle(directory, asked)


def test_a_broker_whose_directory_was_taken_away_is_not_missed(tmp_path: Path) -> None:
    directory = DataDir(tmp_path)
    keep(directory, settle(directory, 4, ID))
    for node_id in (1, 2, 3):
        _broker_ran(directory, node_id)
    assert settle(directory, 3) == Made(ID, (1, 2, 3), 3)


def test_a_start_that_came_to_nothing_binds_nobody(tmp_path: Path) -> None:
    directory = DataDir(tmp_path)
    keep(directory, settle(directory, 3, ID))
    assert read_made(directory) is None
    assert settle(directory, 1).controllers == (1,)


def test_a_cluster_file_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    directory = DataDir(tmp_path)
    _broker_ran(directory, 1)
    directory.cluster_file.write_text("{")
    with pytest.raises(click.ClickException, match=r"cluster\.json cannot be read"):
        settle(directory, None)


# Ports


def _free_run(length: int) -> int:
    """The first of so many free ports in a row."""
    for _ in range(100):
        (first,) = free_ports(1)
        if all(is_free(first + i) for i in range(length)):
            return first
    raise AssertionError("no free run of ports")


def test_clients_take_every_second_port_and_controllers_those_between() -> None:
    first, metrics = _free_run(8), _free_run(4)
    ports = choose_ports(first, metrics, 4, (1, 2, 3))
    assert [node.client - first for node in ports.values()] == [0, 2, 4, 6]
    assert [node.controller and node.controller - first for node in ports.values()] == [1, 3, 5, None]
    assert [node.metrics - metrics for node in ports.values()] == [0, 1, 2, 3]


def test_one_broker_takes_one_port() -> None:
    (first,) = free_ports(1)
    assert choose_ports(first, 0, 1, (1,))[1].client == first
    assert choose_ports(first, 0, 1, (1,))[1].controller is None


def test_port_zero_takes_different_free_ones() -> None:
    ports = choose_ports(0, 0, 5, (1, 2, 3))
    taken = [p for node in ports.values() for p in (node.client, node.controller) if p is not None]
    assert len(set(taken)) == 8
    assert all(is_free(port) for port in taken)
    assert len({node.metrics for node in ports.values()}) == 5


def test_a_port_that_is_taken_is_told_with_whose_it_was_to_be() -> None:
    first = _free_run(4)
    with socket.socket() as other:
        other.bind(("127.0.0.1", first + 2))
        other.listen()
        with pytest.raises(click.ClickException, match=f"Port {first + 2} on 127.0.0.1, for broker 2, is taken"):
            choose_ports(first, 0, 2, (1,))
        with pytest.raises(click.ClickException, match=r"Choose another with --metrics-port"):
            choose_ports(0, first + 1, 2, (1,))


def test_there_is_no_port_above_the_last() -> None:
    with pytest.raises(click.ClickException, match=r"There is no port 65536, for broker 3"):
        choose_ports(65532, 0, 3, (1,)) if is_free(65532) and is_free(65533) else choose_ports(65532, 0, 3, ())


def test_free_ports_are_below_those_of_outgoing_connections() -> None:
    path = Path("/proc/sys/net/ipv4/ip_local_port_range")
    if not path.exists():
        pytest.skip("no such file on this system")
    lowest = int(path.read_text().split()[0])
    drawn = free_ports(20)
    assert len(set(drawn)) == 20
    if lowest > 11_000:
        assert all(port < lowest for port in drawn)

"""Who votes: what the log says, its snapshot, the configuration, or nobody that this node knows of yet."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from riacho.base.errors import ErrorCode, KafkaError
from riacho.base.ids import random_uuid
from riacho.broker.config import BrokerConfig, ListenerAddress
from riacho.broker.environment import Environment
from riacho.broker.parts.breakdown import Breakdown
from riacho.broker.quorum.metadata_log import DIRECTORY, MetadataLog
from riacho.broker.quorum.quorum import Quorum
from riacho.cli.kafka.bootstrap_checkpoint import bootstrap_checkpoint, first_snapshot
from riacho.client.client_security import ClientSecurity
from riacho.log.directories import LogDirectories
from riacho.metadata.image.image import MetadataImage
from riacho.metadata.image.snapshot import record_batch
from riacho.raft.control_records import build_control_batch, kraft_version_record, voters_record
from riacho.raft.roles import Role
from riacho.raft.voters import Endpoint, Voter, VoterSet
from riacho.wire.messages.no_op_record import NoOpRecord
from support.broker_fakes import SetClock, recorded_logs
from support.metadata_broker import CountingRng, run
from support.parts import untouched

CONTROLLER = {
    "process.roles": "controller",
    "controller.listener.names": "CONTROLLER",
    "listeners": "CONTROLLER://127.0.0.1:9093",
}
BROKER = {"process.roles": "broker", "node.id": "9", "controller.listener.names": "CONTROLLER"}
THREE = {"controller.quorum.voters": "1@a.example:1,2@b.example:2,3@c.example:3"}
BOOTSTRAP = {"controller.quorum.bootstrap.servers": "a.example:1,b.example:2"}
OWN = [ListenerAddress("CONTROLLER", "127.0.0.1", 9093, "PLAINTEXT")]
NOW_MS = 1_000


class Node:
    def __init__(self, path: Path, *properties: Mapping[str, str]) -> None:
        merged: dict[str, str] = {"log.dirs": str(path)}
        for each in properties:
            merged |= each
        self.config = BrokerConfig(merged)
        self.rng = CountingRng(1)
        self.clock = SetClock()
        self.logs, _, self.lines = recorded_logs()
        self.directories = LogDirectories(
            self.config.log_dirs,
            node_id=self.config.node_id,
            cluster_id="c" * 22,
            new_directory_id=partial(random_uuid, self.rng),
        )
        own = OWN if self.config.is_controller else []
        self.breakdown = Breakdown()
        self.quorum = Quorum(
            self.config,
            Environment(self.clock, self.rng),
            self.logs,
            self.directories,
            own,
            ClientSecurity(),
            self.breakdown.happen,
        )

    @property
    def core(self) -> Any:
        return self.quorum.raft.node

    def voters(self) -> list[tuple[int, str]]:
        return [(voter.node_id, voter.endpoints[0].host) for voter in self.core.voters]


@pytest.fixture
def log(tmp_path: Path) -> MetadataLog:
    return open_log(tmp_path)


def open_log(path: Path) -> MetadataLog:
    return MetadataLog(str(path), 1 << 23, 1 << 40, NOW_MS)


def voter(node_id: int, host: str) -> Voter:
    return Voter(node_id, bytes([node_id]) * 16, (Endpoint("CONTROLLER", host, 1),))


def append_voters(log: MetadataLog, *voters: Voter) -> None:
    records = [kraft_version_record(1), voters_record(VoterSet(voters))]
    log.append(build_control_batch(records, base_offset=0, leader_epoch=1, timestamp_ms=NOW_MS), 1, NOW_MS)


def test_the_configuration_names_a_fixed_quorum(tmp_path: Path) -> None:
    for path, properties in (("x", CONTROLLER), ("y", BROKER)):
        node = Node(tmp_path / path, properties, THREE)
        assert node.voters() == [(1, "a.example"), (2, "b.example"), (3, "c.example")]
        assert node.core.kraft_version == 0
        assert node.core.is_voter == (properties is CONTROLLER)


def test_a_controller_that_knows_of_no_other_is_the_quorum(tmp_path: Path) -> None:
    node = Node(tmp_path, CONTROLLER)
    assert node.voters() == [(1, "127.0.0.1")]
    node.quorum.start(None)
    assert node.quorum.controller.is_active
    assert node.core.role is Role.LEADER


def test_a_node_with_bootstrap_servers_alone_knows_no_voters(tmp_path: Path) -> None:
    for path, properties in (("x", CONTROLLER), ("y", BROKER)):
        node = Node(tmp_path / path, properties, BOOTSTRAP)
        assert node.voters() == []
        assert node.core.kraft_version == 1
        assert not node.core.is_voter
        assert not node.quorum.controller.is_active


def test_the_log_has_the_last_word(tmp_path: Path, log: MetadataLog) -> None:
    append_voters(log, voter(1, "old.example"))
    append_voters(log, voter(1, "old.example"), voter(5, "new.example"))
    log.close()
    node = Node(tmp_path, CONTROLLER, THREE)
    assert node.voters() == [(1, "old.example"), (5, "new.example")]
    assert node.core.kraft_version == 1


def test_a_snapshot_stands_for_the_log_before_it(tmp_path: Path, log: MetadataLog) -> None:
    controls = [kraft_version_record(1), voters_record(VoterSet([voter(4, "kept.example")]))]
    log.append(record_batch([NoOpRecord()] * 3, 0, 1, NOW_MS), 1, NOW_MS)
    log.write_snapshot(MetadataImage(cluster_id="c" * 22, end_offset=3), controls, NOW_MS, NOW_MS)
    log.close()
    node = Node(tmp_path, BROKER, BOOTSTRAP)
    assert node.voters() == [(4, "kept.example")]
    node.quorum.raft.log.close()
    node.directories.close(clean=False)
    log = open_log(tmp_path)
    append_voters(log, voter(4, "moved.example"))
    log.close()
    assert Node(tmp_path, BROKER, BOOTSTRAP).voters() == [(4, "moved.example")]


def test_formatted_storage_says_who_starts(tmp_path: Path) -> None:
    """kafka-storage format --standalone: a first snapshot with this node in it, and the levels to begin with."""
    node = Node(tmp_path, CONTROLLER)
    own_id = node.directories.directories[0].meta.directory_id
    node.quorum.raft.log.close()
    node.directories.close(clean=False)
    for file in (tmp_path / DIRECTORY).iterdir():
        file.unlink()
    me = Voter(1, own_id, (Endpoint("CONTROLLER", "127.0.0.1", 9093),))
    (tmp_path / DIRECTORY / "00000000000000000000-0000000000.checkpoint").write_bytes(
        first_snapshot(VoterSet([me]), NOW_MS)
    )
    (tmp_path / "bootstrap.checkpoint").write_bytes(bootstrap_checkpoint({"metadata.version": 30}, NOW_MS))
    own = {"controller.quorum.bootstrap.servers": "127.0.0.1:9093"}
    node = Node(tmp_path, CONTROLLER, own)
    assert node.voters() == [(1, "127.0.0.1")]
    assert node.core.kraft_version == 1
    node.quorum.start(None)
    assert node.quorum.controller.is_active
    assert node.quorum.metadata.image.features["metadata.version"] == 30
    assert "eligible.leader.replicas.version" not in node.quorum.metadata.image.features


def test_a_broker_is_no_voter_even_where_the_log_names_its_id(tmp_path: Path, log: MetadataLog) -> None:
    append_voters(log, voter(1, "a.example"), voter(9, "b.example"))
    log.close()
    node = Node(tmp_path, BROKER, BOOTSTRAP)
    assert not node.core.is_voter


def test_a_log_without_its_beginning_is_refused(tmp_path: Path, log: MetadataLog) -> None:
    for _ in range(2):
        log.append(record_batch([NoOpRecord()] * 3, 0, 1, NOW_MS), 1, NOW_MS)
        log.write_snapshot(MetadataImage(cluster_id="c" * 22, end_offset=log.end_offset), [], NOW_MS, NOW_MS)
    log.append(record_batch([NoOpRecord()], 0, 1, NOW_MS), 1, NOW_MS)
    log.close()
    for file in (tmp_path / DIRECTORY).glob("*.checkpoint"):
        file.unlink()
    with pytest.raises(KafkaError, match="the metadata log starts at 3, no snapshot reaches beyond 0") as raised:
        Node(tmp_path, CONTROLLER)
    assert raised.value.code is ErrorCode.KAFKA_STORAGE_ERROR


def test_metadata_in_a_directory_of_its_own_is_locked_and_let_go(tmp_path: Path) -> None:
    elsewhere = {"metadata.log.dir": str(tmp_path / "metadata")}
    node = Node(tmp_path / "data", CONTROLLER, elsewhere)
    assert os.path.dirname(node.quorum.raft.log.path) == str(tmp_path / "metadata")
    assert not (tmp_path / "data" / DIRECTORY).exists()
    with pytest.raises(KafkaError):
        Node(tmp_path / "other", CONTROLLER, elsewhere)
    run(node.quorum.close())
    # The same cluster, the same node: it may come back.
    Node(tmp_path / "third", CONTROLLER, elsewhere)


def test_one_of_the_log_directories_may_be_named(tmp_path: Path) -> None:
    directories = {"log.dirs": f"{tmp_path}/one,{tmp_path}/two", "metadata.log.dir": f"{tmp_path}/two"}
    node = Node(tmp_path, CONTROLLER, directories)
    assert os.path.dirname(node.quorum.raft.log.path) == str(tmp_path / "two")
    assert node.core.directory_id == node.directories.directories[1].meta.directory_id


def test_a_broken_directory_of_the_metadata_is_named(tmp_path: Path) -> None:
    (tmp_path / "one").write_text("no directory")
    with pytest.raises(KafkaError, match=r"one, which has the cluster's metadata, cannot be used"):
        Node(tmp_path, CONTROLLER, {"log.dirs": f"{tmp_path}/one,{tmp_path}/two"})


def test_a_start_that_cannot_write_its_vote_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    node = Node(tmp_path, CONTROLLER)

    def refuse(*_: object) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(node.quorum.raft.log, "save_state", refuse)
    with pytest.raises(KafkaError, match="Read-only file system"):
        node.quorum.start(None)


def test_the_settings_of_the_quorum_are_kafkas(tmp_path: Path) -> None:
    names = {
        "controller.quorum.election.timeout.ms": "11",
        "controller.quorum.fetch.timeout.ms": "12",
        "controller.quorum.request.timeout.ms": "13",
        "controller.quorum.retry.backoff.ms": "0",
        "controller.quorum.auto.join.enable": "true",
    }
    found: list[Any] = []
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(
            "riacho.broker.quorum.quorum.RaftNode", lambda **given: found.append(given) or untouched("raft node")
        )
        Node(tmp_path / "x", CONTROLLER, THREE, names)
        Node(tmp_path / "y", BROKER, THREE, names)
    config = found[0]["config"]
    assert (config.election_timeout_ms, config.fetch_timeout_ms, config.request_timeout_ms) == (11, 12, 13)
    assert config.retry_backoff_ms == 1, "no pause at all would spin"
    assert [each["config"].is_auto_joining for each in found] == [True, False]
    assert [each["can_vote"] for each in found] == [True, False]

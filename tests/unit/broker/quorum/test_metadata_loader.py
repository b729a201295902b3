"""From the committed log to the image, and from the image to snapshots."""

from __future__ import annotations

from pathlib import Path

import pytest

from riacho.base.decision import Decision
from riacho.base.errors import ErrorCode, KafkaError
from riacho.broker.quorum import metadata_loader
from riacho.metadata.image.image import MetadataImage
from riacho.metadata.image.snapshot import build_snapshot
from riacho.raft.control_records import voters_in
from riacho.raft.log_view import SnapshotId
from riacho.raft.voter_history import VotersAt
from riacho.raft.voters import Endpoint, Voter, VoterSet
from riacho.wire.messages.feature_level_record import FeatureLevelRecord
from riacho.wire.messages.topic_record import TopicRecord
from support.quorum_of_three import QuorumOfThree


@pytest.fixture
def quorum(tmp_path: Path) -> QuorumOfThree:
    return QuorumOfThree(tmp_path)


def topic(name: str) -> TopicRecord:
    return TopicRecord(name=name, topic_id=name.encode().ljust(16, b"-"))


def test_what_the_controller_made_is_published_as_it_is(quorum: QuorumOfThree) -> None:
    quorum.in_office()
    quorum.controller.propose(lambda _: Decision(reply=None, records=[topic("a")]))
    quorum.controller.propose(lambda _: Decision(reply=None, records=[topic("b")]))
    made = quorum.controller.image
    quorum.images.clear()
    quorum.commit()
    assert len(quorum.images) == 1, "subscribers hear once of all that is committed at once"
    assert quorum.metadata.image is made


def test_control_batches_between_do_not_hide_anything(quorum: QuorumOfThree) -> None:
    quorum.add([topic("a")])
    quorum.add_control()
    quorum.add([topic("b"), topic("c")])
    quorum.add_control()
    quorum.commit(1)
    assert set(quorum.metadata.image.topics) == {"a"}
    quorum.commit(2)
    assert quorum.metadata.image.end_offset == 2
    quorum.commit()
    assert set(quorum.metadata.image.topics) == {"a", "b", "c"}
    assert quorum.metadata.image.end_offset == 5


def test_in_office_too(quorum: QuorumOfThree) -> None:
    quorum.in_office()
    quorum.controller.propose(lambda _: Decision(reply=None, records=[topic("a")]))
    quorum.add_control()
    quorum.commit()
    assert set(quorum.metadata.image.topics) == {"a"}
    assert quorum.metadata.image.end_offset == 3


def test_what_is_known_is_not_told_again(quorum: QuorumOfThree) -> None:
    quorum.add([topic("a")])
    quorum.commit()
    quorum.commit()
    quorum.commit(0)
    assert len(quorum.images) == 1


def test_after_the_office_is_lost_the_log_has_the_word(quorum: QuorumOfThree) -> None:
    quorum.in_office()
    quorum.controller.propose(lambda _: Decision(reply=None, records=[topic("a")]))
    ahead = quorum.controller.image
    quorum.deposed()
    quorum.commit()
    assert quorum.metadata.image is not ahead
    assert set(quorum.metadata.image.topics) == {"a"}


def test_a_long_log_is_applied_in_parts(quorum: QuorumOfThree, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metadata_loader, "_RECORDS_PER_APPLY", 3)
    for number in range(10):
        quorum.add([topic(f"a{number}"), topic(f"b{number}")])
    quorum.commit()
    assert len(quorum.metadata.image.topics) == 20
    assert len(quorum.images) == 1


def test_a_fetched_snapshot_takes_the_place_of_all(quorum: QuorumOfThree) -> None:
    quorum.add([topic("old")])
    quorum.commit()
    image = MetadataImage(cluster_id="c").apply([topic("new")], 50)
    data = b"".join(build_snapshot(image, 4, 0, 0))
    quorum.log.store_chunk(SnapshotId(50, 4), 0, data)
    quorum.log.finish_snapshot(SnapshotId(50, 4), 0)
    quorum.loader.snapshot_fetched()
    assert set(quorum.metadata.image.topics) == {"new"}
    assert (quorum.metadata.image.end_offset, quorum.metadata.image.cluster_id) == (50, "c")
    # The log goes on behind it.
    quorum.node.epoch = 4
    quorum.add([topic("newer")])
    quorum.commit()
    assert set(quorum.metadata.image.topics) == {"new", "newer"}


@pytest.mark.parametrize("is_snapshot", [False, True])
def test_metadata_of_another_version_is_not_taken(quorum: QuorumOfThree, is_snapshot: bool) -> None:
    record = FeatureLevelRecord(name="metadata.version", feature_level=99)
    if is_snapshot:
        data = b"".join(build_snapshot(MetadataImage().apply([record], 5), 1, 0, 0))
        quorum.log.store_chunk(SnapshotId(5, 1), 0, data)
        quorum.log.finish_snapshot(SnapshotId(5, 1), 0)
        act = quorum.loader.snapshot_fetched
    else:
        quorum.add([record])
        act = quorum.commit
    with pytest.raises(KafkaError, match=r"metadata\.version at 99") as raised:
        act()
    assert raised.value.code is ErrorCode.UNSUPPORTED_VERSION
    assert quorum.images == []


def test_a_level_is_taken_for_the_one_in_force_when_all_that_is_committed_is_here(quorum: QuorumOfThree) -> None:
    def level(number: int) -> FeatureLevelRecord:
        return FeatureLevelRecord(name="streams.version", feature_level=number)

    quorum.node.leader_high_watermark = 3
    quorum.add([level(1)])
    quorum.commit()
    quorum.add([topic("t"), level(0)])
    quorum.commit()
    assert "streams.version" not in quorum.metadata.image.features
    quorum.add([level(1)])
    with pytest.raises(KafkaError, match=r"streams\.version at 1"):
        quorum.commit()


def test_snapshots_are_due_by_size_on_every_node(tmp_path: Path) -> None:
    quorum = QuorumOfThree(tmp_path, {"metadata.log.max.record.bytes.between.snapshots": "1000"})
    while quorum.snapshots_told < 2:
        quorum.add([topic(f"t{quorum.log.end_offset}")])
        quorum.commit()
        assert quorum.log.end_offset < 100
    snapshot = quorum.log.latest_snapshot()
    assert snapshot is not None
    assert snapshot.end_offset == quorum.log.end_offset
    loaded = quorum.log.load_snapshot(MetadataImage(cluster_id="c"))
    assert loaded.topics.keys() == quorum.metadata.image.topics.keys()
    assert quorum.log.start_offset > 0, "what both snapshots hold leaves the log"


def test_a_snapshot_holds_what_is_committed_and_no_more(tmp_path: Path) -> None:
    quorum = QuorumOfThree(tmp_path, {"metadata.log.max.snapshot.interval.ms": "1000"})
    quorum.in_office()
    quorum.controller.propose(lambda _: Decision(reply=None, records=[topic("a")]))
    committed = quorum.log.end_offset
    quorum.controller.propose(lambda _: Decision(reply=None, records=[topic("b")]))
    quorum.clock.at_ms += 1_000
    quorum.commit(committed)
    assert quorum.snapshots_told == 1
    assert set(quorum.log.load_snapshot(MetadataImage()).topics) == {"a"}
    quorum.commit()
    assert quorum.snapshots_told == 1, "the next one is due in a second"


def test_voters_of_the_log_are_in_its_snapshots(quorum: QuorumOfThree) -> None:
    """KIP-853: what is cut from the log with the voters' record must be in what takes its place."""
    voters = VoterSet([Voter(1, b"d" * 16, (Endpoint("CONTROLLER", "a", 1),))])
    quorum.add([topic("a")])
    quorum.commit()
    for ruling, found in ((VotersAt(-1, voters, 0), []), (VotersAt(-1, voters, 1), [1])):
        quorum.node.ruling = ruling
        quorum.loader.take_snapshot()
        snapshot = quorum.log.latest_snapshot()
        assert snapshot is not None
        held = voters_in(quorum.log.snapshot_bytes(snapshot), VotersAt(-1, VoterSet(), 0))
        assert [node_id for each in held[-1:] for node_id in each.voters.ids] == found


def test_there_is_no_snapshot_of_nothing(quorum: QuorumOfThree) -> None:
    quorum.loader.take_snapshot()
    assert quorum.log.latest_snapshot() is None
    assert quorum.snapshots_told == 0


def test_a_snapshot_that_cannot_be_written_is_no_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    quorum = QuorumOfThree(tmp_path, {"metadata.log.max.record.bytes.between.snapshots": "1"})

    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(quorum.log, "write_snapshot", refuse)
        quorum.add([topic("a")])
        quorum.commit()
    assert set(quorum.metadata.image.topics) == {"a"}
    assert any("metadata snapshot failed end_offset=1" in line for line in quorum.lines)
    quorum.add([topic("b")])
    quorum.commit()
    assert quorum.snapshots_told == 1

"""Following a leader: records, offsets, truncation, broken answers, moved leadership, and what a quiet leader costs."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from riacho.base.errors import ErrorCode
from riacho.broker.replication.follower_session import Followed
from support.log_files import append, make_batch
from support.replication_world import FOLLOWER, LEADER, World, contents, state, until, write


def test_a_follower_copies_byte_for_byte_and_the_high_watermark_follows(tmp_path: Path) -> None:
    world = World(tmp_path)

    async def main() -> None:
        leading, following = world.follow()
        write(leading, b"a", b"b")
        write(leading, b"c")
        await until(lambda: leading.log.high_watermark == 3)
        assert contents(following) == contents(leading)
        # The follower hears of the high watermark with the next answer, at the latest when its wait is over.
        await asyncio.sleep(1)
        assert following.log.high_watermark == 3
        assert following.log.epochs.entries == leading.log.epochs.entries

    world.run(main())


def test_a_high_watermark_that_consumers_wait_for_at_the_follower_travels_at_once(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.leader.broker.replica_selector = lambda rack, replicas: None

    async def main() -> None:
        leading, following = world.follow()
        await asyncio.sleep(0.2)
        before_ms = world.clock.monotonic_ms()
        write(leading, b"a")
        await until(lambda: following.log.high_watermark == 1)
        assert world.clock.monotonic_ms() - before_ms < 10

    world.run(main())


def test_a_write_reaches_a_waiting_follower_at_once(tmp_path: Path) -> None:
    world = World(tmp_path)

    async def main() -> None:
        leading, _ = world.follow()
        await asyncio.sleep(0.2)
        before_ms = world.clock.monotonic_ms()
        write(leading, b"a")
        await until(lambda: leading.log.high_watermark == 1)
        assert world.clock.monotonic_ms() - before_ms < 10

    world.run(main())


def test_a_quiet_session_names_nothing_and_reads_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    world = World(tmp_path)

    async def main() -> None:
        pairs = [world.follow(index) for index in range(20)]
        await asyncio.sleep(1.2)
        reads = 0
        session = next(iter(world.leader.broker.sessions._sessions.values()))
        assert not session.ready
        assert [len(request.topics) for request in world.peer.sent[2:]] == [0] * len(world.peer.sent[2:])
        write(pairs[7][0], b"x")
        original = type(pairs[7][0].log).read

        def counted(*args: Any, **kwargs: Any) -> Any:
            nonlocal reads
            reads += 1
            return original(*args, **kwargs)

        monkeypatch.setattr(type(pairs[7][0].log), "read", counted)
        await until(lambda: pairs[7][0].log.high_watermark == 1)
        assert reads == 1
        named = [(t.topic_id, [p.partition for p in t.partitions]) for t in world.peer.sent[-1].topics]
        assert [indexes for _, indexes in named] == [[7]]

    world.run(main())


def test_diverging_epochs_are_cut_away_and_written_anew(tmp_path: Path) -> None:
    world = World(tmp_path)

    async def main() -> None:
        leading = world.leader.host(0, state(LEADER, 0))
        following = world.follower.host(0, state(LEADER, 0))
        for log in (leading.log, following.log):
            append(log, b"both", epoch=0)
        append(following.log, b"lost", b"lost", epoch=1)
        leading.take_role(LEADER, state(LEADER, 2))
        following.take_role(FOLLOWER, state(LEADER, 2))
        write(leading, b"new")
        world.fetcher.add(Followed(following))
        await until(lambda: leading.log.high_watermark == 2)
        assert contents(following) == contents(leading)
        assert following.log.epochs.entries == leading.log.epochs.entries
        assert any("INFO follower truncates partition=t-0 to_offset=1" in line for line in world.follower.lines)

    world.run(main())


def test_a_cut_below_the_high_watermark_is_a_warning(tmp_path: Path) -> None:
    world = World(tmp_path)

    async def main() -> None:
        leading = world.leader.host(0, state(LEADER, 2))
        following = world.follower.host(0, state(LEADER, 2))
        append(following.log, b"committed", epoch=0)
        following.log.high_watermark = 1
        write(leading, b"unclean")
        world.fetcher.add(Followed(following))
        await until(lambda: contents(following) == contents(leading))
        assert any(line.startswith("WARNING follower truncates") for line in world.follower.lines)

    world.run(main())


def test_a_follower_below_the_leaders_log_start_starts_over_there(tmp_path: Path) -> None:
    world = World(tmp_path)

    async def main() -> None:
        leading = world.leader.host(0, state(LEADER, 0, isr=(LEADER,)))
        for value in (b"a", b"b", b"c", b"d"):
            write(leading, value)
        leading.log.delete_records(2)
        following = world.follower.host(0, state(LEADER, 0))
        world.fetcher.add(Followed(following))
        await until(lambda: following.log.log_end_offset == 4)
        assert following.log.log_start_offset == 2
        assert contents(following) == contents(leading)

    world.run(main())


def test_a_log_start_in_the_middle_of_a_batch_is_followed(tmp_path: Path) -> None:
    world = World(tmp_path)

    async def main() -> None:
        leading = world.leader.host(0, state(LEADER, 0, isr=(LEADER,)))
        write(leading, b"a", b"b", b"c", b"d")
        leading.log.delete_records(2)
        following = world.follower.host(0, state(LEADER, 0))
        world.fetcher.add(Followed(following))
        await until(lambda: following.log.log_end_offset == 4)
        assert following.log.log_start_offset == 2
        assert contents(following) == contents(leading)

    world.run(main())


def test_a_follower_past_the_leaders_end_is_cut_to_it(tmp_path: Path) -> None:
    world = World(tmp_path)

    async def main() -> None:
        leading = world.leader.host(0, state(LEADER, 0))
        following = world.follower.host(0, state(LEADER, 0))
        append(leading.log, b"a", epoch=0)
        append(following.log, b"a", epoch=0)
        append(following.log, b"b", b"c", epoch=0)
        world.fetcher.add(Followed(following))
        await until(lambda: following.log.log_end_offset == 1)
        assert contents(following) == contents(leading)

    world.run(main())


def test_a_broken_batch_is_refused_and_fetched_again(tmp_path: Path) -> None:
    world = World(tmp_path)

    async def main() -> None:
        leading, following = world.follow()
        await asyncio.sleep(0.1)

        def break_once(answer: Any) -> Any:
            records = answer.responses[0].partitions[0].records
            if not records:
                return answer
            world.peer.meddle = None
            broken = bytearray(records)
            broken[-1] ^= 1
            answer.responses[0].partitions[0].records = bytes(broken)
            return answer

        world.peer.meddle = break_once
        write(leading, b"value")
        await until(lambda: contents(following) == contents(leading))
        assert sum("fetched records are not taken" in line for line in world.follower.lines) == 1

    world.run(main())


def test_an_answer_of_an_old_leader_epoch_is_never_written(tmp_path: Path) -> None:
    world = World(tmp_path)

    async def main() -> None:
        _, following = world.follow()
        await asyncio.sleep(0.1)
        stale = make_batch([b"stale"])

        def late(answer: Any) -> Any:
            # While this answer is on its way the partition gets a new epoch of the same leader.
            world.peer.meddle = None
            following.take_role(FOLLOWER, state(LEADER, 1))
            world.leader.partitions[0].take_role(LEADER, state(LEADER, 1))
            world.fetcher.add(Followed(following))
            if answer.responses:
                answer.responses[0].partitions[0].records = bytes(stale)
                answer.responses[0].partitions[0].error_code = 0
            return answer

        world.peer.meddle = late
        write(world.leader.partitions[0], b"old epoch")
        await until(lambda: len(contents(following)) == 1)
        assert b"stale" not in contents(following)[0]
        assert contents(following) == contents(world.leader.partitions[0])

    world.run(main())


def test_a_partition_that_is_no_longer_followed_takes_nothing(tmp_path: Path) -> None:
    world = World(tmp_path)

    async def main() -> None:
        leading, following = world.follow()
        other, other_following = world.follow(1)
        await asyncio.sleep(0.1)
        followed = world.fetcher.session.partitions[(following.topic_id, 0)]
        world.fetcher.remove(followed)
        write(leading, b"nobody takes it")
        write(other, b"taken")
        await until(lambda: other_following.log.log_end_offset == 1)
        await asyncio.sleep(1)
        assert following.log.log_end_offset == 0
        assert (following.topic_id, 0) not in next(iter(world.leader.broker.sessions._sessions.values())).partitions

    world.run(main())


def test_a_newcomer_does_not_wait_for_the_request_that_is_out(tmp_path: Path) -> None:
    world = World(tmp_path)

    async def main() -> None:
        world.follow()
        await asyncio.sleep(0.2)
        before_ms = world.clock.monotonic_ms()
        leading, _ = world.follow(1)
        write(leading, b"x")
        await until(lambda: leading.log.high_watermark == 1)
        assert world.clock.monotonic_ms() - before_ms < 20
        # The session that was given up is closed by the request that opens the next.
        assert len(world.leader.broker.sessions) == 1

    world.run(main())


def test_a_leader_that_does_not_know_yet_is_asked_again_soon(tmp_path: Path) -> None:
    world = World(tmp_path)

    async def main() -> None:
        leading = world.leader.host(0, state(LEADER, 0))
        following = world.follower.host(0, state(LEADER, 1))
        world.fetcher.add(Followed(following))
        await asyncio.sleep(0.05)
        assert any("error=UNKNOWN_LEADER_EPOCH" in line for line in world.follower.lines)
        leading.take_role(LEADER, state(LEADER, 1))
        write(leading, b"x")
        before_ms = world.clock.monotonic_ms()
        await until(lambda: leading.log.high_watermark == 1)
        assert world.clock.monotonic_ms() - before_ms < 100

    world.run(main())


def test_a_fenced_follower_waits_for_the_metadata(tmp_path: Path) -> None:
    world = World(tmp_path)

    async def main() -> None:
        leading = world.leader.host(0, state(LEADER, 5))
        following = world.follower.host(0, state(LEADER, 4))
        world.fetcher.add(Followed(following))
        await asyncio.sleep(5)
        assert len(world.peer.sent) == 1
        following.take_role(FOLLOWER, state(LEADER, 5))
        world.fetcher.add(Followed(following))
        write(leading, b"x")
        await until(lambda: leading.log.high_watermark == 1)

    world.run(main())


def test_many_refusals_of_one_answer_are_told_in_sum(tmp_path: Path) -> None:
    world = World(tmp_path)

    async def main() -> None:
        for index in range(30):
            world.leader.host(index, state(LEADER, 5))
            world.fetcher.add(Followed(world.follower.host(index, state(LEADER, 4))))
        await asyncio.sleep(5)
        lines = [line for line in world.follower.lines if "fenced" in line or "refuses" in line]
        assert sum("leader epoch is fenced" in line for line in lines) == 20
        assert len(lines) == 21
        assert "leader refuses leader=1 partitions=30" in lines[-1]

    world.run(main())


def test_a_leader_out_of_reach_is_tried_less_and_less_and_at_once_when_it_is_back(tmp_path: Path) -> None:
    world = World(tmp_path)

    async def main() -> None:
        world.is_refusing = True
        leading, _ = world.follow()
        await asyncio.sleep(10)
        assert 8 <= len(world.peers) <= 20
        world.is_refusing = False
        write(leading, b"x")
        before_ms = world.clock.monotonic_ms()
        world.fetcher.reconnect()
        await until(lambda: leading.log.high_watermark == 1)
        assert world.clock.monotonic_ms() - before_ms < 20
        assert sum("fetch from leader failed" in line for line in world.follower.lines) == 1

    world.run(main())


def test_small_answers_serve_all_partitions_in_turn(tmp_path: Path) -> None:
    world = World(tmp_path, size_bytes_max=300)

    async def main() -> None:
        pairs = [world.follow(index) for index in range(5)]
        for _ in range(4):
            for leading, _ in pairs:
                write(leading, b"x" * 200)
        await until(lambda: all(leading.log.high_watermark == 4 for leading, _ in pairs))
        for leading, following in pairs:
            assert contents(following) == contents(leading)

    world.run(main())


def test_a_throttled_copy_keeps_to_its_rate_and_the_others_go_on(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.quota.rate = 10_000
    world.quota.throttle("t", frozenset({0}))

    async def main() -> None:
        slow = world.leader.host(0, state(LEADER, 0, isr=(LEADER,)))
        for _ in range(40):
            write(slow, b"x" * 5_000)
        slow_following = world.follower.host(0, state(LEADER, 0))
        world.fetcher.settings = type(world.fetcher.settings)(partition_size_bytes_max=6_000)
        world.fetcher.session._partition_size_bytes_max = 6_000
        world.fetcher.add(Followed(slow_following))
        fast, fast_following = world.follow(1)
        started_ms = world.clock.monotonic_ms()
        await asyncio.sleep(2)
        write(fast, b"y")
        before_ms = world.clock.monotonic_ms()
        await until(lambda: fast_following.log.log_end_offset == 1)
        assert world.clock.monotonic_ms() - before_ms < 150
        await until(lambda: slow_following.log.log_end_offset == 40, turns=60_000)
        rate = slow.log.size_bytes * 1000 / (world.clock.monotonic_ms() - started_ms)
        assert 7_000 < rate < 13_000

    world.run(main())


def test_the_leader_throttles_a_replica_out_of_sync_only(tmp_path: Path) -> None:
    world = World(tmp_path)
    quota = world.leader.broker.replication_quotas.leader
    quota.rate = 1
    quota.throttle("t", None)

    async def main() -> None:
        quota.record(1_000_000, world.clock.monotonic_ms())
        in_sync, in_sync_following = world.follow(0)
        out_of_sync = world.leader.host(1, state(LEADER, 0, isr=(LEADER,)))
        write(out_of_sync, b"x")
        world.fetcher.add(Followed(world.follower.host(1, state(LEADER, 0))))
        write(in_sync, b"y")
        await until(lambda: in_sync_following.log.log_end_offset == 1)
        await asyncio.sleep(3)
        assert world.follower.partitions[1].log.log_end_offset == 0
        quota.rate = 1_000_000_000
        await until(lambda: world.follower.partitions[1].log.log_end_offset == 1)

    world.run(main())


def test_a_replica_that_is_not_assigned_is_refused(tmp_path: Path) -> None:
    world = World(tmp_path)

    async def main() -> None:
        leading, following = world.follow()
        await asyncio.sleep(0.1)
        alone = state(LEADER, 0, change=1)
        leading.take_role(LEADER, type(alone)(**{**_fields(alone), "replicas": (LEADER, 3), "isr": (LEADER,)}))
        write(leading, b"x")
        await asyncio.sleep(0.2)
        assert following.log.log_end_offset == 0
        assert any(f"error={ErrorCode.UNKNOWN_LEADER_EPOCH.name}" in line for line in world.follower.lines)

    world.run(main())


def _fields(value: Any) -> dict[str, Any]:
    return {name: getattr(value, name) for name in value.__struct_fields__}

"""Real logs on both sides, with histories of their own: following makes them the same, byte for byte."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from riacho.broker.replication.follower_session import Followed
from support.log_files import append
from support.replication_world import FOLLOWER, LEADER, World, contents, state, until, write

# (who writes: both, the leader or the follower; how many batches; how many records in each)
HISTORY = st.lists(st.tuples(st.sampled_from(("leader", "follower")), st.integers(0, 3), st.integers(1, 3)), max_size=6)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(1, 3), max_size=4), HISTORY, st.sampled_from((1 << 30, 900)))
def test_following_makes_two_logs_the_same(
    common: list[int], history: list[tuple[str, int, int]], segment: int
) -> None:
    with tempfile.TemporaryDirectory() as path:
        world = World(Path(path))

        async def main() -> None:
            leading = world.leader.host(0, state(LEADER, 0), segment_size_bytes_max=segment)
            following = world.follower.host(0, state(LEADER, 0), segment_size_bytes_max=segment)
            for epoch, count in enumerate(common):
                for log in (leading.log, following.log):
                    append(log, *[b"common"] * count, epoch=epoch)
            shared = contents(leading)
            end = leading.log.log_end_offset
            leading.log.high_watermark = following.log.high_watermark = end
            epoch = len(common)
            for side, batches, count in history:
                epoch += 1
                log = leading.log if side == "leader" else following.log
                log.epochs.assign(epoch, log.log_end_offset)
                for _ in range(batches):
                    append(log, *[side.encode() * 20] * count, epoch=epoch)
            epoch += 1
            leading.take_role(LEADER, state(LEADER, epoch))
            following.take_role(FOLLOWER, state(LEADER, epoch))
            write(leading, b"new")
            world.fetcher.add(Followed(following))
            await until(lambda: leading.log.high_watermark == leading.log.log_end_offset)
            assert contents(following) == contents(leading)
            assert contents(following)[: len(shared)] == shared
            assert not any(line.startswith("WARNING") for line in world.follower.lines)
            ends = [
                entry for entry in following.log.epochs.entries if entry.start_offset < following.log.log_end_offset
            ]
            assert set(ends) <= set(leading.log.epochs.entries)

        world.run(main())

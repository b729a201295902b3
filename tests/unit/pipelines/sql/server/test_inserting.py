"""Rows that are inserted over a producer that ended: nobody waits for ever, and those after them arrive."""

from __future__ import annotations

import asyncio

from confluent_kafka import Consumer, TopicPartition

from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.server.inserting import Inserter
from support.guarded_topic import TOPIC, guarded_topic

TIMEOUT_S = 60.0


def test_a_right_that_is_granted_later_is_enough() -> None:
    with guarded_topic() as guarded:

        async def story() -> None:
            inserter = Inserter(guarded.client)
            async with asyncio.timeout(TIMEOUT_S):
                for _ in range(2):
                    rows = [inserter.insert(TOPIC, None, b"refused", None) for _ in range(3)]
                    refusals = await asyncio.gather(*rows, return_exceptions=True)
                    assert [type(each) for each in refusals] == [KsqlError] * 3
                await asyncio.to_thread(guarded.let_write)
                # Another producer is made a second after the last, not with each row.
                while (refusal := await _refusal(inserter)) is not None:
                    assert "authorization failed" in refusal
                await inserter.close()

        asyncio.run(story())
        reader = Consumer({**guarded.admin_client, "group.id": "unused"})
        try:
            assert reader.get_watermark_offsets(TopicPartition(TOPIC, 0), TIMEOUT_S) == (0, 1)
        finally:
            reader.close()


async def _refusal(inserter: Inserter) -> str | None:
    await asyncio.sleep(0)
    try:
        await inserter.insert(TOPIC, b"a", b"b", None)
    except KsqlError as refusal:
        return str(refusal)
    return None

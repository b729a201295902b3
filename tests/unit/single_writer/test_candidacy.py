"""The driver of an election goes on, whatever a step throws."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from riacho.base.config import ConfigError
from riacho.single_writer.candidacy import Candidacy
from riacho.single_writer.config import ReplicatedLogConfig
from riacho.single_writer.election import Step
from riacho.single_writer.log_writer import LogWriter
from riacho.single_writer.single_thread import SingleThread

PATIENCE_S = 60.0


@pytest.mark.parametrize("failure", [ConfigError("the Kafka client cannot be set up"), RuntimeError("unforeseen")])
def test_a_step_that_fails_in_an_unforeseen_way_is_taken_again(
    monkeypatch: pytest.MonkeyPatch, failure: Exception
) -> None:
    config = ReplicatedLogConfig(
        topic="log", group_id="g", url="http://a", client={"bootstrap.servers": "127.0.0.1:1"}, is_eligible=False
    )
    failures = [failure]

    async def do(_: Any, step: Step) -> None:
        if step is Step.FENCING and failures:
            raise failures.pop()

    monkeypatch.setattr(Candidacy, "_do", do)

    async def scenario() -> None:
        lane = SingleThread("test")
        candidacy = Candidacy(config, LogWriter("log", config.writer_settings), lane)
        await candidacy.start()
        candidacy.assigned()
        async with asyncio.timeout(PATIENCE_S):
            while not candidacy.is_leading:
                await candidacy.turned.wait()
        assert candidacy.term == 2
        candidacy.released()
        await candidacy.stop(PATIENCE_S)
        lane.close()

    asyncio.run(scenario())

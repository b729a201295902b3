"""The demo ends well only when every step was as promised."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from click.testing import CliRunner

from riacho.base.errors import ErrorCode, KafkaError
from riacho.cli.demo import steps as demo_steps
from riacho.cli.demo.demo_context import DemoContext, DemoError, Step, expect, wait_for
from riacho.cli.main import cli
from riacho.cli.record_text import TextRecord


def _fine(story: DemoContext) -> None:
    """Nothing to see."""


def _not_so(story: DemoContext) -> None:
    expect(1 + 1 == 3, "the sum is wrong")


def _refused(story: DemoContext) -> None:
    raise KafkaError(ErrorCode.TOPIC_ALREADY_EXISTS, "Topic 'orders' is there")


@pytest.mark.parametrize(
    ("last", "code", "told"),
    [
        (_fine, 0, "All 2 steps were as promised"),
        (_not_so, 1, "Error: Step 2 failed: the sum is wrong."),
        (_refused, 1, "Error: Step 2 failed: Topic 'orders' is there."),
    ],
)
def test_the_exit_code_is_the_verdict(
    last: Step, code: int, told: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(demo_steps, "STEPS", (("first", _fine), ("second", last)))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    result = CliRunner().invoke(cli, ["demo", "--broker"])
    assert result.exit_code == code
    assert told in result.output
    assert list(tmp_path.iterdir()) == []


def test_waiting_ends_with_what_did_not_come_about() -> None:
    wait_for(lambda: True, "never said")
    with pytest.raises(DemoError, match="nobody came"):
        wait_for(lambda: False, "nobody came", timeout_s=0)


def test_records_that_are_not_those_sent_are_noticed() -> None:
    sent = [TextRecord("orders", 0, i, 1, b"k", b"v%d" % i) for i in range(3)]
    demo_steps._expect_same(sent[::-1], sent, "read")
    for read in (sent[:2], [*sent, sent[0]], [*sent[:2], sent[2]._replace(value=b"other")]):
        with pytest.raises(DemoError, match="are not the 3 that were sent"):
            demo_steps._expect_same(read, sent, "read")

"""Versions of plugins, alone and in ranges."""

from __future__ import annotations

import pytest

from riacho.pipelines.connect.api.version_range import fits


@pytest.mark.parametrize(
    "wanted",
    ["latest", "LATEST", "0.1.0", "0.1", "[0.1.0]", "[0.1,1.0)", "[0.1.0,]", "(,0.1]", "(0.0.9,0.2)", "(,0.1),[0.1,2]"],
)
def test_within(wanted: str) -> None:
    assert fits("0.1.0", wanted)


@pytest.mark.parametrize(
    "wanted",
    [
        "1.0",
        "q",
        "[1.0,2.0)",
        "(0.1.0,)",
        "(,0.1.0)",
        "[0.1.0",
        "[0.1.0,1]x",
        "(0.1.0)",
        "[]",
        "[0.2,]",
        "0.1.0-rc1",
        "0.\N{SUPERSCRIPT ONE}",
    ],
)
def test_without(wanted: str) -> None:
    assert not fits("0.1.0", wanted)


def test_numbers_count_as_numbers() -> None:
    assert fits("0.10.0", "[0.9,)")
    assert not fits("0.9.0", "[0.10,)")

"""Tools that are gone: one sentence, by any name and with any words, that names what there is instead."""

from __future__ import annotations

import re

import pytest

from riacho.cli.kafka.flags.tools import TOOLS
from riacho.cli.kafka.retired import RETIRED, main
from riacho.cli.shell.given_cluster import parsed


@pytest.mark.parametrize("words", [["--help"], [], ["zookeeper:2181", "ls", "/"]])
@pytest.mark.parametrize("suffix", ["", ".sh"])
@pytest.mark.parametrize("name", RETIRED)
def test_one_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], name: str, suffix: str, words: list[str]
) -> None:
    monkeypatch.setattr("sys.argv", [f"/usr/local/bin/{name}{suffix}", *words])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 1
    told = capsys.readouterr()
    assert (told.out, told.err) == ("", f"{name}: {RETIRED[name]}\n")


@pytest.mark.parametrize("text", RETIRED.values())
def test_what_they_name_is_there(text: str) -> None:
    lines = [line.split() for line in re.findall(r"`(kafka-[^`]*)`", text)]
    assert lines
    for name, *words in lines:
        assert parsed(TOOLS[name], tuple(words)) is not None

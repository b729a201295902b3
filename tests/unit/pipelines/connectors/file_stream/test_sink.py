"""Appending a batch once, however often it is tried."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from riacho.pipelines.connectors.file_stream.sink import FileStreamSink, append_once
from riacho.pipelines.plugin import ConnectError, Context


def test_a_batch_that_comes_again_replaces_what_it_left(tmp_path: Path) -> None:
    file, note = tmp_path / "out.txt", tmp_path / "scratch" / "note.json"
    file.write_text("there before\n")

    def dies() -> Iterator[str]:
        yield "one"
        raise RuntimeError("killed in the middle")

    with pytest.raises(RuntimeError):
        append_once(file, note, 0, dies())
    append_once(file, note, 0, ["one", "two"])
    append_once(file, note, 0, ["one", "two"])
    append_once(file, note, 1, ["three"])
    append_once(file, note, 1, ["three"])
    assert file.read_text() == "there before\none\ntwo\nthree\n"


def test_a_new_checkpoint_goes_on_at_the_end(tmp_path: Path) -> None:
    file = tmp_path / "out.txt"
    append_once(file, tmp_path / "first" / "note.json", 0, ["one"])
    append_once(file, tmp_path / "second" / "note.json", 0, ["two"])
    assert file.read_text() == "one\ntwo\n"


def test_a_directory_that_is_not_there_is_told_before_anything_runs(tmp_path: Path) -> None:
    configs = {"file": str(tmp_path / "missing" / "out.txt")}
    sink = FileStreamSink(FileStreamSink.CONFIG.parse(configs), Context("out", configs, ""))
    with pytest.raises(ConnectError, match="missing of the file to write does not exist"):
        sink.prepare()

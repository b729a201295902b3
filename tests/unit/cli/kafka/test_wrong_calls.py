"""Tools that are called wrongly: exit code 1, and what is wrong in the first line, before a broker is asked."""

from __future__ import annotations

import shlex
from importlib import import_module
from pathlib import Path

import pytest

from riacho.cli.kafka.flags.tools import module_of
from riacho.cli.kafka.launch import run_tool

DEAD = "--bootstrap-server localhost:1"
BINARY = "Error: binary.json is not a text file."
WRONG = {
    "kafka-topics --create": 'Missing required argument "[topic]"',
    "kafka-topics --list --frob": "frob is not a recognized option",
    "kafka-topics --create --topic a --partitions x": "Cannot parse argument 'x' of option partitions",
    f"kafka-console-consumer --topic a {DEAD} --max-messages x": "Cannot parse argument 'x' of option max-messages",
    "kafka-cluster nonsense": "'nonsense' is not one of the commands: cluster-id, unregister, list-endpoints",
    f"kafka-get-offsets {DEAD} --topic (": "Error: '(' is not a regular expression",
    f"kafka-broker-api-versions {DEAD} --command-config directory": "Error: cannot read directory: Is a directory",
    f"kafka-consumer-groups --list {DEAD} --command-config nowhere": "Error: cannot read nowhere: No such file",
    f"kafka-producer-perf-test {DEAD} --topic a --num-records 1 --payload-file directory": "Error: Is a directory: dir",
    f"kafka-delete-records {DEAD} --offset-json-file directory": "Error: Is a directory: directory",
    f"kafka-delete-records {DEAD} --offset-json-file half.json": "The input string is not a valid JSON",
    f"kafka-delete-records {DEAD} --offset-json-file binary.json": BINARY,
    f"kafka-reassign-partitions {DEAD} --execute --reassignment-json-file half.json": "Error: The input string is not",
    f"kafka-reassign-partitions {DEAD} --execute --reassignment-json-file binary.json": BINARY,
    f"kafka-reassign-partitions {DEAD} --verify --reassignment-json-file deep.json": "Error: The input string is not",
    f"kafka-delete-records {DEAD} --offset-json-file deep.json": "The input string is not a valid JSON",
    f"kafka-leader-election {DEAD} --election-type preferred --path-to-json-file deep.json": "Replica election data is",
    f"kafka-leader-election {DEAD} --election-type preferred --path-to-json-file binary.json": BINARY,
    f"kafka-consumer-groups {DEAD} --reset-offsets --group a --from-file binary.json --dry-run": BINARY,
    f"kafka-avro-console-producer {DEAD} --topic a --reader-property value.schema.file=binary.json": BINARY,
}


@pytest.mark.parametrize("line", WRONG)
def test_what_is_wrong_is_told_first(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "directory").mkdir()
    (tmp_path / "binary.json").write_bytes(b"\xff\xfe\x00{")
    (tmp_path / "half.json").write_text("[1,2")
    (tmp_path / "deep.json").write_text("[" * 100_000)
    name, *words = shlex.split(line.replace("(", "'('"))
    assert run_tool(name, import_module(module_of(name)).run, words) == 1
    told = capsys.readouterr()
    # Some of Kafka's own tell it on standard output.
    assert (told.out + told.err).startswith(WRONG[line])

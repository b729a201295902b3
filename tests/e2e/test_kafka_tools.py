"""Kafka's tools against a broker of ours, as a script would run them: words in, bytes and exit codes out."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import time
import uuid
from collections.abc import Callable
from pathlib import Path

import pytest

from e2e.kafka_scripts import run_script, script_environment, write_scripts
from riacho.testing import KafkaCluster
from support.child_process import child_process

pytestmark = pytest.mark.timeout(180)
Done = subprocess.CompletedProcess[str]
Run = Callable[..., Done]


@pytest.fixture(scope="module")
def scripts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_scripts(tmp_path_factory.mktemp("bin"))


@pytest.fixture
def run(kafka_cluster_session: KafkaCluster, scripts: Path) -> Run:
    def tool(name: str, *words: str, text: str | None = None, code: int = 0) -> Done:
        done = run_script(scripts, [name, *words], bootstrap=kafka_cluster_session.bootstrap_servers, text=text)
        assert "Traceback" not in done.stderr, done.stderr
        assert done.returncode == code, done.stdout + done.stderr
        return done

    return tool


@pytest.fixture
def name() -> str:
    return f"t-{uuid.uuid4().hex[:10]}"


def fill(run: Run, topic: str, count: int) -> None:
    run("kafka-console-producer", "--topic", topic, text="".join(f"{number}\n" for number in range(count)))


def test_topics(run: Run, name: str) -> None:
    assert run("kafka-topics", "--create", "--topic", name, "--partitions", "2").stdout == f"Created topic {name}.\n"
    exists = run("kafka-topics", "--create", "--topic", name, code=1)
    assert exists.stdout == f"Error while executing topic command : Topic '{name}' already exists.\n"
    assert name in run("kafka-topics", "--list").stdout.split()
    assert run("kafka-topics", "--alter", "--topic", name, "--partitions", "3").stdout == ""
    described = run("kafka-topics", "--describe", "--topic", name).stdout.splitlines()
    assert re.fullmatch(
        rf"Topic: {name}\tTopicId: [\w-]{{22}}\tPartitionCount: 3\tReplicationFactor: 1\tConfigs: .*", described[0]
    )
    assert len(described) == 4
    assert run("kafka-topics", "--delete", "--topic", name).stdout == ""
    assert name not in run("kafka-topics", "--list").stdout.split()
    assert run("kafka-topics", "--delete", "--topic", name, "--if-exists").stdout == ""


def test_console_tools_keep_keys_headers_and_nulls(run: Run, name: str) -> None:
    properties = ["parse.key=true", "parse.headers=true", "null.marker=NULL"]
    words = [word for one in properties for word in ("--reader-property", one)]
    run("kafka-console-producer", "--topic", name, *words, text="h:1,g:NULL\tk\tv\nNULL\tNULL\tNULL\n")
    shown = [word for part in ("headers", "key", "offset") for word in ("--formatter-property", f"print.{part}=true")]
    done = run(
        "kafka-console-consumer",
        "--topic",
        name,
        "--from-beginning",
        "--max-messages",
        "2",
        *shown,
        "--timeout-ms",
        "9000",
    )
    assert done.stdout == "Offset:0\th:1,g:null\tk\tv\nOffset:1\tNO_HEADERS\tnull\tnull\n"
    assert done.stderr == "Processed a total of 2 messages\n"


def test_console_producer_names_the_broken_line(run: Run, name: str) -> None:
    done = run("kafka-console-producer", "--topic", name, "--property", "parse.key=true", text="a\tb\nc\n", code=1)
    assert done.stderr.splitlines()[-1] == "Error: No key separator found on line number 2: 'c'"


@pytest.mark.parametrize("codec", ["gzip", "snappy", "lz4", "zstd"])
def test_compression(run: Run, name: str, codec: str) -> None:
    run("kafka-console-producer", "--topic", name, "--compression-codec", codec, "--sync", text="a\nb\n")
    assert (
        run(
            "kafka-console-consumer", "--topic", name, "--partition", "0", "--offset", "1", "--max-messages", "1"
        ).stdout
        == "b\n"
    )


def test_consumer_groups(run: Run, name: str) -> None:
    fill(run, name, 20)
    run("kafka-console-consumer", "--topic", name, "--from-beginning", "--max-messages", "20", "--group", name)
    assert name in run("kafka-consumer-groups", "--list").stdout.split()
    described = run("kafka-consumer-groups", "--describe", "--group", name)
    assert described.stdout.splitlines()[2].split() == [name, name, "0", "20", "20", "0", "-", "-", "-"]
    assert described.stderr == f"\nConsumer group '{name}' has no active members.\n"
    reset = ["kafka-consumer-groups", "--reset-offsets", "--group", name, "--topic", name]
    dry = run(*reset, "--to-offset", "5")
    assert dry.stderr.startswith("WARN: No action will be performed")
    assert dry.stdout.splitlines()[2].split() == [name, name, "0", "5"]
    assert run(*reset, "--shift-by", "-8", "--execute").stdout.splitlines()[2].split()[-1] == "12"
    assert run(*reset, "--to-current", "--dry-run", "--export").stdout == f"{name},0,12\n\n"
    assert "Successful" in run("kafka-consumer-groups", "--delete-offsets", "--group", name, "--topic", name).stdout
    assert run("kafka-consumer-groups", "--delete", "--group", name).stdout == (
        f"Deletion of requested consumer groups ('{name}') was successful.\n"
    )
    gone = run("kafka-consumer-groups", "--describe", "--group", name, code=1)
    assert gone.stdout == f"\nError: Consumer group '{name}' does not exist.\n"


def test_a_reset_from_a_file(run: Run, name: str, tmp_path: Path) -> None:
    fill(run, name, 10)
    plan = tmp_path / "plan.csv"
    plan.write_text(f"{name},0,4\n")
    run("kafka-consumer-groups", "--reset-offsets", "--group", name, "--from-file", str(plan), "--execute")
    assert run("kafka-consumer-groups", "--describe", "--group", name).stdout.splitlines()[2].split()[3] == "4"


def test_an_active_group_is_left_alone(run: Run, name: str, scripts: Path, kafka_cluster_session: KafkaCluster) -> None:
    fill(run, name, 1)
    words = ["kafka-console-consumer", "--topic", name, "--group", name, "--from-beginning"]
    environment = script_environment(scripts, kafka_cluster_session.bootstrap_servers)
    with child_process(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment) as consumer:
        assert consumer.stdout is not None
        assert consumer.stdout.readline() == "0\n"
        members = run("kafka-consumer-groups", "--describe", "--group", name, "--members").stdout.splitlines()
        assert members[2].split()[-1] == "1"
        reset = [
            "kafka-consumer-groups",
            "--reset-offsets",
            "--group",
            name,
            "--topic",
            name,
            "--to-earliest",
            "--execute",
        ]
        assert f"'{name}' is inactive, but the current state is Stable." in run(*reset, code=1).stdout
        assert "The group is not empty." in run("kafka-consumer-groups", "--delete", "--group", name, code=1).stdout
        consumer.send_signal(signal.SIGINT)
        _, told = consumer.communicate(timeout=30)
        assert consumer.returncode == 130
        assert told == "\nProcessed a total of 1 messages\n"


def test_configs(run: Run, name: str) -> None:
    run("kafka-topics", "--create", "--topic", name)
    add = "retention.ms=5000,cleanup.policy=[compact,delete]"
    altered = run("kafka-configs", "--alter", "--topic", name, "--add-config", add)
    assert altered.stdout == f"Completed updating config for topic {name}.\n"
    shown = run("kafka-configs", "--describe", "--entity-type", "topics", "--entity-name", name).stdout.splitlines()
    assert shown[0] == f"Dynamic configs for topic {name} are:"
    assert [line.split()[0] for line in shown[1:]] == ["cleanup.policy=compact,delete", "retention.ms=5000"]
    run("kafka-configs", "--alter", "--topic", name, "--delete-config", "retention.ms,cleanup.policy")
    assert run("kafka-configs", "--describe", "--topic", name).stdout.splitlines() == shown[:1]
    assert len(run("kafka-configs", "--describe", "--topic", name, "--all").stdout.splitlines()) > 20
    refused = run("kafka-configs", "--alter", "--topic", name, "--add-config", "no.such=1", code=1)
    assert "no.such" in refused.stderr


def test_offsets_and_deleting_records(run: Run, name: str, tmp_path: Path) -> None:
    fill(run, name, 10)
    assert run("kafka-get-offsets", "--topic", name).stdout == f"{name}:0:10\n"
    wanted = tmp_path / "offsets.json"
    wanted.write_text(json.dumps({"partitions": [{"topic": name, "partition": 0, "offset": 4}], "version": 1}))
    assert run("kafka-delete-records", "--offset-json-file", str(wanted)).stdout == (
        "Executing records delete operation\nRecords delete operation completed:\n"
        f"partition: {name}-0\tlow_watermark: 4\n"
    )
    assert run("kafka-get-offsets", "--topic", name, "--time", "earliest").stdout == f"{name}:0:4\n"


def test_the_cluster_itself(run: Run, name: str, kafka_cluster_session: KafkaCluster) -> None:
    assert re.fullmatch(r"Cluster ID: [\w-]{22}\n", run("kafka-cluster", "cluster-id").stdout)
    host, _, port = kafka_cluster_session.bootstrap_servers.partition(":")
    assert run("kafka-cluster", "list-endpoints").stdout.splitlines()[1].split()[:3] == ["1", host, port]
    versions = run("kafka-broker-api-versions", "--bootstrap-server", kafka_cluster_session.bootstrap_servers).stdout
    assert versions.startswith(f"{host}:{port} (id: 1 rack: null isFenced: false) -> (\n\tProduce(0): 0 to ")
    run("kafka-topics", "--create", "--topic", name)
    directories = json.loads(run("kafka-log-dirs", "--describe", "--topic-list", name).stdout.splitlines()[2])
    assert directories["brokers"][0]["logDirs"][0]["partitions"][0]["partition"] == f"{name}-0"


def test_performance_tools(run: Run, name: str) -> None:
    sent = run("kafka-producer-perf-test", "--topic", name, "--num-records", "2000", "--record-size", "50").stdout
    assert re.fullmatch(
        r"2000 records sent, \d+\.\d{6} records/sec \(\d+\.\d\d MB/sec\), \d+\.\d\d ms avg latency, \d+\.\d\d ms max "
        r"latency, \d+ ms 50th, \d+ ms 95th, \d+ ms 99th, \d+ ms 99\.9th\.\n",
        sent,
    )
    header, figures = run("kafka-consumer-perf-test", "--topic", name, "--num-records", "2000").stdout.splitlines()
    assert len(header.split(", ")) == len(figures.split(", ")) == 10
    assert figures.split(", ")[4] == "2000"
    latency = ["--num-records", "20", "--producer-acks", "all", "--record-size", "10"]
    told = run("kafka-e2e-latency", "--topic", f"{name}-e2e", *latency).stdout.splitlines()
    assert re.fullmatch(r"Avg latency: \d+\.\d{4} ms", told[-2])
    assert re.fullmatch(r"Percentiles: 50th = \d+, 99th = \d+, 99\.9th = \d+", told[-1])


def test_verifiable_tools(run: Run, name: str) -> None:
    sent = run("kafka-verifiable-producer", "--topic", name, "--max-messages", "3").stdout.splitlines()
    assert [json.loads(line)["name"] for line in sent] == [
        "startup_complete",
        *["producer_send_success"] * 3,
        "shutdown_complete",
        "tool_data",
    ]
    read = run("kafka-verifiable-consumer", "--topic", name, "--group-id", name, "--max-messages", "3", "--verbose")
    events = [json.loads(line) for line in read.stdout.splitlines()]
    assert [e["value"] for e in events if e["name"] == "record_data"] == ["0", "1", "2"]
    assert sum(e["count"] for e in events if e["name"] == "records_consumed") == 3
    assert events[-1]["name"] == "shutdown_complete"


def test_a_closed_pipe_is_no_failure_to_talk_about(
    run: Run, name: str, scripts: Path, kafka_cluster_session: KafkaCluster
) -> None:
    fill(run, name, 5000)
    line = f"kafka-console-consumer --topic {name} --from-beginning --timeout-ms 20000 | head -1"
    done = run_script(scripts, ["bash", "-c", line], bootstrap=kafka_cluster_session.bootstrap_servers)
    assert done.stdout == "0\n"
    assert "Traceback" not in done.stderr
    assert "BrokenPipe" not in done.stderr


ADMIN = [
    ["kafka-topics", "--list"],
    ["kafka-consumer-groups", "--list"],
    ["kafka-configs", "--describe", "--topic", "t"],
    ["kafka-cluster", "cluster-id"],
]
DATA = [
    ["kafka-console-producer", "--topic", "t"],
    ["kafka-console-consumer", "--topic", "t"],
    ["kafka-producer-perf-test", "--topic", "t", "--num-records", "1", "--record-size", "1"],
]


@pytest.mark.parametrize("words", [*ADMIN, *DATA], ids=lambda words: words[0])
def test_a_broker_out_of_reach_is_told_in_time(scripts: Path, words: list[str]) -> None:
    started = time.monotonic()
    done = run_script(scripts, words, bootstrap="127.0.0.1:1", text="x\n")
    assert done.returncode == 1
    told = done.stdout + done.stderr
    assert "Cannot reach the cluster" in told
    assert len(told.splitlines()) == 1
    assert time.monotonic() - started < 30


BAD = [
    "kafka-topics --create --topic x --partitions 99999999999",
    "kafka-topics --create --topic x --replica-assignment 1:x",
    "kafka-topics --describe --topic-id zz",
    "kafka-topics --list --bootstrap-server :::",
    "kafka-topics --list --topic *[",
    "kafka-get-offsets --time 999999999999999999999",
    "kafka-consumer-groups --reset-offsets --group g --topic nowhere --to-latest --dry-run",
    "kafka-consumer-groups --reset-offsets --group g --from-file nowhere.csv --dry-run",
    "kafka-configs --describe --broker 99",
    "kafka-delete-records --offset-json-file nowhere.json",
    "kafka-dump-log --files nowhere/00000000000000000000.log",
    "kafka-storage format -c nowhere.properties -t abc",
    "kafka-console-consumer --topic x --partition 0 --offset 99999999999999999999999",
    "kafka-console-consumer --include [",
    "kafka-console-producer --topic x --request-required-acks 7",
    "kafka-console-producer --topic x --batch-size -1",
    "kafka-console-producer --topic bad!name",
    "kafka-producer-perf-test --topic x --num-records 1 --payload-file nowhere",
    "kafka-verifiable-producer --topic bad!name --max-messages 1",
]


@pytest.mark.parametrize("line", BAD)
def test_bad_input_is_a_sentence_and_exit_code_1(run: Run, line: str) -> None:
    tool, *words = line.split()
    done = run(tool, *words, text="x\n", code=1)
    assert (done.stdout + done.stderr).strip()


def test_an_empty_group_id(run: Run, name: str) -> None:
    done = run("kafka-verifiable-consumer", "--topic", name, "--group-id", "", code=1)
    assert done.stderr == "Error: the group id may not be empty.\n"


def test_security_that_is_half_configured_is_one_sentence(scripts: Path, tmp_path: Path) -> None:
    config = tmp_path / "client.properties"
    config.write_text("security.protocol=SASL_SSL\n")
    done = run_script(scripts, ["kafka-consumer-groups", "--list", "--command-config", str(config)])
    assert (done.returncode, done.stdout) == (1, "")
    wanted = "sasl.mechanism and sasl.jaas.config, or a JAAS file that KAFKA_OPTS names"
    assert done.stderr == f"Error: security.protocol=SASL_SSL needs {wanted}\n"


def test_a_missing_file_is_one_sentence(scripts: Path) -> None:
    done = run_script(scripts, ["kafka-topics", "--list", "--command-config", "nowhere.properties"])
    assert done.returncode == 1
    assert "cannot read nowhere.properties: No such file or directory" in done.stdout + done.stderr


def test_storage(scripts: Path, tmp_path: Path) -> None:
    config = tmp_path / "server.properties"
    config.write_text(f"node.id=7\nlog.dirs={tmp_path / 'a'},{tmp_path / 'b'}\n")
    cluster_id = run_script(scripts, ["kafka-storage", "random-uuid"]).stdout.strip()
    before = run_script(scripts, ["kafka-storage", "info", "-c", str(config)])
    assert (before.returncode, before.stdout.splitlines()[0]) == (1, "Found problems:")
    formatted = run_script(scripts, ["kafka-storage", "format", "-t", cluster_id, "-c", str(config)])
    assert formatted.returncode == 0
    stored = dict(line.split("=") for line in (tmp_path / "a" / "meta.properties").read_text().split() if "=" in line)
    assert (stored["version"], stored["node.id"], stored["cluster.id"]) == ("1", "7", cluster_id)
    assert len(stored["directory.id"]) == 22
    again = run_script(scripts, ["kafka-storage", "format", "-t", cluster_id, "-c", str(config)])
    assert again.returncode == 1
    assert again.stderr.startswith(f"Log directory {tmp_path / 'a'} is already formatted.")
    ignored = run_script(scripts, ["kafka-storage", "format", "-g", "-t", cluster_id, "-c", str(config)])
    assert ignored.stdout == "All of the log directories are already formatted.\n"


def test_dump_log(run: Run, name: str, scripts: Path, tmp_path: Path) -> None:
    data = tmp_path / "data"
    with KafkaCluster(data_dir=data) as cluster:
        bootstrap = cluster.bootstrap_servers
        run_script(scripts, ["kafka-console-producer", "--topic", name], bootstrap=bootstrap, text="a\nb\n")
        consume = ["kafka-console-consumer", "--topic", name, "--from-beginning", "--max-messages", "2", "--group", "g"]
        assert run_script(scripts, consume, bootstrap=bootstrap).stdout == "a\nb\n"
    log = data / f"{name}-0" / "00000000000000000000.log"
    shown = run_script(scripts, ["kafka-dump-log", "--files", str(log), "--print-data-log"]).stdout
    lines = shown.splitlines()
    assert lines[:2] == [f"Dumping {log}", "Log starting offset: 0"]
    assert re.search(
        r"baseOffset: 0 lastOffset: \d count: \d .* magic: 2 compresscodec: none crc: \d+ isvalid: true", shown
    )
    assert [line.rpartition("payload: ")[2] for line in lines if line.startswith("| offset")] == ["a", "b"]
    offsets = sorted(str(path) for path in data.glob("__consumer_offsets-*/*.log"))
    dumped = run_script(scripts, ["kafka-dump-log", "--offsets-decoder", "--files", ",".join(offsets)]).stdout
    assert f'key: {{"type":"1","data":{{"group":"g","topic":"{name}","partition":0}}}}' in dumped
    metadata = str(data / "__cluster_metadata-0" / "00000000000000000000.log")
    records = run_script(scripts, ["kafka-dump-log", "--cluster-metadata-decoder", "--files", metadata]).stdout
    assert f'"type":"TOPIC_RECORD","version":0,"data":{{"name":"{name}"' in records
    assert "isvalid: false" not in shown + dumped + records
    for suffix in ("index", "timeindex"):
        index = str(log.with_suffix(f".{suffix}"))
        assert run_script(scripts, ["kafka-dump-log", "--files", index]).returncode == 0


def test_a_torn_log_is_told(run: Run, name: str, scripts: Path, tmp_path: Path) -> None:
    torn = tmp_path / "00000000000000000000.log"
    torn.write_bytes(os.urandom(10) + b"\x01" * 90)
    done = run_script(scripts, ["kafka-dump-log", "--files", str(torn), "--deep-iteration"])
    assert done.returncode == 0
    assert "Found 100 invalid bytes at the end of 00000000000000000000.log" in done.stdout

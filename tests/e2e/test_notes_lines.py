"""Every line of the project's notes has a test that runs it: each command as it is written there, each claim by a test.

The notes are no part of this repository; their commands are, as constants of the tests that run them. This looks
whether those tests still do: a command has to be an argument of a call in its test, whole and unchanged.
"""

from __future__ import annotations

import ast
import importlib.metadata
import inspect
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import pytest

from e2e import compose, test_compose, test_guides, test_kafka_shell, test_seed_commands, test_seed_curl
from support.guides import bash_blocks

ROOT = Path(__file__).parents[2]


class Line(NamedTuple):
    """What is typed, and the test that types it."""

    command: str
    module: ModuleType
    test: str


# In the order of the notes, from the first start to the last call of the proxy.
LINES = (
    Line("docker-compose up --build", compose, "_up"),
    Line("docker-compose ps", test_compose, "test_the_notes_lines_in_the_broker"),
    Line("pip3 install kafka-shell", test_kafka_shell, "pip_installed"),
    Line(test_compose.CREATE, test_compose, "test_the_notes_lines_in_the_broker"),
    Line(test_compose.LIST, test_compose, "test_the_notes_lines_in_the_broker"),
    Line(test_compose.DESCRIBE, test_compose, "test_the_notes_lines_in_the_broker"),
    Line(test_compose.PRODUCE, test_compose, "test_the_notes_lines_in_the_broker"),
    Line(test_compose.CONSUME, test_compose, "test_the_notes_lines_in_the_broker"),
    Line(test_seed_commands.CREATE, test_seed_commands, "test_the_whole_walk"),
    Line(test_seed_commands.LIST, test_seed_commands, "test_the_whole_walk"),
    Line(test_seed_commands.DESCRIBE, test_seed_commands, "test_the_whole_walk"),
    Line(test_seed_commands.PRODUCE, test_seed_commands, "test_the_whole_walk"),
    Line(test_seed_commands.CONSUME, test_seed_commands, "test_the_whole_walk"),
    Line(test_seed_curl.LIST, test_seed_curl, "test_the_whole_walk"),
    Line(test_seed_curl.ONE, test_seed_curl, "test_the_whole_walk"),
    Line(test_seed_curl.PARTITIONS, test_seed_curl, "test_the_whole_walk"),
    Line(test_seed_curl.PRODUCE, test_seed_curl, "test_the_whole_walk"),
    Line(test_seed_curl.CREATE, test_seed_curl, "test_the_whole_walk"),
    Line(test_seed_curl.SUBSCRIBE, test_seed_curl, "test_the_whole_walk"),
    Line(test_seed_curl.CONSUME, test_seed_curl, "test_the_whole_walk"),
    Line(test_seed_curl.DELETE, test_seed_curl, "test_the_whole_walk"),
)
# What of a line no test of ours does, and why.
NOT_DONE = {
    "docker-compose up --build": "images are built by an engine, which few machines of tests have: "
    "the services of the file are started as processes instead",
    "docker-compose exec broker": "there is no container to go into: the command runs in the service's namespaces, "
    "with its variables alone",
}


def arguments(module: ModuleType, function: str) -> set[str]:
    """The texts that are arguments of its calls, whole: written there, or by the names of constants."""
    source = inspect.getsource(getattr(module, function))
    found: set[str] = set()
    for call in (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)):
        for node in call.args:
            found |= {part for each in _words(node) if isinstance(part := _text(module, each), str)}
    return found


def _words(node: ast.expr) -> list[ast.expr]:
    """Itself, or the words of a list, and what stands by itself within a text that is filled in."""
    inside = node.elts if isinstance(node, ast.List) else [node]
    filled = [part.value for each in inside if isinstance(each, ast.JoinedStr) for part in each.values
              if isinstance(part, ast.FormattedValue)]  # fmt: skip
    return [*inside, *filled]


def _text(module: ModuleType, node: ast.expr) -> object:
    if isinstance(node, ast.Name):
        return getattr(module, node.id, None)
    return node.value if isinstance(node, ast.Constant) else None


@pytest.mark.parametrize("line", LINES, ids=lambda line: f"{line.module.__name__}: {line.command[:40]}")
def test_a_line_is_run_as_it_is_written(line: Line) -> None:
    assert line.command in arguments(line.module, line.test)


def test_a_line_that_is_changed_before_it_is_run_does_not_count() -> None:
    assert test_seed_commands.PRODUCE not in arguments(test_seed_commands, "test_a_producer_makes_the_topic")
    assert test_seed_commands.LIST not in arguments(test_seed_commands, "test_a_producer_makes_the_topic")


def test_no_constant_of_these_tests_is_left_out() -> None:
    listed = {line.command for line in LINES}
    for module in (test_compose, test_seed_commands, test_seed_curl):
        constants = {name: value for name, value in vars(module).items() if name.isupper() and name[0] != "_"}
        assert {name for name, value in constants.items() if isinstance(value, str) and value not in listed} == set()


def test_what_cannot_be_done_here_belongs_to_a_line() -> None:
    for beginning in NOT_DONE:
        assert any(line.command.startswith(beginning) for line in LINES)


def test_the_shell_is_the_one_that_pip_would_install() -> None:
    version = importlib.metadata.version("kafka-shell")
    assert f"kafka-shell=={version}" in (ROOT / "requirements" / "dev.lock").read_text().splitlines()


class Claim(NamedTuple):
    """What the notes say of a cluster or a setting, and what shows it: a test, or a section of a guide that is run."""

    what: str
    test: str


CLAIMS = (
    # Topics, records, partitions
    Claim(
        "a record has an offset, a key, a value, headers and a timestamp",
        "tests/conformance/test_aiokafka.py::test_keys_values_headers_nulls_and_timestamps",
    ),
    Claim(
        "a topic is read by several consumers, again and again, from any offset",
        "tests/conformance/test_confluent_kafka.py::test_seek_beginning_end_and_middle",
    ),
    Claim(
        "records of one key stay in order in one partition",
        "tests/e2e/test_umbrella.py::test_keys_go_where_java_clients_would_put_them",
    ),
    Claim(
        "offsets are of a partition, not of a topic",
        "tests/e2e/test_umbrella.py::test_records_from_arguments_are_told_where_they_went",
    ),
    Claim(
        "a cluster's brokers share the partitions of a topic",
        "tests/e2e/test_testing_cluster.py::test_three_brokers_share_the_partitions_of_a_topic",
    ),
    Claim(
        "max(t/p, t/c) partitions for a rate, measured",
        "tests/e2e/test_umbrella.py::test_a_plan_is_measured_and_leaves_nothing_behind",
    ),
    Claim(
        "keys go elsewhere when partitions are added",
        "docs/guides/topics-and-partitions.md::Adding partitions moves keys",
    ),
    Claim(
        "partitions can be added later",
        "tests/conformance/test_confluent_kafka_admin.py::test_partitions_grow_and_never_shrink",
    ),
    # Replicas
    Claim(
        "a leader that fails is replaced by a replica in sync",
        "tests/e2e/test_testing_cluster.py::test_a_killed_leader_is_replaced_and_nothing_is_lost",
    ),
    Claim(
        "a follower that lags leaves the in-sync replicas in time",
        "tests/unit/partition/test_leader.py::test_lag_is_counted_from_the_last_time_a_follower_had_it_all",
    ),
    Claim("below min.insync.replicas the leader is read only", "tests/cluster/test_min_isr.py::test_two_brokers_down"),
    Claim(
        "with the leader only what was not committed is lost",
        "tests/cluster/test_acks.py::test_acks_all_is_not_acknowledged_there",
    ),
    Claim(
        "one controller, and another one when it fails",
        "tests/e2e/test_testing_cluster.py::test_a_killed_controller_is_replaced",
    ),
    Claim("no ZooKeeper is needed, and its name says so", "tests/e2e/test_compose.py::test_zookeeper_says_what_it_is"),
    # Files
    Claim("a segment ends by its size", "tests/unit/log/test_log.py::test_rolls_by_size"),
    Claim("a segment ends by its age", "tests/unit/log/test_log.py::test_rolls_by_the_time_between_batches"),
    Claim(
        "a segment's file has the name of its first offset, and offsets go on",
        "tests/e2e/test_retention_and_compaction.py::test_records_older_than_retention_ms_go_and_offsets_go_on",
    ),
    Claim(
        "records are found by time", "tests/conformance/test_confluent_kafka.py::test_offsets_for_times_and_watermarks"
    ),
    Claim(
        "records are on disk and outlive the broker's crash",
        "tests/cluster/test_kill_under_load.py::test_nothing_acknowledged_is_lost_doubled_or_reordered",
    ),
    Claim(
        "an access log and an error log",
        "tests/cluster/test_broker_process.py::test_access_and_error_log_are_two_files",
    ),
    # Producers
    Claim(
        "acks 0, 1 and all", "tests/conformance/test_confluent_kafka.py::test_every_acks_level_stores_records_in_order"
    ),
    Claim("acks 0 can lose what nobody answers for", "docs/guides/producers.md::What acks promise"),
    Claim(
        "acks 1 can lose what was acknowledged",
        "tests/cluster/test_acks.py::test_acks_1_loses_what_only_the_leader_had",
    ),
    Claim("acks all does not", "tests/cluster/test_acks.py::test_acks_all_survives_the_leader"),
    Claim(
        "an idempotent producer's repetition is dropped", "docs/guides/producers.md::Retries, duplicates, idempotence"
    ),
    Claim("batches and every codec", "tests/conformance/test_confluent_kafka.py::test_every_codec_comes_back_whole"),
    Claim(
        "any broker tells a client of the others",
        "tests/cluster/test_broker_addresses.py::test_each_listener_advertises_its_own_address",
    ),
    # Consumers
    Claim(
        "a group's members share the partitions",
        "tests/conformance/test_confluent_kafka_groups.py::test_each_strategy_shares_partitions_between_two",
    ),
    Claim("a member more than partitions is idle", "docs/guides/consumers.md::More consumers than partitions"),
    Claim("at most once", "docs/guides/delivery-guarantees.md::At most once: commit on receipt"),
    Claim("at least once", "docs/guides/delivery-guarantees.md::At least once: commit after the work"),
    Claim(
        "exactly once", "docs/guides/delivery-guarantees.md::Exactly once: the work and the commit in one transaction"
    ),
    Claim(
        "a group goes on where it committed",
        "tests/conformance/test_confluent_kafka_groups.py::test_a_group_continues_where_it_committed",
    ),
    # Connect
    Claim(
        "sources, sinks, transforms and converters, each from a config",
        "tests/spark/guides/test_connect_guide.py::test_every_command_of_the_guide_runs",
    ),
    Claim(
        "Avro, Protobuf, JSON and JSON Schema", "tests/unit/pipelines/formats/test_schemas.py::test_converters_by_name"
    ),
    Claim(
        "errors.tolerance none ends the task at the first bad record",
        "tests/spark/connect/test_runner_errors.py::test_without_tolerance_the_first_bad_record_stops_it_before_anything_is_delivered",
    ),
    Claim(
        "bad records go to a dead letter topic, with the error in headers",
        "tests/unit/pipelines/errors/test_dead_letters.py::test_the_headers_are_kafkas",
    ),
)


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.what)
def test_a_claim_has_its_test(claim: Claim) -> None:
    path, _, name = claim.test.partition("::")
    if path.endswith(".md"):
        section = (ROOT / path).read_text().partition(f"\n## {name}\n")[2].partition("\n## ")[0]
        assert ROOT / path in test_guides.GUIDES
        assert bash_blocks(section), claim.test
        return
    functions = [
        node
        for node in ast.walk(ast.parse((ROOT / path).read_text()))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == name
    ]
    assert len(functions) == 1, claim.test
    assert any(isinstance(node, ast.Assert | ast.Call) for node in ast.walk(functions[0]))

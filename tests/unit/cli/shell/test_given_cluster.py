"""The chosen cluster for commands that name none."""

from __future__ import annotations

from pathlib import Path

import pytest

from riacho.cli.shell.cluster_addresses import ClusterAddresses
from riacho.cli.shell.clusters import ShellCluster, ToolSettings
from riacho.cli.shell.given_cluster import environment_of, with_cluster
from riacho.cli.shell.programs import find_program

CHOSEN = ShellCluster(
    addresses=ClusterAddresses(
        name="shop", bootstrap="b:9092", schema_registry_url="http://r:8081", ksql_url="http://k:8088"
    ),
    admin=ToolSettings(Path("/admin.properties")),
    consumer=ToolSettings(Path("/consumer.properties"), {"print.key": "true"}),
)
PROFILE = ShellCluster(
    addresses=ClusterAddresses(name="kept", bootstrap="p:9092"), profile="kept", admin=ToolSettings(Path("/kept"))
)
USERS = {
    "PATH": "/bin",
    "KAFKA_BOOTSTRAP_SERVERS": "own:1",
    "RIACHO_PROFILE": "own",
    "RIACHO_CONNECT_URL": "http://own",
}


def given(line: str, cluster: ShellCluster = CHOSEN) -> tuple[list[str], dict[str, str]]:
    program = find_program(line.split())
    assert program is not None
    changed, environment = with_cluster(program, cluster, USERS)
    return list(changed.words), environment


def test_a_tool_gets_brokers_and_login() -> None:
    words, _ = given("kafka-topics --list")
    assert words == ["--bootstrap-server", "b:9092", "--command-config", "/admin.properties", "--list"]


def test_consumers_have_settings_of_their_own_and_the_line_goes_before_them() -> None:
    words, _ = given("kafka-console-consumer --topic a --formatter-property print.key=false")
    assert words[:4] == ["--bootstrap-server", "b:9092", "--command-config", "/consumer.properties"]
    assert " ".join(words[4:]) == "--formatter-property print.key=true --topic a --formatter-property print.key=false"
    words, _ = given("kafka-console-producer --topic a")
    assert words[2:] == ["--command-config", "/admin.properties", "--topic", "a"]


def test_tools_for_schemas_get_the_registry() -> None:
    words, _ = given("kafka-avro-console-consumer --topic a")
    assert "schema.registry.url=http://r:8081" in words


def test_sub_commands_of_tools() -> None:
    words, _ = given("kafka-cluster cluster-id")
    assert words == ["--bootstrap-server", "b:9092", "--command-config", "/admin.properties", "cluster-id"]


@pytest.mark.parametrize(
    "line",
    [
        "kafka-topics --help",
        "kafka-topics",
        "kafka-topics --nonsense",
        "kafka-storage random-uuid",
        "kafka-topics --version",
    ],
)
def test_lines_that_speak_with_no_cluster_stay_as_they_are(line: str) -> None:
    assert given(line)[0] == line.split()[1:]


@pytest.mark.parametrize(
    "line",
    [
        "kafka-topics --list --bootstrap-server other:1",
        "kafka-topics --list --broker-list other:1",
        "kafka-console-consumer --topic a --command-property bootstrap.servers=other:1",
        "kafka-metadata-quorum --bootstrap-controller other:1 describe --status",
        "topic list -b other:1",
        "topic list --bootstrap-server=other:1",
        "topic list --profile mine",
        "consume a -X bootstrap.servers=other:1",
    ],
)
def test_a_line_that_names_a_cluster_is_left_alone(line: str) -> None:
    words, environment = given(line)
    assert words == (line.split()[1:] if line.startswith("kafka-") else line.split())
    assert environment == USERS


def test_a_login_of_the_line_goes_to_the_chosen_brokers_without_the_chosen_login() -> None:
    for line in ("kafka-topics --list --command-config mine", "topic list --command-config mine"):
        words, environment = given(line)
        assert words[-2:] == ["--command-config", "mine"]
        assert "/admin.properties" not in [*words, *environment.values()]
        assert environment["KAFKA_BOOTSTRAP_SERVERS"] == "b:9092"
        assert "RIACHO_PROFILE" not in environment


def test_riacho_gets_brokers_by_an_option_and_login_and_services_by_the_environment() -> None:
    words, environment = given("topic list -o json")
    assert words == ["topic", "list", "--bootstrap-server", "b:9092", "-o", "json"]
    assert environment == {
        "PATH": "/bin",
        "KAFKA_BOOTSTRAP_SERVERS": "b:9092",
        "RIACHO_COMMAND_CONFIG": "/admin.properties",
        "RIACHO_SCHEMA_REGISTRY_URL": "http://r:8081",
        "RIACHO_KSQL_URL": "http://k:8088",
    }
    words, environment = given("consume a -- -b")
    assert words == ["consume", "--bootstrap-server", "b:9092", "a", "--", "-b"]
    assert environment["RIACHO_COMMAND_CONFIG"] == "/consumer.properties"


def test_commands_without_a_cluster_get_no_option() -> None:
    assert given("profile list")[0] == ["profile", "list"]
    assert given("pipeline list")[0] == ["pipeline", "list"]
    assert given("topic --help")[0] == ["topic", "--help"]


def test_a_profile_goes_by_its_name() -> None:
    words, environment = given("topic list", PROFILE)
    assert words == ["topic", "list", "--bootstrap-server", "p:9092"]
    assert environment["RIACHO_PROFILE"] == "kept"
    assert "RIACHO_COMMAND_CONFIG" not in environment
    assert given("kafka-topics --list", PROFILE)[0][2:4] == ["--command-config", "/kept"]


def test_the_usual_cluster_is_found_by_the_commands_themselves() -> None:
    usual = ShellCluster(addresses=CHOSEN.addresses, is_usual=True)
    assert given("topic list", usual) == (["topic", "list"], USERS)
    assert environment_of(usual, USERS) == USERS
    # Kafka's tools do not look for it, but have to go where the prompt says.
    assert given("kafka-topics --list", usual) == (["--bootstrap-server", "b:9092", "--list"], USERS)
    assert environment_of(usual, {"A": "1"}) == {"A": "1", "KAFKA_BOOTSTRAP_SERVERS": "b:9092"}

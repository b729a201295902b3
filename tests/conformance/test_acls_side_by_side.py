"""kafka-acls, ours and Kafka's, on one broker: the same words have to print the same lines and do the same things.

Kafka prints its entries in the order of a Java set, so lines are compared, not their order.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from conformance.acl_broker import SecuredBroker, client_properties, run_secured
from conformance.running_broker import kinds
from support.apache_kafka import available, java_tool

pytestmark = [
    pytest.mark.timeout(300),
    pytest.mark.skipif(bool(available()), reason=f"no Kafka tools: {available()}"),
]
MAIN = "from riacho.cli.kafka.acls import main; main()"
# Each is done by Kafka's tool, undone where it changes anything, and done again by ours.
STEPS = [
    ("--add --allow-principal User:bob --operation Read --operation write --topic orders", "--topic orders"),
    ("--add --allow-principal User:bob --producer --topic a --topic b --transactional-id x --idempotent", "--topic a"),
    ("--add --allow-principal User:bob --allow-host 10.0.0.1 --consumer --topic c --group g", "--topic c --group g"),
    ("--add --allow-principal User:bob --deny-principal User:eve --deny-host 10.0.0.9 --cluster", "--cluster"),
    (
        "--add --allow-principal User:bob --topic pre --resource-pattern-type prefixed",
        "--topic prefix --resource-pattern-type match",
    ),
    ("--add --allow-principal User:bob --user-principal User:x --operation CreateTokens", "--user-principal User:x"),
]
# Kafka's words, as its tool prints them.
REFUSED = {
    "--add --allow-principal User:b --topic t --resource-pattern-type match": (
        "A '--resource-pattern-type' value of 'MATCH' is not valid when adding acls."
    ),
    "--add --topic t": "You must specify one of: --allow-principal, --deny-principal when trying to add ACLs.",
    "--add --allow-principal User:b": (
        "You must provide at least one resource: --topic <topic> or --cluster or --group <group> or "
        "--delegation-token <Delegation Token ID>"
    ),
    "--add --remove --topic t": "Command must include exactly one action: --list, --add, --remove. ",
    "--add --producer --topic t --operation Read --allow-principal User:b": (
        'Option "[producer]" can\'t be used with option "[operation]"'
    ),
    "--add --producer --group g --allow-principal User:b": "With --producer you must specify a --topic",
    "--add --consumer --topic t --allow-principal User:b": (
        "With --consumer you must specify a --topic and a --group and no --cluster or --transactional-id option should "
        "be specified."
    ),
    "--add --idempotent --topic t --allow-principal User:b": (
        "The --idempotent option is only available if --producer is set"
    ),
    "--list --producer --topic t": 'Option "[list]" can\'t be used with option "[producer]"',
    "--add --principal User:b --topic t": "The --principal option is only available if --list is set",
}


class Tools:
    def __init__(self, broker: SecuredBroker) -> None:
        self._config = broker.directory / "admin.properties"
        self._config.write_text("".join(f"{name}={value}\n" for name, value in client_properties().items()))
        self._broker = broker

    def kafkas(self, words: str) -> subprocess.CompletedProcess[str]:
        return java_tool("kafka-acls", self._words(words), timeout=120)

    def ours(self, words: str, answer: str = "", *, to_controller: bool = False) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", MAIN, *self._words(words, to_controller)]
        return subprocess.run(command, input=answer, capture_output=True, text=True, check=False, timeout=60)

    def _words(self, words: str, to_controller: bool = False) -> list[str]:
        where = ["--bootstrap-server", self._broker.bootstrap]
        if to_controller:
            where = ["--bootstrap-controller", f"127.0.0.1:{self._broker.controller_port}"]
        return [*where, "--command-config", str(self._config), *words.split()]


@pytest.fixture(scope="module", params=[kind for kind in kinds() if kind != "running"])
def tools(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tools]:
    directory: Path = tmp_path_factory.mktemp(f"acls-{request.param}")
    with run_secured(request.param, directory) as broker:
        yield Tools(broker)


def lines(done: subprocess.CompletedProcess[str]) -> tuple[int, list[str]]:
    return done.returncode, sorted(line.strip() for line in done.stdout.splitlines() if line.strip())


@pytest.mark.parametrize(("add", "where"), STEPS, ids=[where for _, where in STEPS])
def test_added_listed_and_removed_by_either(tools: Tools, add: str, where: str) -> None:
    added = tools.kafkas(add)
    assert added.returncode == 0, added.stdout
    listed = lines(tools.kafkas(f"--list {where}"))
    assert lines(tools.ours(f"--list {where}")) == listed
    assert len(listed[1]) > 1
    again = lines(tools.ours(add))
    assert again[0] == 0
    assert all(line.startswith("Acl (pattern=") and line.endswith(" already exists.") for line in again[1])
    assert lines(tools.ours(add.replace("--add", "--remove --force"))) == (0, [])
    assert lines(tools.ours(f"--list {where}")) == (0, [])
    assert lines(tools.ours(add)) == lines(added)
    assert lines(tools.ours(f"--list {where}")) == listed
    assert lines(tools.kafkas(add.replace("--add", "--remove --force"))) == (0, [])
    assert lines(tools.ours(f"--list {where}")) == (0, [])


@pytest.mark.parametrize("words", REFUSED)
def test_words_that_make_no_command(tools: Tools, words: str) -> None:
    done = tools.ours(words)
    assert done.returncode == 1
    assert done.stderr.splitlines()[0] == REFUSED[words]


def test_one_principal_of_many(tools: Tools) -> None:
    assert tools.ours("--add --allow-principal User:b --allow-principal User:c --topic both").returncode == 0
    words = "--list --topic both --principal User:b --principal User:nobody"
    assert lines(tools.ours(words)) == lines(tools.kafkas(words))


def test_a_removal_is_asked_for(tools: Tools) -> None:
    assert tools.ours("--add --allow-principal User:ann --operation Read --topic asked").returncode == 0
    kept = tools.ours("--remove --topic asked", "n\n")
    pattern = "ResourcePattern(resourceType=TOPIC, name=asked, patternType=LITERAL)"
    assert kept.stdout == f"Are you sure you want to delete all ACLs for resource filter `{pattern}`? (y/n)\n"
    assert len(lines(tools.ours("--list --topic asked"))[1]) == 2
    gone = tools.ours("--remove --allow-principal User:ann --operation Read --topic asked", "y\n")
    entry = "(principal=User:ann, host=*, operation=READ, permissionType=ALLOW)"
    question = f"Are you sure you want to remove ACLs: \n \t{entry}\n from resource filter `{pattern}`? (y/n)\n"
    assert gone.stdout == question
    assert lines(tools.ours("--list --topic asked")) == (0, [])


def test_controllers_are_asked_too(tools: Tools) -> None:
    added = tools.ours("--add --allow-principal User:ann --group direct", to_controller=True)
    assert added.returncode == 0, added.stderr
    assert len(lines(tools.ours("--list --group direct", to_controller=True))[1]) == 2
    assert tools.ours("--remove --force --group direct", to_controller=True).returncode == 0


def test_what_goes_wrong_is_one_sentence(tools: Tools) -> None:
    done = tools.ours("--add --allow-principal ann --topic t")
    assert done.returncode == 1
    problem = "expected a string in format principalType:principalName but got ann"
    assert done.stderr == f"Error while executing ACL command: {problem}\n"

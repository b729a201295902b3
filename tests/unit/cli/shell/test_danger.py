"""Which commands destroy, what has to be typed, and when nothing is asked."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from riacho.cli.shell.confirmation import agreed_to, is_meant
from riacho.cli.shell.danger.danger import Danger
from riacho.cli.shell.danger.programs import danger_of
from riacho.cli.shell.danger.replaced import IsThere, Made, not_asked
from riacho.cli.shell.danger.sql import danger_of_sql
from riacho.cli.shell.programs import find_program


def danger(line: str, source: str | None = None, is_there: IsThere = not_asked) -> Danger | None:
    program = find_program(shlex.split(line))
    assert program is not None
    return danger_of(program, source, is_there)


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("topic delete orders", "orders"),
        ("riacho topic delete -b x:1 orders payments --if-exists", "orders payments"),
        ("topic add-partitions orders --to 6", "orders"),
        ("group delete billing", "billing"),
        ("user delete ana", "ana"),
        ("profile delete staging", "staging"),
        ("pipeline delete archive", "archive"),
        ("schema delete orders-value --version 2 --permanent", "orders-value"),
        ("kafka-topics --delete --topic orders", "orders"),
        ("kafka-topics.sh --topic=ord.* -delete", "ord.*"),
        ("kafka-consumer-groups --delete --group a --group b", "a b"),
        ("kafka-consumer-groups --delete --all-groups", "all"),
        ("kafka-share-groups --delete --group a", "a"),
        ("kafka-configs --alter --entity-type users --entity-name ana --delete-config SCRAM-SHA-256", "ana"),
        ("kafka-leader-election --election-type unclean --topic a --partition 0", "a"),
        ("kafka-topics --alter --topic orders --partitions 6", "orders"),
        ('ksql -e "DROP STREAM orders DELETE TOPIC;"', "orders"),
        ('riacho ksql -e "show streams;" -e "drop table if exists `T` delete topic; terminate q;"', "T"),
    ],
)
def test_what_cannot_be_undone_wants_its_name(line: str, name: str) -> None:
    found = danger(line)
    assert found is not None
    assert found.name == name
    assert all(part in found.about for part in name.split())


@pytest.mark.parametrize(
    "line",
    [
        "group reset billing --to start",
        "acl remove ana --topic orders",
        "quota unset --user ana producer_byte_rate",
        "alert delete 'Broker down'",
        "pipeline offsets lines --reset",
        """pipeline offsets lines --forget '{"filename": "a.txt"}'""",
        "down",
        "kafka-consumer-groups --reset-offsets --group a --to-earliest --all-topics --execute",
        "kafka-consumer-groups --delete-offsets --group a --topic b",
        "kafka-acls --remove --topic a",
        "kafka-configs --alter --entity-type users --entity-name ana --delete-config producer_byte_rate",
        "kafka-configs --alter --topic a --delete-config retention.ms",
        "kafka-configs --alter --topic a --add-config retention.ms=1000,segment.ms=9",
        "kafka-configs --alter --entity-type topics --entity-name a --add-config cleanup.policy=[compact,delete]",
        "kafka-configs --alter --broker-defaults --add-config log.retention.hours=1",
        "kafka-configs --alter --topic a --add-config unclean.leader.election.enable=true",
        "topic alter a --set retention.bytes=1",
        "topic alter a --unset retention.ms",
        "kafka-reassign-partitions --execute --reassignment-json-file a.json",
        "kafka-reassign-partitions --cancel --reassignment-json-file a.json",
        "kafka-delegation-tokens --expire --hmac aaaa --expiry-time-period -1",
        "kafka-features upgrade --feature metadata.version=7",
        "kafka-cluster unregister --id 3",
        "kafka-transactions abort --topic a --partition 0 --start-offset 1",
        "kafka-features downgrade --feature metadata.version=7",
        'ksql -e "DROP STREAM orders;"',
        'ksql -e "TERMINATE q;"',
        'ksql -e "TERMINATE ALL;"',
        'ksql -e "DROP CONNECTOR c;"',
    ],
)
def test_for_the_rest_y_does(line: str) -> None:
    found = danger(line)
    assert found is not None
    assert found.name is None


@pytest.mark.parametrize(
    "line",
    [
        "topic list",
        "topic delete",
        "topic delete --help",
        "topic delete orders --yes",
        "topic delete orders -y",
        "group reset billing --to start --dry-run",
        "user delete ana -y",
        "topic describe delete",
        "produce orders delete",
        "kafka-topics --list",
        "kafka-topics --delete",
        "kafka-topics --delete --help",
        "kafka-topics --delete --topic a --nonsense",
        "kafka-consumer-groups --reset-offsets --group a --to-earliest --all-topics",
        "kafka-consumer-groups --reset-offsets --group a --to-earliest --all-topics --dry-run",
        "kafka-acls --remove --topic a --force",
        "kafka-configs --alter --topic a --add-config a=b",
        "kafka-configs --alter --topic a --add-config retention.ms=-1,unclean.leader.election.enable=false",
        "kafka-configs --alter --topic a --add-config-file /nowhere",
        "kafka-configs --alter --topic a --add-config retention.ms",
        "topic alter a --set segment.ms=9",
        "profile save new -b localhost:1",
        "kafka-topics --describe --topic a --partitions 3",
        "kafka-reassign-partitions --verify --reassignment-json-file a.json",
        "kafka-reassign-partitions --generate --topics-to-move-json-file a.json --broker-list 1",
        "kafka-delegation-tokens --describe",
        "kafka-features upgrade --feature metadata.version=7 --dry-run",
        "kafka-leader-election --election-type preferred --all-topic-partitions",
        "kafka-delete-records --offset-json-file /nowhere",
        'ksql -e "SHOW STREAMS;"',
        "ksql -f /nowhere/drop.sql",
    ],
)
def test_what_destroys_nothing_or_says_yes_itself_is_not_asked_about(line: str) -> None:
    assert danger(line) is None


def test_deleting_records_wants_the_topics_of_the_file(tmp_path: Path) -> None:
    file = tmp_path / "offsets.json"
    places = [{"topic": topic, "partition": 0, "offset": 1} for topic in ("b", "a", "b")]
    file.write_text(json.dumps({"version": 1, "partitions": places}))
    found = danger(f"kafka-delete-records --offset-json-file {file}")
    assert found is not None
    assert found.name == "a b"
    file.write_text('{"partitions": 3}')
    assert danger(f"kafka-delete-records --offset-json-file {file}") is None


def test_settings_of_a_file(tmp_path: Path) -> None:
    file = tmp_path / "changes.properties"
    file.write_text("retention.ms=1000\nsegment.ms=9\n")
    found = danger(f"kafka-configs --alter --topic a --add-config-file {file}")
    assert found == Danger("Set retention.ms (records may be lost)")


def test_a_profile_that_is_there_is_not_replaced_unasked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    line = "profile save staging -b localhost:1"
    assert danger(line) is None
    kept = tmp_path / "riacho" / "profiles" / "staging.properties"
    kept.parent.mkdir(parents=True)
    kept.touch()
    assert danger(line) == Danger("Replace the profile staging and its login")


@pytest.mark.parametrize(
    ("line", "kind", "name", "about"),
    [
        ("user create ana", Made.USER, "ana", "Replace the password of ana"),
        ("user create ana --password new -b x:1", Made.USER, "ana", "Replace the password of ana"),
        ("pipeline create lines -c file=a", Made.PIPELINE, "lines", "Replace the config of the pipeline lines"),
        ("alert set Disk --above 80", Made.RULE, "Disk", "Change the rule Disk"),
        (
            "kafka-configs --alter --entity-type users --entity-name ana --add-config SCRAM-SHA-256=[password=new]",
            Made.USER,
            "ana",
            "Replace the password of ana",
        ),
        (
            "kafka-configs --alter --user ana --add-config consumer_byte_rate=9,SCRAM-SHA-512=[password=new]",
            Made.USER,
            "ana",
            "Replace the password of ana",
        ),
    ],
)
def test_what_is_there_is_not_replaced_unasked(line: str, kind: Made, name: str, about: str) -> None:
    asked: list[tuple[Made, str]] = []

    def is_there(kind: Made, name: str) -> bool:
        asked.append((kind, name))
        return True

    assert danger(line, is_there=is_there) == Danger(about)
    assert asked == [(kind, name)]
    assert danger(line, is_there=lambda kind, name: False) is None
    assert danger(line) == Danger(f"{about}, if there is one already")


def test_statements_of_scripts(tmp_path: Path) -> None:
    inner, outer, endless = (tmp_path / f"{name}.sql" for name in ("inner", "outer", "endless"))
    inner.write_text("SHOW STREAMS;\nDROP STREAM orders DELETE TOPIC;\n")
    outer.write_text(f"RUN SCRIPT '{inner}';\nterminate q;\n")
    endless.write_text(f"drop table t; run script {endless};\n")
    for found in (
        danger(f"ksql -f {outer}"),
        danger_of_sql(f"RUN SCRIPT {outer};"),
        danger("riacho ksql", str(outer)),
    ):
        assert found is not None
        assert found.name == "orders"
        assert "End the query q" in found.about
    assert danger_of_sql(f"run script '{endless}';") == Danger("Drop the table t")
    assert danger_of_sql("RUN SCRIPT '/nowhere/drop.sql';") is None
    assert danger_of_sql("RUN SCRIPT;") is None
    # Its input is not read then.
    assert danger('ksql -e "SHOW STREAMS;"', str(outer)) is None
    assert danger("topic list", str(outer)) is None


def test_statements() -> None:
    assert danger_of_sql("SELECT 1 FROM a; CREATE STREAM b AS SELECT * FROM a;") is None
    assert danger_of_sql("INSERT INTO a VALUES ('DROP STREAM b DELETE TOPIC;');") is None
    found = danger_of_sql('drop stream a delete topic; DROP STREAM IF EXISTS topic DELETE TOPIC; drop table "c";')
    assert found is not None
    assert found.name == "a topic"
    assert "table c" in found.about
    assert danger_of_sql("drop stream 'not closed") is None


def test_answers(capsys: pytest.CaptureFixture[str]) -> None:
    by_name, by_yes = Danger("Delete a", "a"), Danger("Reset a")
    asked = []

    def answering(text: str) -> bool:
        return is_meant(by_name, "prod", lambda question: asked.append(question) or text)  # type: ignore[func-returns-value]

    assert [answering(text) for text in ("a", " a ", "y", "yes", "A", "")] == [True, True, False, False, False, False]
    assert asked[0] == "Delete a on prod? This cannot be undone. Type a to go ahead: "
    assert [is_meant(by_yes, "x", lambda question, text=text: text) for text in ("y", "YES", "n", "", "a")] == [  # type: ignore[misc]
        True,
        True,
        False,
        False,
        False,
    ]
    for end in (EOFError, KeyboardInterrupt):

        def ended(question: str, end: type[BaseException] = end) -> str:
            raise end

        assert not is_meant(by_yes, "x", ended)
    assert capsys.readouterr().err.count("Nothing was done.\n") == 4 + 3 + 2


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("topic delete orders -b", "topic delete --yes orders -b"),
        ("kafka-acls --remove --topic a", "--force --remove --topic a"),
        ("kafka-topics --delete --topic a", "--delete --topic a"),
        ("down", "down"),
    ],
)
def test_a_command_that_was_agreed_to_does_not_ask_again(line: str, words: str) -> None:
    program, found = find_program(line.split()), danger(line) or Danger("", "", "--yes")
    assert program is not None
    assert " ".join(agreed_to(program, found).words) == words

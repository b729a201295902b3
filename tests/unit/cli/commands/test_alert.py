"""`riacho alert` on a control center: rules, who may change them, and a webhook."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from riacho.cli.main import cli
from riacho.testing import KafkaCluster
from support.service_process import running_service
from support.webhook_receiver import Receiver


@pytest.fixture(scope="module")
def receiver() -> Iterator[Receiver]:
    started = Receiver()
    yield started
    started.close()


@pytest.fixture(scope="module")
def broker() -> Iterator[KafkaCluster]:
    with KafkaCluster(brokers=1) as cluster:
        yield cluster


@pytest.fixture(scope="module")
def url(broker: KafkaCluster, receiver: Receiver, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    webhook = {"riacho.console.webhooks": "ops", "riacho.console.webhook.ops.url": receiver.url}
    home = tmp_path_factory.mktemp("console")
    own = {"riacho.console.dir": str(home / "kept"), **webhook}
    with running_service("control-center", broker.bootstrap_servers, home, own) as console:
        yield console.url


def alert(url: str, *words: str, password: str | None = None) -> Result:
    env = {"RIACHO_PASSWORD": password} if password is not None else {}
    return CliRunner().invoke(cli, ["alert", *words, "--console", url], env=env)


def rules(url: str) -> dict[str, dict[str, object]]:
    listed = alert(url, "list", "-o", "json")
    assert listed.exit_code == 0, listed.stderr
    return {rule["name"]: rule for rule in json.loads(listed.stdout)}


def test_the_life_of_a_rule(url: str) -> None:
    before = set(rules(url))
    made = alert(url, "set", "Billing is late", "--kind", "lag", "--above", "500", "--target", "billing*")
    assert (made.exit_code, made.stdout) == (0, "Created rule Billing is late.\n")
    changed = alert(url, "set", "Billing is late", "--for", "300", "--webhook", "ops", "--off")
    assert changed.stdout == "Changed rule Billing is late.\n"
    wanted = {"name": "Billing is late", "kind": "lag", "above": 500, "for_s": 300, "target": "billing*",
              "webhook": "ops", "is_on": False}  # fmt: skip
    assert rules(url)["Billing is late"] == wanted
    assert alert(url, "on", "Billing is late").stderr == "Billing is late is on.\n"
    assert alert(url, "set", "Billing is late", "--webhook", "").exit_code == 0
    assert rules(url)["Billing is late"] == wanted | {"is_on": True, "webhook": None}
    assert alert(url, "off", "Broker down").exit_code == 0
    assert [name for name, rule in rules(url).items() if not rule["is_on"]] == ["Broker down"]
    assert alert(url, "delete", "Billing is late", "-y").exit_code == 0
    assert set(rules(url)) == before
    assert "Nothing fires." in alert(url, "list", "--firing").stderr


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (["set", "x"], 2, "a new one needs --kind"),
        (["set", "x", "--kind", "lagg"], 2, "did you mean 'lag'?"),
        (["set", "x", "--kind", "lag", "--webhook", "nobody"], 1, "no webhook 'nobody'"),
        (["off", "Broker dwon"], 1, "did you mean 'Broker down'?"),
        (["delete", "x", "-y"], 1, "There is no rule 'x'."),
        (["test-webhook", "nobody"], 1, "no webhook of that name"),
    ],
)
def test_what_cannot_be(url: str, words: list[str], code: int, told: str) -> None:
    found = alert(url, *words)
    assert (found.exit_code, told in found.stderr) == (code, True), found.stderr


def test_a_webhook_is_tried(url: str, receiver: Receiver) -> None:
    taken = alert(url, "test-webhook", "ops")
    assert (taken.exit_code, taken.stdout) == (0, "ops took it (status 200).\n")
    receiver.statuses.append(500)
    refused = alert(url, "test-webhook", "ops")
    assert (refused.exit_code, "ops did not take it" in refused.stderr) == (1, True), refused.stderr


def test_who_may(broker: KafkaCluster, tmp_path: Path) -> None:
    users = tmp_path / "users"
    users.write_text("ann: ann-secret,admin\nvera: vera-secret,viewer\n")
    login = {"authentication.method": "BASIC", "authentication.user.file": str(users)}
    own = {"riacho.console.dir": str(tmp_path / "kept"), **login}
    with running_service("control-center", broker.bootstrap_servers, tmp_path, own) as console:
        unknown = alert(console.url, "list")
        assert (unknown.exit_code, "--user NAME" in unknown.stderr) == (1, True), unknown.stderr
        assert alert(console.url, "list", "--user", "vera", password="vera-secret").exit_code == 0
        refused = alert(console.url, "off", "Broker down", "--user", "vera", password="vera-secret")
        assert (refused.exit_code, "needs the role admin" in refused.stderr) == (1, True), refused.stderr
        assert alert(console.url, "off", "Broker down", "--user", "ann", password="ann-secret").exit_code == 0
        assert alert(console.url, "list", "--user", "ann", password="guessed").exit_code == 1


def test_a_console_that_is_not_there() -> None:
    told = alert("http://127.0.0.1:1", "list")
    assert (told.exit_code, "cannot be reached: Connection refused." in told.stderr) == (1, True), told.stderr
    assert alert("ftp://x", "list").exit_code == 2

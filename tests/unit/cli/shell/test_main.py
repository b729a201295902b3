"""From the options of `riacho shell` to its clusters and its exit code."""

from __future__ import annotations

from pathlib import Path

import click
import pytest

from riacho.cli.profiles import save_profile
from riacho.cli.shell.main import run_shell

SETTINGS = """\
cluster: b
clusters:
  a: {bootstrap_servers: "a:1"}
  b: {bootstrap_servers: "b:1"}
"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("RIACHO_PROFILE", "RIACHO_COMMAND_CONFIG"):
        monkeypatch.delenv(name, raising=False)
    for name in ("SCHEMA_REGISTRY", "CONNECT", "KSQL"):
        monkeypatch.setenv(f"RIACHO_{name}_URL", "http://127.0.0.1:1")
    monkeypatch.setenv("KAFKA_BOOTSTRAP_SERVERS", "usual:1")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("HOME", str(tmp_path))
    save_profile("kept", {"bootstrap.servers": "kept:1"})
    return tmp_path


def run(settings: Path | None, text: str, **named: str) -> int:
    given: dict[str, str | None] = {"bootstrap": None, "profile": None, "cluster": None, **named}
    return run_shell(
        bootstrap=given["bootstrap"],
        profile=given["profile"],
        cluster=given["cluster"],
        command_config=None,
        settings_path=settings,
        text=text,
    )


@pytest.mark.parametrize(
    ("named", "wanted"),
    [
        ({}, "b:1"),
        ({"cluster": "a"}, "a:1"),
        ({"cluster": "kept"}, "kept:1"),
        ({"cluster": "usual:1"}, "usual:1"),
        ({"profile": "kept"}, "kept:1"),
        ({"bootstrap": "other:1"}, "other:1"),
    ],
)
def test_which_cluster_is_chosen(
    home: Path, capfd: pytest.CaptureFixture[str], named: dict[str, str], wanted: str
) -> None:
    settings = home / "s.yaml"
    settings.write_text(SETTINGS)
    assert run(settings, "!echo $KAFKA_BOOTSTRAP_SERVERS", **named) == 0
    assert capfd.readouterr().out == f"{wanted}\n"


def test_without_settings_it_is_the_usual_one(home: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(None, "!echo $KAFKA_BOOTSTRAP_SERVERS") == 0
    assert capfd.readouterr().out == "usual:1\n"


def test_settings_that_are_named_and_not_there_are_told(home: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(home / "none.yaml", "version") == 0
    assert capfd.readouterr().err == f"There is no file {home / 'none.yaml'} yet; `save` begins it.\n"


def test_a_broken_file_is_told_and_the_shell_goes_on(home: Path, capfd: pytest.CaptureFixture[str]) -> None:
    theirs = home / ".kafka-shell" / "config.yaml"
    theirs.parent.mkdir()
    theirs.write_text("clusters: [")
    assert run(None, "!echo $KAFKA_BOOTSTRAP_SERVERS; exit 3") == 3
    out, err = capfd.readouterr()
    assert out == "usual:1\n"
    assert err.startswith(f"{theirs} cannot be used, so its settings and clusters are left out: ")
    assert err.count("\n") == 1


def test_a_cluster_nobody_knows_is_a_wrong_call(home: Path) -> None:
    with pytest.raises(click.UsageError, match=r"no cluster 'kep'; did you mean 'kept'\?"):
        run(None, "version", cluster="kep")


def test_a_profile_that_cannot_be_read_keeps_nobody_from_the_others(
    home: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    save_profile("odd", {"bootstrap.servers": "no:port:here"})
    assert run(None, "!echo $KAFKA_BOOTSTRAP_SERVERS") == 0
    out, err = capfd.readouterr()
    assert out == "usual:1\n"
    assert err == "The profile odd cannot be used: 'no:port:here' is not an address; write host:port.\n"


def test_a_login_within_an_address_is_never_shown(home: Path, capfd: pytest.CaptureFixture[str]) -> None:
    url = "http://ana:s3cret@127.0.0.1:1"
    save_profile("kept", {"bootstrap.servers": "kept:1", "ksql.url": url, "connect.url": url.partition("//")[2]})
    settings = home / "s.yaml"
    where = f"ksql_server_url: '{url}', schema_registry_url: 'ana:s3cret@127.0.0.1:1', connect_url: '{url}'"
    settings.write_text(f"clusters: {{a: {{bootstrap_servers: '127.0.0.1:1', {where}}}}}")
    lines = "cluster-describe; cluster-describe kept; profile show kept; SHOW STREAMS; schema list; pipeline list"
    assert run(settings, lines, cluster="a") == 1
    shown = "".join(capfd.readouterr())
    assert "s3cret" not in shown
    assert shown.count("127.0.0.1:1") >= 6

"""References in settings: what the providers may read, and what they say when they may not."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from riacho.base.config import ConfigError
from riacho.client.config_providers import providers_of

_CLASSES = "org.apache.kafka.common.config.provider"


def _properties(**more: str) -> dict[str, str]:
    return {
        "config.providers": "file, directory,env",
        "config.providers.file.class": f"{_CLASSES}.FileConfigProvider",
        "config.providers.directory.class": f"{_CLASSES}.DirectoryConfigProvider",
        "config.providers.env.class": f"{_CLASSES}.EnvVarConfigProvider",
        **{
            f"config.providers.{name.replace('__', '.param.').replace('_', '.')}": value for name, value in more.items()
        },
    }


def test_the_three_providers(tmp_path: Path) -> None:
    (tmp_path / "db.properties").write_text("user=ana\npassword = s3\\u0063ret\n")
    (tmp_path / "token").write_text("abc\n")
    providers = providers_of(_properties(), {"DB_HOST": "h"})
    config = {
        "url": "jdbc://${env:DB_HOST}:1/${env::DB_HOST}",
        "password": f"${{file:{tmp_path}/db.properties:password}}",
        "token": f"${{directory:{tmp_path}:token}}",
        "plain": "${vault:x:y} costs $5",
    }
    resolved, secrets = providers.resolve(config)
    assert resolved == {"url": "jdbc://h:1/h", "password": "s3cret", "token": "abc\n", "plain": "${vault:x:y} costs $5"}
    assert secrets == {"h", "s3cret", "abc\n"}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("${file:{}/a.properties:none}", "has no key 'none'"),
        ("${file:{}/none.properties:x}", "cannot be read: No such file"),
        ("${file:/etc/hosts:x}", "not under one of allowed.paths"),
        ("${file:{}/../outside:x}", "not under one of allowed.paths"),
        ("${directory:{}:../x}", "not the name of a file"),
        ("${env:HOME}", "may not be read"),
        ("${env:APP_NONE}", "is not there"),
    ],
)
def test_what_may_not_be_read(tmp_path: Path, text: str, told: str) -> None:
    (tmp_path / "a.properties").write_text("k=v\n")
    properties = _properties(
        file__allowed_paths=str(tmp_path), directory__allowed_paths=str(tmp_path), env__allowlist_pattern="APP_.*"
    )
    with pytest.raises(ConfigError, match=told):
        providers_of(properties, {"HOME": "x"}).resolve({"k": text.replace("{}", str(tmp_path))})


def test_a_provider_of_another_class_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"config.providers.v.class is 'Vault'"):
        providers_of({"config.providers": "v", "config.providers.v.class": "x.Vault"})


def test_without_providers_everything_is_plain_text() -> None:
    assert providers_of({}).resolve({"k": "${env:HOME}"}) == ({"k": "${env:HOME}"}, set())


def test_a_pipe_is_no_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    given = {
        "config.providers": "file",
        "config.providers.file.class": "org.apache.kafka.common.config.provider.FileConfigProvider",
    }
    for name in ("pipe", ""):
        with pytest.raises(ConfigError, match="is not a file"):
            providers_of(given).resolve({"a": f"${{file:{tmp_path}/{name}:key}}"})

"""Settings of a service: defaults, wrong values, names nobody knows, listeners, how others reach it."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from riacho.base.config import ConfigError, ConfigKey, ConfigType
from riacho.web.config import Settings, load_settings, service_keys
from riacho.web.listeners import Listener, advertised_url, bind, listeners_of, parse_listener

OWN = (ConfigKey("kafkastore.topic", ConfigType.STRING, "_schemas", "The topic."),)


def load(**properties: str) -> Settings:
    named = {name.replace("_", "."): value for name, value in properties.items()}
    return load_settings(service_keys(8081) + OWN, named, passed_on=("kafkastore.",))


def test_a_service_listens_on_the_loopback_address_unless_told_otherwise():
    assert listeners_of(load()) == [Listener(False, "127.0.0.1", 8081)]
    assert listeners_of(load(port="9000")) == [Listener(False, "127.0.0.1", 9000)]
    both = load(listeners="http://0.0.0.0:1,https://[::1]:2")
    assert listeners_of(both) == [Listener(False, "0.0.0.0", 1), Listener(True, "::1", 2)]


@pytest.mark.parametrize(
    "text", ["8081", "127.0.0.1:8081", "ftp://a:1", "http://a", "http://a:x", "http://a:99999", "http://a:1/b"]
)
def test_what_is_no_listener_is_one_sentence(text: str):
    with pytest.raises(ConfigError, match="is not an address; write http://host:port"):
        parse_listener(text)


def test_a_taken_port_is_one_sentence():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(ConfigError, match=rf"http://127\.0\.0\.1:{port} cannot be opened: Address already in use$"):
            bind(Listener(False, "127.0.0.1", port))


def test_a_host_that_does_not_exist_is_one_sentence():
    with pytest.raises(ConfigError, match=r"http://256\.0\.0\.1\.invalid:80 cannot be opened"):
        bind(Listener(False, "256.0.0.1.invalid", 80))


def test_port_0_becomes_a_real_one():
    bound = bind(Listener(False, "127.0.0.1", 0))
    assert bound.listener.port == bound.socket.getsockname()[1] > 0
    bound.socket.close()


def test_others_are_told_what_is_advertised_or_where_it_listens():
    at = ["http://127.0.0.1:8081"]
    assert advertised_url(load(), at) == at[0]
    assert advertised_url(load(host_name="registry"), at) == "http://registry:8081"
    assert advertised_url(load(advertised_listeners="https://sr.example:443/"), at) == "https://sr.example:443"
    assert advertised_url(load(), ["http://0.0.0.0:8081"]) == f"http://{socket.gethostname()}:8081"


def test_values_have_their_types():
    settings = load(idle_timeout_ms="5", authentication_roles="a,b", ssl_client_auth="true")
    assert settings.integer("idle.timeout.ms") == 5
    assert settings.names("authentication.roles") == ["a", "b"]
    assert settings.flag("ssl.client.auth") is True
    assert settings.text("kafkastore.topic") == "_schemas"
    assert settings.is_set("idle.timeout.ms")
    assert not settings.is_set("port")


@pytest.mark.parametrize(
    ("name", "value"),
    [("idle.timeout.ms", "soon"), ("max.concurrent.requests", "0"), ("authentication.method", "MAGIC")],
)
def test_a_wrong_value_is_told_with_the_name_of_its_setting(name: str, value: str):
    with pytest.raises(ConfigError, match=f"for configuration {name}"):
        load_settings(service_keys(8081), {name: value})


def test_unknown_settings_are_warned_about_and_others_are_not(caplog: pytest.LogCaptureFixture):
    settings = load(
        kafkastore_ssl_key_password="hidden", nonsense="hidden", thread_pool_max="9", metrics_jmx_prefix="x"
    )
    assert settings.under("kafkastore.") == {"ssl.key.password": "hidden"}
    assert [record.getMessage() for record in caplog.records] == ["unknown setting has no effect name=nonsense"]
    assert "hidden" not in repr(settings) + caplog.text


def test_secrets_may_stand_in_files_of_their_own(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "password").write_text("from-a-file")
    settings = load_settings(
        service_keys(8081),
        {
            "config.providers": "dir",
            "config.providers.dir.class": "org.apache.kafka.common.config.provider.DirectoryConfigProvider",
            "config.providers.dir.param.allowed.paths": str(tmp_path),
            "ssl.keystore.password": f"${{dir:{tmp_path}:password}}",
        },
    )
    assert settings["ssl.keystore.password"] == "from-a-file"
    assert caplog.text == ""


def test_a_secret_that_is_not_there_is_told_by_its_place(tmp_path: Path) -> None:
    properties = {
        "config.providers": "dir",
        "config.providers.dir.class": "DirectoryConfigProvider",
        "ssl.keystore.password": f"${{dir:{tmp_path}:password}}",
    }
    with pytest.raises(ConfigError, match=f"The file {tmp_path}/password cannot be read: No such file"):
        load_settings(service_keys(8081), properties)

from __future__ import annotations

from pathlib import Path

import pytest

from riacho.base.config import ConfigError
from riacho.broker import config as module
from riacho.broker.config import BrokerConfig, ListenerAddress, load_config
from riacho.metadata.settings.broker_configs import BROKER_KEYS


def test_with_no_settings_at_all() -> None:
    config = BrokerConfig()
    assert config.node_id == 1
    assert config.roles == {"broker", "controller"}
    assert config.listeners == [ListenerAddress("PLAINTEXT", "127.0.0.1", 9092, "PLAINTEXT")]
    assert config.broker_listeners == config.listeners
    assert config.controller_listeners == []
    assert config.advertised("PLAINTEXT", 9092) == ("127.0.0.1", 9092)
    assert config.get("num.partitions") == 1
    assert not config.is_set("num.partitions")
    assert config.warnings() == []


def test_kafkas_own_single_node_file() -> None:
    config = BrokerConfig(
        {
            "process.roles": "broker,controller",
            "node.id": "7",
            "controller.quorum.bootstrap.servers": "localhost:9093",
            "listeners": "PLAINTEXT://:9092,CONTROLLER://:9093",
            "inter.broker.listener.name": "PLAINTEXT",
            "advertised.listeners": "PLAINTEXT://localhost:9092,CONTROLLER://localhost:9093",
            "controller.listener.names": "CONTROLLER",
            "listener.security.protocol.map": "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,SSL:SSL",
            "log.dirs": "d1, d2",
        }
    )
    assert config.node_id == 7
    assert config.get("broker.id") == 7
    assert config.log_dirs == ["d1", "d2"]
    assert [listener.name for listener in config.broker_listeners] == ["PLAINTEXT"]
    assert [listener.port for listener in config.controller_listeners] == [9093]
    assert config.advertised("PLAINTEXT", 9092) == ("localhost", 9092)


def test_the_older_name_of_the_node_id() -> None:
    assert BrokerConfig({"broker.id": "5"}).node_id == 5
    with pytest.raises(ConfigError, match=r"node\.id is 1 but broker\.id is 2"):
        BrokerConfig({"node.id": "1", "broker.id": "2"})


def test_every_listener_has_its_own_advertised_address() -> None:
    config = BrokerConfig(
        {
            "listeners": "INSIDE://10.0.0.1:9092,outside://[::1]:0",
            "advertised.listeners": "OUTSIDE://broker.example:0",
            "listener.security.protocol.map": "INSIDE:PLAINTEXT,OUTSIDE:PLAINTEXT",
        }
    )
    assert config.listeners[1] == ListenerAddress("OUTSIDE", "::1", 0, "PLAINTEXT")
    assert config.advertised("INSIDE", 9092) == ("10.0.0.1", 9092)
    assert config.advertised("OUTSIDE", 40123) == ("broker.example", 40123)


@pytest.mark.parametrize("host", ["", "0.0.0.0", "[::]"])
def test_bound_to_every_address_it_is_told_by_name(host: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "own_host", lambda: "this-machine")
    config = BrokerConfig({"listeners": f"PLAINTEXT://{host}:9092"})
    assert config.advertised("PLAINTEXT", 9092) == ("this-machine", 9092)


@pytest.mark.parametrize(
    ("properties", "problem"),
    [
        ({"num.partitions": "many"}, "Invalid value many for configuration num.partitions: Not a number of type INT"),
        ({"listeners": "PLAINTEXT:9092"}, "listeners has 'PLAINTEXT:9092', which is not of the form NAME://host:port"),
        ({"listeners": "PLAINTEXT://h:99999"}, "which is not of the form NAME://host:port"),
        ({"listeners": "PLAINTEXT://h:1,PLAINTEXT://h:2"}, "listeners names a listener twice"),
        ({"listeners": "PLAINTEXT://h:1,SSL://h:1"}, "listeners gives two listeners the same address"),
        ({"listeners": "ODD://h:1"}, "listener ODD has no security protocol in listener.security.protocol.map"),
        ({"listener.security.protocol.map": "A:B"}, "listener.security.protocol.map gives A the unknown protocol 'B'"),
        ({"listeners": "SASL_SSL://h:1"}, "brokers would speak with each other by PLAINTEXT, and no listener does"),
        ({"listeners": "CONTROLLER://h:1"}, "listeners has no listener for clients"),
        ({"advertised.listeners": "OTHER://h:1"}, "listener OTHER has no security protocol"),
        ({"advertised.listeners": "SSL://h:1"}, "advertised.listeners has SSL, which is not in listeners"),
        ({"advertised.listeners": "PLAINTEXT://0.0.0.0:1"}, "which no client can reach"),
        ({"process.roles": "zookeeper"}, "String must be one of: broker, controller"),
        ({"process.roles": "broker"}, "controller.quorum.bootstrap.servers or .voters must say where they are"),
        ({"process.roles": "broker", "controller.quorum.voters": "1@h:1"}, "has not the role controller"),
        (
            {
                "process.roles": "broker",
                "controller.quorum.voters": "2@h:1",
                "listeners": "PLAINTEXT://h:1,CONTROLLER://h:2",
            },
            "CONTROLLER, a listener of controllers, but process.roles has no controller",
        ),
        (
            {"process.roles": "controller", "listeners": "PLAINTEXT://h:1,CONTROLLER://h:2"},
            "a node with the role controller alone serves no clients",
        ),
        ({"controller.quorum.voters": "2@h:1,3@h:2"}, "controller.quorum.voters does not name node 1"),
        ({"controller.quorum.voters": "1@h:1,1@h:2"}, "controller.quorum.voters names a node twice"),
        ({"controller.quorum.voters": "1@h:1,2@h:2"}, "the other controllers could not reach this one"),
        ({"inter.broker.listener.name": "INSIDE"}, "inter.broker.listener.name INSIDE is not among the listeners"),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(properties: dict[str, str], problem: str) -> None:
    with pytest.raises(ConfigError) as raised:
        BrokerConfig(properties)
    assert problem in str(raised.value)
    assert "\n" not in str(raised.value)


def test_unknown_properties_are_warned_about_and_kept() -> None:
    config = BrokerConfig({"log.retention.mss": "1", "listener.name.x.ssl.key.password": "p", "rsm.x": "y"})
    assert config.unknown() == ["log.retention.mss", "rsm.x"]
    assert config.warnings()[0].endswith("did you mean log.retention.ms?")
    assert config.static["rsm.x"] == "y"


@pytest.mark.parametrize(
    "name",
    [
        "alter.config.policy.class.name",
        "authorizer.class.name",
        "client.quota.callback.class",
        "create.topic.policy.class.name",
        "group.consumer.assignors",
        "group.share.assignors",
        "group.share.persister.class.name",
        "principal.builder.class",
        "replica.selector.class",
        "listener.name.x.principal.builder.class",
        "sasl.client.callback.handler.class",
        "sasl.login.callback.handler.class",
        "sasl.login.class",
        "sasl.oauthbearer.jwt.retriever.class",
        "sasl.oauthbearer.jwt.validator.class",
        "sasl.server.callback.handler.class",
        "listener.name.x.plain.sasl.server.callback.handler.class",
        "security.providers",
        "ssl.engine.factory.class",
    ],
)
def test_a_class_that_would_decide_is_refused_rather_than_passed_over(name: str) -> None:
    with pytest.raises(ConfigError, match=r"cannot be com\.example\.Own here: .* not loaded") as raised:
        BrokerConfig({name: "com.example.Own"})
    assert name.rpartition("sasl.")[2].removeprefix("listener.name.x.") in str(raised.value)


def test_classes_that_do_what_is_done_here_are_taken() -> None:
    security = "org.apache.kafka.common.security"
    properties = {
        "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
        "principal.builder.class": f"{security}.authenticator.DefaultKafkaPrincipalBuilder",
        "sasl.server.callback.handler.class": f"{security}.oauthbearer.OAuthBearerValidatorCallbackHandler",
        "sasl.login.callback.handler.class": f"{security}.oauthbearer.OAuthBearerLoginCallbackHandler",
        "sasl.oauthbearer.jwt.validator.class": f"{security}.oauthbearer.BrokerJwtValidator",
        "ssl.engine.factory.class": f"{security}.ssl.DefaultSslEngineFactory",
        "create.topic.policy.class.name": "",
        "group.consumer.assignors": "range,uniform",
        "replica.selector.class": "org.apache.kafka.common.replica.RackAwareReplicaSelector",
        "remote.log.storage.system.enable": "false",
    }
    assert BrokerConfig(properties).warnings() == []


def test_every_default_is_taken() -> None:
    defaults = {name: key.default for name, key in BROKER_KEYS.items() if key.default}
    del defaults["broker.id"]
    assert BrokerConfig(defaults).warnings() == []


def test_remote_storage_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"^remote\.log\.storage\.system\.enable cannot be true here: there is no"):
        BrokerConfig({"remote.log.storage.system.enable": "true"})


def test_asking_for_a_setting_that_does_not_exist_is_a_bug() -> None:
    with pytest.raises(AssertionError):
        BrokerConfig().get("no.such.setting")


def test_file_then_environment_then_overrides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(module.os.environ):
        if name.startswith("KAFKA_"):
            monkeypatch.delenv(name)
    path = tmp_path / "server.properties"
    path.write_text("num.partitions=2\nnum.io.threads=3\nbackground.threads=4\nodd.key=1\n")
    monkeypatch.setenv("KAFKA_NUM_IO_THREADS", "5")
    monkeypatch.setenv("KAFKA_BACKGROUND_THREADS", "6")
    config, warnings = load_config(path, {"background.threads": "7"})
    assert [config.get(f"{name}") for name in ("num.partitions", "num.io.threads", "background.threads")] == [2, 5, 7]
    assert warnings == [
        "property odd.key is not known and is ignored",
        "these properties have no effect here: background.threads, num.io.threads",
    ]
    with pytest.raises(ConfigError, match="cannot be read"):
        load_config(tmp_path / "missing")


def test_a_node_of_a_cluster() -> None:
    config = BrokerConfig(
        {
            "node.id": "2",
            "listeners": "INSIDE://127.0.0.1:9092,OUT://127.0.0.1:9094,CONTROLLER://127.0.0.1:9093",
            "listener.security.protocol.map": "INSIDE:PLAINTEXT,OUT:PLAINTEXT,CONTROLLER:PLAINTEXT",
            "inter.broker.listener.name": "INSIDE",
            "controller.quorum.voters": "1@one:9093, 2@two:9093,3@[::1]:9093",
        }
    )
    assert config.quorum_voters == [(1, "one", 9093), (2, "two", 9093), (3, "::1", 9093)]
    assert not config.is_alone
    assert config.inter_broker_listener_name == "INSIDE"
    assert [listener.name for listener in config.broker_listeners] == ["INSIDE", "OUT"]
    assert config.is_controller_listener("CONTROLLER")
    assert not config.is_controller_listener("OUT")


def test_a_quorum_of_which_this_node_is_the_only_server_is_its_own() -> None:
    """As the server.properties that Kafka ships with."""
    listeners = {"listeners": "PLAINTEXT://:9092,CONTROLLER://:9093"}
    assert BrokerConfig({**listeners, "controller.quorum.bootstrap.servers": "localhost:9093"}).is_alone
    assert not BrokerConfig({**listeners, "controller.quorum.bootstrap.servers": "localhost:9095"}).is_alone
    assert not BrokerConfig({**listeners, "controller.quorum.bootstrap.servers": "other:9093"}).is_alone

"""The clusters of the shell, and the one that is chosen."""

from __future__ import annotations

from pathlib import Path

import pytest

from riacho.cli.profiles import save_profile
from riacho.cli.shell.cluster_addresses import ClusterAddresses
from riacho.cli.shell.clusters import (
    Clusters,
    NoSuchCluster,
    ShellCluster,
    is_production,
    named_cluster,
    profile_cluster,
    usual_cluster,
)


def cluster(name: str) -> ShellCluster:
    return ShellCluster(addresses=ClusterAddresses(name=name, bootstrap=f"{name}:9092"))


def test_next_goes_round() -> None:
    clusters = Clusters([cluster("a"), cluster("b"), cluster("c")], "b")
    assert [clusters.next().name for _ in range(4)] == ["c", "a", "b", "c"]
    assert clusters.chosen.name == "c"


def test_of_two_with_a_name_the_first_counts() -> None:
    other = ShellCluster(addresses=ClusterAddresses(name="a", bootstrap="other:9092"))
    clusters = Clusters([cluster("a"), other])
    assert clusters.names == ["a"]
    assert clusters.chosen.addresses.bootstrap == "a:9092"


def test_the_usual_one_is_renewed() -> None:
    def usual(name: str) -> ShellCluster:
        return ShellCluster(addresses=ClusterAddresses(name=name, bootstrap=f"{name}:9092"), is_usual=True)

    clusters = Clusters([cluster("a"), usual("u")], "u")
    assert not clusters.renew(usual("u"))
    assert clusters.renew(usual("v"))
    assert (clusters.chosen.name, clusters.names) == ("v", ["a", "v"])
    clusters.select("a")
    assert not clusters.renew(usual("w"))
    assert (clusters.chosen.name, clusters.names) == ("a", ["a", "w"])
    # One that was named goes before.
    assert not clusters.renew(usual("a"))
    assert clusters.names == ["a"]


def test_a_name_nobody_knows_changes_nothing() -> None:
    clusters = Clusters([cluster("staging"), cluster("local")])
    with pytest.raises(NoSuchCluster, match=r"There is no cluster 'stagin'; did you mean 'staging'\?"):
        clusters.select("stagin")
    assert clusters.chosen.name == "staging"


@pytest.mark.parametrize("name", ["prod", "PROD-eu", "eu_prod", "kafka.prd.example:9092", "production", "live"])
def test_production_by_name(name: str) -> None:
    assert is_production(name)
    assert not is_production(name, "false")


@pytest.mark.parametrize("name", ["local", "product-catalogue", "reproduce", "staging", "delivery", "localhost:9092"])
def test_no_production_but_by_its_mark(name: str) -> None:
    assert not is_production(name)
    assert is_production(name, True)
    assert is_production(name, "True")


def test_a_profile_is_a_cluster(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    settings = {
        "bootstrap.servers": "b1:9092,b2",
        "sasl.jaas.config": "secret",
        "schema.registry.url": "http://r:8081",
        "ksql.url": "http://k:8088",
        "riacho.production": "true",
    }
    file = save_profile("shop", settings)
    found = profile_cluster("shop")
    assert found.addresses.bootstrap == "b1:9092,b2:9092"
    assert found.addresses.is_production
    assert (found.addresses.schema_registry_url, found.addresses.ksql_url) == ("http://r:8081", "http://k:8088")
    assert found.addresses.properties["sasl.jaas.config"] == "secret"
    assert found.consumer.config == file
    assert "secret" not in repr(found)


def test_the_usual_one_is_what_commands_find_by_themselves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KAFKA_BOOTSTRAP_SERVERS", "usual:9")
    monkeypatch.setenv("RIACHO_SCHEMA_REGISTRY_URL", "http://r:1")
    monkeypatch.setenv("RIACHO_CONNECT_URL", "http://c:1")
    monkeypatch.setenv("RIACHO_KSQL_URL", "http://k:1")
    monkeypatch.delenv("RIACHO_PROFILE", raising=False)
    addresses = usual_cluster().addresses
    assert (addresses.name, addresses.bootstrap) == ("usual:9", "usual:9")
    found = addresses.schema_registry_url, addresses.connect_url, addresses.ksql_url
    assert found == ("http://r:1", "http://c:1", "http://k:1")


def test_one_named_on_the_line(tmp_path: Path) -> None:
    file = tmp_path / "client.properties"
    file.write_text("bootstrap.servers=other:1\nclient.id=me\n")
    found = named_cluster("b:9", file)
    assert found.addresses.bootstrap == "b:9"
    assert found.addresses.properties == {"client.id": "me"}
    assert found.producer.config == file

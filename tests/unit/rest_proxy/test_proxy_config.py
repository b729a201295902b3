"""Settings under the original's names, and which endpoints they leave."""

from __future__ import annotations

import pytest

from riacho.base.config import ConfigError
from riacho.rest_proxy.config import ProxyConfig, load_proxy_settings, proxy_config
from riacho.rest_proxy.service import RestProxy


def config_of(**properties: str) -> ProxyConfig:
    return proxy_config(load_proxy_settings({name.replace("_", "."): text for name, text in properties.items()}))


def paths_of(**properties: str) -> set[str]:
    settings = load_proxy_settings({name.replace("_", "."): text for name, text in properties.items()})
    return {f"{endpoint.method} {endpoint.path}" for endpoint in RestProxy(settings).app.endpoints}


def test_without_settings_everything_is_on_loopback() -> None:
    config = config_of()
    assert config.bootstrap_servers == "127.0.0.1:9092"
    assert config.schema_registry_urls == ("http://127.0.0.1:8081",)
    assert config.port == 8082
    assert config.consumer_request_timeout_ms == 1_000
    assert config.consumer_instance_timeout_ms == 300_000


def test_prefixes_reach_the_clients_they_name() -> None:
    config = config_of(
        bootstrap_servers="a:1,b:2",
        client_metadata_max_age_ms="1000",
        producer_compression_type="lz4",
        consumer_fetch_wait_max_ms="7",
        admin_client_id="x",
        consumer_threads="3",
        consumer_request_timeout_ms="5",
        producer_threads="2",
    )
    for client in (config.producer, config.consumer, config.admin):
        assert client["bootstrap.servers"] == "a:1,b:2"
        assert client["metadata.max.age.ms"] == "1000"
        assert not {"threads", "request.timeout.ms"} & set(client)
    assert config.producer["compression.type"] == "lz4"
    assert config.consumer["fetch.wait.max.ms"] == "7"
    assert config.admin["client.id"] == "x"
    assert config.consumer_request_timeout_ms == 5


def test_a_record_that_cannot_be_delivered_is_given_up_when_the_call_is() -> None:
    assert config_of(default_api_timeout_ms="1234").producer["message.timeout.ms"] == 1234


def test_secrets_do_not_show() -> None:
    config = config_of(
        client_security_protocol="SASL_PLAINTEXT",
        client_sasl_mechanism="PLAIN",
        client_sasl_username="u",
        client_sasl_password="open-sesame",
        schema_registry_basic_auth_credentials_source="USER_INFO",
        schema_registry_basic_auth_user_info="u:open-sesame",
    )
    assert config.producer["sasl.password"] == "open-sesame"
    assert config.schema_registry_user_info == "u:open-sesame"
    assert "open-sesame" not in repr(config)


@pytest.mark.parametrize(
    "properties",
    [
        {"consumer_request_timeout_ms": "soon"},
        {"fetch_min_bytes": "10000001"},
        {"api_v3_produce_batch_maximum_entries": "51"},
        {"riacho_produce_records_max": "0"},
        {"api_v2_enable": "maybe"},
    ],
)
def test_a_value_that_cannot_be_used_is_one_sentence(properties: dict[str, str]) -> None:
    with pytest.raises(ConfigError) as told:
        config_of(**properties)
    assert "\n" not in str(told.value)


def test_an_api_can_be_switched_off() -> None:
    v2_only = paths_of(api_v3_enable="false")
    assert "POST /topics/{topic}" in v2_only
    assert not any("/v3/" in path for path in v2_only)
    v3_only = paths_of(api_v2_enable="false")
    assert "POST /topics/{topic}" not in v3_only
    assert "POST /v3/clusters/{cluster_id}/topics/{topic_name}/records" in v3_only


def test_single_endpoints_can_be_blocked_by_the_originals_names() -> None:
    everything = paths_of()
    blocked = everything - paths_of(api_endpoints_blocklist="api.v3.acls.*, api.v3.topics.delete")
    acls = {path for path in everything if "/acls" in path}
    assert acls
    assert blocked == acls | {"DELETE /v3/clusters/{cluster_id}/topics/{topic_name}"}


def test_an_endpoint_can_be_blocked_by_its_path() -> None:
    assert paths_of() - paths_of(api_endpoints_blocklist="POST /topics/{topic}") == {"POST /topics/{topic}"}


def test_only_what_is_allowed_is_served() -> None:
    served = paths_of(api_endpoints_allowlist="api.v3.produce.produce-to-topic,api.v2.produce-to-topic.*")
    own = {path for path in served if path.startswith("POST")}
    assert own == {"POST /topics/{topic}", "POST /v3/clusters/{cluster_id}/topics/{topic_name}/records"}
    assert "GET /topics" not in served


def test_calls_of_peers_take_no_threads_from_those_of_the_registry() -> None:
    proxy = RestProxy(load_proxy_settings({"riacho.peers": "http://127.0.0.1:1"})).proxy
    assert proxy.peers._upstream is not proxy.upstream


def test_consumer_instances_are_few_enough_for_a_machine() -> None:
    assert config_of().consumers_max == 200

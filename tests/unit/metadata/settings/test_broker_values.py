from __future__ import annotations

from riacho.metadata.image.config_resource import ConfigSource
from riacho.metadata.settings.broker_values import BrokerValues


def test_layers_rule_in_kafkas_order() -> None:
    layers = [{"num.io.threads": "2"}, {"num.io.threads": "3"}, {"num.io.threads": "4"}]
    assert BrokerValues({}).get("num.io.threads") == 8
    assert BrokerValues(layers[0]).get("num.io.threads") == 2
    assert BrokerValues(layers[0], layers[1]).get("num.io.threads") == 3
    values = BrokerValues(*layers)
    assert values.get("num.io.threads") == 4
    assert list(values.texts("num.io.threads")) == [
        ("4", ConfigSource.DYNAMIC_BROKER_CONFIG),
        ("3", ConfigSource.DYNAMIC_DEFAULT_BROKER_CONFIG),
        ("2", ConfigSource.STATIC_BROKER_CONFIG),
        ("8", ConfigSource.DEFAULT_CONFIG),
    ]


def test_a_bad_dynamic_value_gives_way_to_the_next_layer() -> None:
    assert BrokerValues({"num.io.threads": "2"}, {"num.io.threads": "none"}).get("num.io.threads") == 2


def test_settings_without_a_default_and_unknown_ones() -> None:
    values = BrokerValues({"my.plugin.key": "x"})
    assert values.get("log.retention.ms") is None
    assert values.get("my.plugin.key") == "x"
    assert values.is_set("my.plugin.key")
    assert not values.is_set("num.io.threads")


def test_typed_access() -> None:
    values = BrokerValues({})
    assert values.integer("num.partitions") == 1
    assert values.flag("delete.topic.enable") is True

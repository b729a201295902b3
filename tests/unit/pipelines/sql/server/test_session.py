"""What a request may set, and what only the operator may."""

from __future__ import annotations

import pytest

from riacho.base.config import ConfigError
from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.server.config import load_server_settings
from riacho.pipelines.sql.server.session import Session, is_settable


@pytest.mark.parametrize(
    "name",
    [
        "bootstrap.servers", "ksql.streams.bootstrap.servers", "ksql.extension.modules", "ksql.extension.dir",
        "sasl.jaas.config", "sasl.mechanism", "security.protocol", "ssl.truststore.location",
        "ksql.streams.sasl.jaas.config", "spark.master", "spark.jars", "spark.driver.extraJavaOptions",
        "ksql.schema.registry.url", "ksql.schema.registry.basic.auth.user.info", "ksql.connect.url", "ksql.state.dir",
        "ksql.checkpoint.location", "ksql.service.id", "ksql.queries.file", "ksql.properties.overrides.denylist",
        "riacho.runner.command", "listeners", "authentication.method", "ksql.max.push.queries", "nonsense", "",
    ],
)  # fmt: skip
def test_only_the_operator_sets_it(name: str) -> None:
    assert not is_settable(name)
    with pytest.raises(KsqlError, match="Cannot override property"):
        Session.of({name: "x"}, {})
    with pytest.raises(KsqlError, match="Cannot override property"):
        Session().set(name, "x")


@pytest.mark.parametrize("name", ["auto.offset.reset", "ksql.streams.auto.offset.reset"])
def test_a_request_sets_it_to_what_it_can_be(name: str) -> None:
    assert Session.of({name: "earliest"}, {}).properties == {name: "earliest"}
    with pytest.raises(KsqlError, match=f"Invalid value sideways for configuration {name}"):
        Session.of({name: "sideways"}, {})


def test_what_works_in_one_way_only_is_refused_otherwise() -> None:
    name = "ksql.cast.strings.preserve.nulls"
    assert Session.of({name: "TRUE"}, {}).properties == {name: "TRUE"}
    for given in (name, f"ksql.streams.{name}"):
        with pytest.raises(KsqlError, match=f"^{name} can only be true: null cast to STRING is null here"):
            Session().set(given, "false")
    with pytest.raises(ConfigError, match=f"^{name} can only be true"):
        load_server_settings({"bootstrap.servers": "localhost:9092", name: "false"})
    with pytest.raises(KsqlError, match=r"Invalid value maybe for configuration ksql\.timestamp\.throw\.on\.invalid"):
        Session().set("ksql.timestamp.throw.on.invalid", "maybe")


def test_the_operator_may_withdraw_a_property() -> None:
    denied = frozenset({"auto.offset.reset"})
    for name in ("auto.offset.reset", "ksql.streams.auto.offset.reset"):
        assert not is_settable(name, denied)
        with pytest.raises(KsqlError, match=r"prohibited by the KSQL server .*auto.offset.reset"):
            Session.of({name: "earliest"}, {}, denied)

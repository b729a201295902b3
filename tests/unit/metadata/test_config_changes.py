from __future__ import annotations

import pytest

from riacho.base.errors import ErrorCode
from riacho.metadata.config_changes import Operation
from riacho.metadata.image.config_resource import ResourceType
from riacho.wire.messages import alter_configs_request as alter
from riacho.wire.messages import incremental_alter_configs_request as incremental
from riacho.wire.messages.config_record import ConfigRecord
from support.metadata_world import MetadataWorld, topic

TOPIC, BROKER, GROUP, METRICS = ResourceType.TOPIC, ResourceType.BROKER, ResourceType.GROUP, ResourceType.CLIENT_METRICS
SET, DELETE, APPEND, SUBTRACT = Operation.SET, Operation.DELETE, Operation.APPEND, Operation.SUBTRACT

# What a cluster starts with (KIP-966).
FRESH = {(BROKER, ""): {"min.insync.replicas": "1"}}

Told = tuple[int, str | None]


def change(
    world: MetadataWorld, kind: int, name: str, *changes: tuple[str, int, str | None], validate_only: bool = False
) -> Told:
    configs = [
        incremental.AlterableConfig(name=key, config_operation=operation, value=value)
        for key, operation, value in changes
    ]
    resource = incremental.AlterConfigsResource(resource_type=kind, resource_name=name, configs=configs)
    request = incremental.IncrementalAlterConfigsRequest(resources=[resource], validate_only=validate_only)
    (response,) = world.submit(world.controller.incremental_alter_configs(request)).responses
    assert (response.resource_type, response.resource_name) == (kind, name)
    return response.error_code, response.error_message


def replace(world: MetadataWorld, kind: int, name: str, entries: dict[str, str | None]) -> Told:
    configs = [alter.AlterableConfig(name=key, value=value) for key, value in entries.items()]
    resource = alter.AlterConfigsResource(resource_type=kind, resource_name=name, configs=configs)
    request = alter.AlterConfigsRequest(resources=[resource])
    (response,) = world.submit(world.controller.alter_configs(request)).responses
    return response.error_code, response.error_message


@pytest.fixture
def world() -> MetadataWorld:
    world = MetadataWorld()
    world.create(topic("a"))
    return world


def test_set_and_delete(world: MetadataWorld) -> None:
    assert change(world, TOPIC, "a", ("retention.ms", SET, "5"), ("segment.ms", SET, "6")) == (0, None)
    assert world.image.overrides(TOPIC, "a") == {"retention.ms": "5", "segment.ms": "6"}
    assert change(world, TOPIC, "a", ("retention.ms", DELETE, None), ("bogus", DELETE, None)) == (0, None)
    assert world.image.overrides(TOPIC, "a") == {"segment.ms": "6"}


def test_append_and_subtract_start_from_the_default(world: MetadataWorld) -> None:
    assert change(world, TOPIC, "a", ("cleanup.policy", APPEND, "compact,delete")) == (0, None)
    assert world.image.overrides(TOPIC, "a") == {"cleanup.policy": "delete,compact"}
    change(world, TOPIC, "a", ("cleanup.policy", SUBTRACT, "delete"))
    assert world.image.overrides(TOPIC, "a") == {"cleanup.policy": "compact"}
    change(world, TOPIC, "a", ("cleanup.policy", SUBTRACT, "compact"))
    assert world.image.overrides(TOPIC, "a") == {"cleanup.policy": ""}


def test_an_append_that_adds_nothing_leaves_the_default(world: MetadataWorld) -> None:
    assert change(world, TOPIC, "a", ("cleanup.policy", APPEND, "delete")) == (0, None)
    assert world.image.overrides(TOPIC, "a") == {}


def test_only_what_differs_is_recorded(world: MetadataWorld) -> None:
    change(world, TOPIC, "a", ("retention.ms", SET, "5"))
    count = len(world.records)
    change(world, TOPIC, "a", ("retention.ms", SET, "5"))
    assert len(world.records) == count


def test_validate_only_checks_and_changes_nothing(world: MetadataWorld) -> None:
    assert change(world, TOPIC, "a", ("retention.ms", SET, "5"), validate_only=True) == (0, None)
    assert change(world, TOPIC, "a", ("retention.ms", SET, "x"), validate_only=True)[0] == ErrorCode.INVALID_CONFIG
    assert world.image.overrides(TOPIC, "a") == {}


@pytest.mark.parametrize(
    ("name", "changes", "code", "message"),
    [
        ("b", [("retention.ms", SET, "5")], 3, "The topic 'b' does not exist."),
        ("", [("retention.ms", SET, "5")], 42, "Default topic resources are not allowed."),
        ("..", [("retention.ms", SET, "5")], 17, "Topic name is invalid: '..' is not allowed"),
        ("a", [("bogus", SET, "5")], 40, "Unknown topic config name: bogus"),
        ("a", [("retention.ms", SET, None)], 42, "Null value not supported for : retention.ms"),
        ("a", [("retention.ms", APPEND, "5")], 40, "Can't APPEND to key retention.ms because its type is not LIST."),
        ("a", [("retention.ms", 9, "5")], 42, "Unknown operation 9 on retention.ms"),
        ("a", [("retention.ms", SET, "5"), ("retention.ms", DELETE, None)], 42, "Error due to duplicate config keys"),
        (
            "a",
            [("segment.ms", SET, "7"), ("retention.ms", SET, "-5")],
            40,
            "Invalid value -5 for configuration retention.ms: Value must be at least -1",
        ),
    ],
)
def test_topics_refuse(
    world: MetadataWorld, name: str, changes: list[tuple[str, int, str | None]], code: int, message: str
) -> None:
    assert change(world, TOPIC, name, *changes) == (code, message)
    assert world.image.configs == FRESH


@pytest.mark.parametrize(
    ("name", "key", "value", "message"),
    [
        ("1", "num.partitions", "5", "Cannot update these configs dynamically: [num.partitions]"),
        ("", "log.retention.hours", "5", "Cannot update these configs dynamically: [log.retention.hours]"),
        (
            "1",
            "ssl.keystore.location",
            "f",
            "These security configs can be dynamically updated only per-listener using the listener prefix: "
            "[ssl.keystore.location]",
        ),
        (
            "",
            "listener.name.x.ssl.keystore.location",
            "f",
            "Cannot update these configs at default cluster level, broker id must be specified: "
            "[listener.name.x.ssl.keystore.location]",
        ),
        ("", "num.io.threads", "0", "Invalid value 0 for configuration num.io.threads: Value must be at least 1"),
        ("x", "num.io.threads", "5", "Node id must be an integer, but it is: x"),
        ("2", "num.io.threads", "5", "Unexpected broker id, expected 1, but received 2"),
    ],
)
def test_brokers_refuse(world: MetadataWorld, name: str, key: str, value: str, message: str) -> None:
    assert change(world, BROKER, name, (key, SET, value)) == (ErrorCode.INVALID_REQUEST, message)


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("", "num.io.threads"),
        ("1", "num.io.threads"),
        ("", "leader.replication.throttled.rate"),
        ("1", "listener.name.x.ssl.keystore.location"),
        ("", "some.plugin.key"),
    ],
)
def test_brokers_take(world: MetadataWorld, name: str, key: str) -> None:
    assert change(world, BROKER, name, (key, SET, "5")) == (0, None)
    assert world.image.overrides(BROKER, name) == {key: "5"} | FRESH.get((BROKER, name), {})


def test_a_read_only_setting_can_be_taken_away(world: MetadataWorld) -> None:
    assert change(world, BROKER, "1", ("num.partitions", DELETE, None)) == (0, None)


@pytest.mark.parametrize(
    ("key", "value", "told"),
    [
        ("consumer.session.timeout.ms", "46000", (0, None)),
        (
            "consumer.session.timeout.ms",
            "1",
            (40, "consumer.session.timeout.ms must be greater than or equal to group.consumer.min.session.timeout.ms"),
        ),
        (
            "share.delivery.count.limit",
            "11",
            (40, "share.delivery.count.limit must be less than or equal to group.share.max.delivery.count.limit"),
        ),
        ("share.session.timeout.ms", "45000", (0, None)),
        (
            "streams.num.standby.replicas",
            "3",
            (40, "streams.num.standby.replicas must be less than or equal to group.streams.max.standby.replicas"),
        ),
        ("bogus", "1", (40, "Unknown group config name: bogus")),
    ],
)
def test_groups(world: MetadataWorld, key: str, value: str, told: Told) -> None:
    assert change(world, GROUP, "g", (key, SET, value)) == told


@pytest.mark.parametrize("kind", ["consumer", "share", "streams"])
def test_a_group_s_session_must_be_longer_than_its_heartbeat_interval(kind: str) -> None:
    world = MetadataWorld(static={f"group.{kind}.min.session.timeout.ms": "3000"})
    session, heartbeat = (f"{kind}.session.timeout.ms", SET, "6000"), (f"{kind}.heartbeat.interval.ms", SET, "6000")
    assert change(world, GROUP, "g", session, heartbeat) == (
        ErrorCode.INVALID_CONFIG,
        f"{kind}.session.timeout.ms must be greater than {kind}.heartbeat.interval.ms",
    )


@pytest.mark.parametrize(
    ("key", "value", "told"),
    [
        ("interval.ms", "1000", (0, None)),
        ("match", "client_id=x.*,client_source_port=1", (0, None)),
        (
            "interval.ms",
            "1",
            (42, "Invalid value 1 for interval.ms, interval must be between 100 and 3600000 (1 hour)"),
        ),
        ("match", "zz=x", (40, "Illegal client matching pattern: zz=x")),
        ("match", "client_id=[", (40, "Illegal client matching pattern: client_id=[")),
        ("bogus", "1", (42, "Unknown client metrics configuration: bogus")),
    ],
)
def test_client_metrics(world: MetadataWorld, key: str, value: str, told: Told) -> None:
    assert change(world, METRICS, "m", (key, SET, value)) == told


def test_resources_without_a_name_or_of_no_known_kind(world: MetadataWorld) -> None:
    assert change(world, GROUP, "", ("consumer.session.timeout.ms", SET, "46000")) == (
        42,
        "Default group resources are not allowed.",
    )
    assert change(world, METRICS, "", ("metrics", SET, "x")) == (42, "Subscription name can't be empty")
    assert change(world, 77, "x", ("a", SET, "b")) == (42, "Unknown resource type 77")
    assert change(world, ResourceType.BROKER_LOGGER, "1", ("kafka", SET, "INFO")) == (42, "Unknown resource type 8")


def test_a_resource_twice_in_a_request_stays(world: MetadataWorld) -> None:
    resource = incremental.AlterConfigsResource(
        resource_type=TOPIC, resource_name="a", configs=[incremental.AlterableConfig(name="retention.ms", value="5")]
    )
    request = incremental.IncrementalAlterConfigsRequest(resources=[resource, resource])
    told = world.submit(world.controller.incremental_alter_configs(request)).responses
    assert [(each.error_code, each.error_message) for each in told] == [
        (42, "Each resource must appear at most once.")
    ] * 2
    assert world.image.configs == FRESH


def test_one_refused_resource_does_not_touch_the_others(world: MetadataWorld) -> None:
    configs = [incremental.AlterableConfig(name="retention.ms", value="5")]
    request = incremental.IncrementalAlterConfigsRequest(
        resources=[
            incremental.AlterConfigsResource(resource_type=TOPIC, resource_name=name, configs=configs)
            for name in ("b", "a")
        ]
    )
    told = world.submit(world.controller.incremental_alter_configs(request)).responses
    assert [each.error_code for each in told] == [ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, ErrorCode.NONE]
    assert world.image.overrides(TOPIC, "a") == {"retention.ms": "5"}


def test_alter_configs_takes_away_what_it_does_not_name(world: MetadataWorld) -> None:
    assert replace(world, TOPIC, "a", {"retention.ms": "5", "segment.ms": "6"}) == (0, None)
    assert replace(world, TOPIC, "a", {"segment.ms": "7"}) == (0, None)
    assert world.image.overrides(TOPIC, "a") == {"segment.ms": "7"}
    assert replace(world, TOPIC, "a", {"segment.ms": None})[0] == ErrorCode.INVALID_REQUEST
    assert replace(world, ResourceType.BROKER_LOGGER, "1", {"x": "y"}) == (42, "Unknown resource type 8")
    assert replace(world, TOPIC, "a", {}) == (0, None)
    assert world.image.configs == FRESH


@pytest.mark.parametrize(
    ("name", "key"),
    [("1", "principal.builder.class"), ("1", "listener.name.x.ssl.engine.factory.class")],
)
def test_a_class_that_would_decide_is_refused(world: MetadataWorld, name: str, key: str) -> None:
    code, message = change(world, BROKER, name, (key, SET, "com.example.Own"))
    assert code == ErrorCode.INVALID_CONFIG
    assert message is not None
    assert "cannot be com.example.Own here" in message
    assert replace(world, BROKER, name, {key: "com.example.Own"})[0] == ErrorCode.INVALID_CONFIG
    assert world.image.overrides(BROKER, name) == {}


def test_what_another_kind_of_controller_took_does_not_keep_the_rest_from_changing(world: MetadataWorld) -> None:
    key, own, other = "principal.builder.class", "com.example.Own", "com.example.Other"
    world.take([ConfigRecord(resource_type=BROKER, resource_name="1", name=key, value=own)])
    assert change(world, BROKER, "1", ("num.io.threads", SET, "16")) == (0, None)
    assert replace(world, BROKER, "1", {key: own, "num.io.threads": "8"}) == (0, None)
    assert change(world, BROKER, "1", (key, SET, other))[0] == ErrorCode.INVALID_CONFIG
    assert world.image.overrides(BROKER, "1") == {key: own, "num.io.threads": "8"}
    assert change(world, BROKER, "1", (key, DELETE, None)) == (0, None)


def test_settings_without_effect_are_taken_as_kafka_takes_them(world: MetadataWorld) -> None:
    assert change(world, BROKER, "1", ("num.io.threads", SET, "16")) == (0, None)
    assert change(world, TOPIC, "a", ("preallocate", SET, "true")) == (0, None)

"""The authorizer that a node's settings ask for, and how it keeps up with the metadata."""

from __future__ import annotations

import pytest

from riacho.base.acl import AclBinding, AclOperation, AclPermission, AclResourceType, PatternType
from riacho.base.config import ConfigError
from riacho.base.errors import ErrorCode, KafkaError
from riacho.broker.access.authorization import authorizer_of, follow_acls
from riacho.broker.access.authorized_operations import NOT_ASKED, authorized_operations, cluster_operations
from riacho.broker.access.config_rights import check_config_right
from riacho.broker.config import BrokerConfig
from riacho.broker.quorum.metadata_cache import MetadataCache
from riacho.broker.requests.request_context import RequestContext
from riacho.metadata.image.acl_records import acl_record
from riacho.metadata.image.config_resource import ResourceType
from riacho.metadata.image.image import MetadataImage
from riacho.metadata.image.topics import Topic
from riacho.metadata.settings.broker_keys.security import STANDARD_AUTHORIZER
from riacho.security.standard_authorizer import StandardAuthorizer
from support.broker_fakes import FakeBroker

READ, WRITE, DESCRIBE = AclOperation.READ, AclOperation.WRITE, AclOperation.DESCRIBE
TOPIC, GROUP = AclResourceType.TOPIC, AclResourceType.GROUP
ORDERS = AclBinding(TOPIC, "orders", PatternType.LITERAL, "User:ann", "*", WRITE, AclPermission.ALLOW)


def made(**properties: str) -> StandardAuthorizer | None:
    named = {name.replace("_", "."): value for name, value in properties.items()}
    return authorizer_of(BrokerConfig(named))


def test_without_a_class_everybody_may_do_everything() -> None:
    assert made() is None
    assert made(authorizer_class_name=" ") is None


def test_another_class_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"set org\.apache\.kafka\.metadata\.authorizer\.StandardAuthorizer"):
        made(authorizer_class_name="kafka.security.authorizer.AclAuthorizer")


def test_its_settings() -> None:
    authorizer = made(
        authorizer_class_name=STANDARD_AUTHORIZER,
        super_users="User:root; User:CN=broker,O=riacho ;",
        allow_everyone_if_no_acl_found="TRUE",
    )
    assert authorizer is not None
    assert authorizer.super_users == {"User:root", "User:CN=broker,O=riacho"}
    authorizer.load({})
    assert authorizer.allows("User:bob", "h", READ, TOPIC, "t")


def test_its_settings_are_known() -> None:
    config = BrokerConfig({"super.users": "User:a", "allow.everyone.if.no.acl.found": "true"})
    assert config.warnings() == []


@pytest.mark.parametrize("text", ["root", "User:a;root", ":root"])
def test_a_super_user_has_a_type(text: str) -> None:
    with pytest.raises(ConfigError, match="principalType:principalName"):
        made(authorizer_class_name=STANDARD_AUTHORIZER, super_users=text)


def test_it_follows_the_metadata() -> None:
    image = MetadataImage()
    metadata = MetadataCache(BrokerConfig(), image)
    authorizer = StandardAuthorizer()
    follow_acls(authorizer, metadata)
    with pytest.raises(KafkaError):
        authorizer.allows("User:ann", "h", WRITE, TOPIC, "orders")
    metadata.publish(image)
    assert not authorizer.allows("User:ann", "h", WRITE, TOPIC, "orders")
    with_acl = image.apply([acl_record(b"\1" * 16, ORDERS)])
    metadata.publish(with_acl)
    assert authorizer.allows("User:ann", "h", WRITE, TOPIC, "orders")


def context(*acls: AclBinding, authorizer: StandardAuthorizer | None = None) -> RequestContext:
    if authorizer is None:
        authorizer = StandardAuthorizer()
        authorizer.load({bytes([at]): acl for at, acl in enumerate(acls)})
    broker = FakeBroker()
    topics = {b"\7" * 16: Topic("orders", b"\7" * 16)}
    broker.authorizer, broker.metadata = authorizer, MetadataCache(broker.config, MetadataImage(topics_by_id=topics))
    found = broker.new_context("CLIENTS", "h")
    found.principal = "User:ann"
    return found


def test_topics_by_name_and_by_id() -> None:
    ctx = context(ORDERS)
    assert ctx.allows_topic(WRITE, "orders")
    assert ctx.allows_topic(WRITE, b"\7" * 16)
    assert not ctx.allows_topic(READ, b"\7" * 16)
    # Nothing is there, so there is nothing to hide.
    assert ctx.allows_topic(READ, b"\1" * 16)
    assert ctx.denials == [(READ, TOPIC, "orders")]


def test_the_cluster_and_groups_are_checked() -> None:
    ctx = context()
    with pytest.raises(KafkaError, match="needs ALTER permission") as error:
        ctx.check_cluster(AclOperation.ALTER)
    assert error.value.code is ErrorCode.CLUSTER_AUTHORIZATION_FAILED
    with pytest.raises(KafkaError) as error:
        ctx.check_group(READ, "g")
    assert error.value.code is ErrorCode.GROUP_AUTHORIZATION_FAILED


def test_a_node_may_ask_itself() -> None:
    ctx = context()
    ctx.is_own = True
    ctx.check_cluster(AclOperation.ALTER)
    assert ctx.allows_any(WRITE, TOPIC)
    assert ctx.denials == []


def test_operations_as_bits() -> None:
    ctx = context(ORDERS)
    assert authorized_operations(ctx, TOPIC, "orders") == 1 << WRITE | 1 << DESCRIBE
    assert cluster_operations(ctx) == 0
    ctx.authorizer = None
    assert authorized_operations(ctx, TOPIC, "orders") == 0b1101_1111_1000
    assert authorized_operations(ctx, GROUP, "g") == 1 << 3 | 1 << 6 | 1 << 8 | 1 << 10 | 1 << 11
    assert cluster_operations(ctx) == 0b1_1111_1010_0000
    assert NOT_ASKED == -(2**31)


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        (ResourceType.TOPIC, ErrorCode.TOPIC_AUTHORIZATION_FAILED),
        (ResourceType.GROUP, ErrorCode.GROUP_AUTHORIZATION_FAILED),
        (ResourceType.BROKER, ErrorCode.CLUSTER_AUTHORIZATION_FAILED),
        (ResourceType.BROKER_LOGGER, ErrorCode.CLUSTER_AUTHORIZATION_FAILED),
        (ResourceType.CLIENT_METRICS, ErrorCode.CLUSTER_AUTHORIZATION_FAILED),
    ],
)
def test_settings_belong_to_their_resource(kind: ResourceType, code: ErrorCode) -> None:
    with pytest.raises(KafkaError) as error:
        check_config_right(context(), AclOperation.DESCRIBE_CONFIGS, kind, "x")
    assert error.value.code is code
    # What nobody knows is refused for that, not for a lack of rights.
    check_config_right(context(), AclOperation.DESCRIBE_CONFIGS, 99, "x")

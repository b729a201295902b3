"""A request is the client's: the audit log and error answers tell what was asked, so handlers do not change it."""

from __future__ import annotations

import ast
from copy import deepcopy
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from riacho.base.acl import AclBinding, AclOperation, AclPermission, AclResourceType, PatternType
from riacho.base.errors import ErrorCode
from riacho.broker import handlers
from riacho.broker.handlers import (
    alter_configs,
    create_partitions,
    create_topics,
    delete_topics,
    fetch,
    incremental_alter_configs,
)
from riacho.metadata.image.config_resource import ResourceType
from riacho.metadata.image.image import MetadataImage
from riacho.security.standard_authorizer import StandardAuthorizer
from riacho.wire.messages import alter_configs_request, incremental_alter_configs_request
from riacho.wire.messages.create_partitions_request import CreatePartitionsRequest, CreatePartitionsTopic
from riacho.wire.messages.create_topics_request import CreateTopicsRequest
from riacho.wire.messages.delete_topics_request import DeleteTopicsRequest, DeleteTopicState
from riacho.wire.messages.fetch_request import FetchRequest
from riacho.wire.schema import Message
from support.metadata_broker import Context, MetadataBroker, run
from support.metadata_world import topic
from support.replication_world import Node, VirtualClock

ASKED = ("mine", "secret")


def _authorizer() -> StandardAuthorizer:
    """Whoever asks may do anything with the one topic, and with nothing else."""
    made = StandardAuthorizer()
    anything = AclBinding(
        AclResourceType.TOPIC, "mine", PatternType.LITERAL, "User:*", "*", AclOperation.ALL, AclPermission.ALLOW
    )
    made.load({bytes(16): anything})
    return made


def _alter(messages: Any, name: str) -> Any:
    resources = [messages.AlterConfigsResource(resource_type=ResourceType.TOPIC, resource_name=each) for each in ASKED]
    return getattr(messages, name)(resources=resources)


@pytest.mark.parametrize(
    ("handler", "version", "request_"),
    [
        (create_topics, 7, CreateTopicsRequest(topics=[topic(name, 1) for name in ASKED])),
        (
            create_partitions,
            3,
            CreatePartitionsRequest(topics=[CreatePartitionsTopic(name=name, count=2) for name in ASKED]),
        ),
        (delete_topics, 6, DeleteTopicsRequest(topics=[DeleteTopicState(name=name) for name in ASKED])),
        (delete_topics, 5, DeleteTopicsRequest(topic_names=list(ASKED))),
        (alter_configs, 2, _alter(alter_configs_request, "AlterConfigsRequest")),
        (
            incremental_alter_configs,
            1,
            _alter(incremental_alter_configs_request, "IncrementalAlterConfigsRequest"),
        ),
    ],
    ids=lambda each: each.__name__.rpartition(".")[2] if isinstance(each, ModuleType) else "",
)
def test_what_was_denied_is_still_asked_for(
    tmp_path: Path, handler: ModuleType, version: int, request_: Message
) -> None:
    broker = MetadataBroker(tmp_path)
    before = deepcopy(request_)
    broker.authorizer = _authorizer()
    response = run(handler.handle(Context(broker, version), request_))
    assert str(int(ErrorCode.TOPIC_AUTHORIZATION_FAILED)) in repr(response)
    assert request_ == before


def test_a_quota_bounds_what_a_fetch_waits_for(tmp_path: Path) -> None:
    node = Node(tmp_path, 1, VirtualClock())
    node.broker.quotas.set_limits(MetadataImage(client_quotas={(("user", None),): {"consumer_byte_rate": 100.0}}))
    request = FetchRequest(max_wait_ms=0, min_bytes=5_000, max_bytes=1 << 20)
    ctx = node.broker.context(12)
    source = node.broker.fetch_source
    scope = source.sessions.open(request, 12, 0)
    reading = fetch.ConsumerReading(source, node.broker.quotas, ctx, request, scope, -1)
    assert (reading.size_bytes_min, request.min_bytes) == (1_000, 5_000)


def test_no_handler_assigns_to_its_request() -> None:
    found = []
    for path in sorted(Path(handlers.__path__[0]).glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            targets = node.targets if isinstance(node, ast.Assign) else []
            for target in (each for outer in targets for each in ast.walk(outer)):
                if isinstance(target, ast.Attribute) and ast.unparse(target).startswith(("request.", "asked.")):
                    found.append(f"{path.name}:{target.lineno} {ast.unparse(target)}")
    assert found == []

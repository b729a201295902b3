"""Topics that come by being asked for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from riacho.base.errors import ErrorCode
from riacho.broker.handlers import metadata
from riacho.metadata.image.image import MetadataImage
from riacho.wire.messages.metadata_request import MetadataRequest, MetadataRequestTopic
from support.metadata_broker import Context, MetadataBroker, run


def test_topics_that_come_by_being_asked_for_count_as_changes(tmp_path: Path) -> None:
    broker = MetadataBroker(tmp_path, {"num.partitions": "50"})
    broker.quotas.set_limits(MetadataImage(client_quotas={(("user", None),): {"controller_mutation_rate": 1.0}}))

    def ask(name: str) -> Any:
        request = MetadataRequest(topics=[MetadataRequestTopic(name=name)], allow_auto_topic_creation=True)
        return run(metadata.handle(Context(broker, 13), request))

    first, second = ask("one"), ask("two")
    assert first.topics[0].error_code == 0
    assert second.topics[0].error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    assert second.throttle_time_ms > 0
    assert "two" not in broker.metadata.image.topics
    broker.close()

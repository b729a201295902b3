from __future__ import annotations

from riacho.metadata.image.config_resource import ResourceType
from riacho.metadata.settings.ineffective_configs import ineffective_at_start, ineffective_changes

BROKER, TOPIC, GROUP, METRICS = ResourceType.BROKER, ResourceType.TOPIC, ResourceType.GROUP, ResourceType.CLIENT_METRICS


def test_those_of_a_file_that_nothing_reads() -> None:
    given = {"num.io.threads": "16", "num.partitions": "3", "ssl.protocol": "TLSv1.2", "no.such": "1"}
    assert ineffective_at_start(given) == ["num.io.threads", "ssl.protocol"]
    assert ineffective_at_start({"listener.name.x.ssl.protocol": "TLSv1.2"}) == ["listener.name.x.ssl.protocol"]


def test_a_value_that_changes_nothing_is_not_told_of() -> None:
    stock = {"num.network.threads": "3", "num.io.threads": " 8 ", "num.recovery.threads.per.data.dir": "2"}
    assert ineffective_at_start(stock) == []
    assert ineffective_at_start({"ssl.provider": "", "metric.reporters": ""}) == []


def test_what_counts_in_a_file_alone_is_told_of_when_it_changes_later() -> None:
    given = {"listeners": "PLAINTEXT://:1", "log.retention.ms": "5", "background.threads": "3"}
    assert ineffective_at_start(given) == ["background.threads"]
    assert ineffective_changes(BROKER, {}, given) == ["background.threads", "listeners"]


def test_only_what_changed_is_told_of() -> None:
    assert ineffective_changes(BROKER, {"background.threads": "3"}, {"background.threads": "3"}) == []
    assert ineffective_changes(BROKER, {"background.threads": "3"}, {"background.threads": "4"}) == [
        "background.threads"
    ]
    assert ineffective_changes(BROKER, {"background.threads": "3"}, {}) == []


def test_settings_of_topics_groups_and_client_metrics() -> None:
    assert ineffective_changes(TOPIC, {}, {"preallocate": "true", "retention.ms": "1"}) == ["preallocate"]
    assert ineffective_changes(GROUP, {}, {"streams.num.standby.replicas": "1"}) == ["streams.num.standby.replicas"]
    assert ineffective_changes(METRICS, {}, {"metrics": "org.apache"}) == ["metrics"]


def test_what_another_controller_let_in_is_told_of() -> None:
    builder = {"principal.builder.class": "com.example.Builder"}
    assert ineffective_changes(BROKER, {}, builder) == ["principal.builder.class"]
    assert ineffective_changes(BROKER, {}, {"num.io.threads": "many"}) == ["num.io.threads"]

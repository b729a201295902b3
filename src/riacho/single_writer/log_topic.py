"""The topic that holds a service's log: made when it is missing, checked when it is there."""

from __future__ import annotations

import logging
import time
from typing import Any

from confluent_kafka import KafkaError, KafkaException, TopicCollection
from confluent_kafka.admin import (  # type: ignore[attr-defined]
    AdminClient,
    ConfigResource,
    NewTopic,
    ResourceType,
)

from riacho.single_writer.cluster_size import copies, described_cluster
from riacho.single_writer.errors import LogError, LogTimeout
from riacho.web.kafka_client import make_client

_logger = logging.getLogger("riacho.single_writer")
_TIMEOUTS = (KafkaError._TIMED_OUT, KafkaError._TRANSPORT, KafkaError._ALL_BROKERS_DOWN, KafkaError.REQUEST_TIMED_OUT)
_NOT_YET = (KafkaError.UNKNOWN_TOPIC_OR_PART, KafkaError.LEADER_NOT_AVAILABLE, KafkaError.UNKNOWN_TOPIC_ID)
_AGAIN_S = 0.05
_NOT_ALLOWED = (KafkaError.TOPIC_AUTHORIZATION_FAILED, KafkaError.CLUSTER_AUTHORIZATION_FAILED)


class LogTopic:
    """All calls block and belong to one thread. A client that failed is not asked again: one that lived through a
    broker's restart may wait forever."""

    def __init__(self, name: str, settings: dict[str, Any]) -> None:
        self._name = name
        self._settings = settings
        self._client: AdminClient | None = None

    def ensure(self, replication_factor: int, configs: dict[str, str], timeout_s: float) -> str:
        """Its id. LogError when the topic cannot be used for a log, LogTimeout when no broker answered."""
        deadline_s = time.monotonic() + timeout_s
        _logger.info("log is looked for topic=%s brokers=%s", self._name, self._settings.get("bootstrap.servers"))
        try:
            admin = self._admin()
            known = described_cluster(admin, self._settings, replication_factor, timeout_s, [self._name])
            if self._name not in known.topics:
                self._create(admin, copies(known, replication_factor, self._name), configs, timeout_s)
            while True:
                try:
                    return self._check(admin, timeout_s)
                except KafkaException as error:
                    # Not every broker knows at once of a topic that was just created.
                    if error.args[0].code() not in _NOT_YET or time.monotonic() > deadline_s:
                        raise
                    time.sleep(_AGAIN_S)
        except KafkaException as error:
            raise self._as_log_error(error.args[0]) from None
        except TimeoutError:
            raise self._as_log_error(KafkaError(KafkaError._TIMED_OUT)) from None

    def topic_id(self, timeout_s: float) -> str | None:
        """None when the topic does not exist. It tells a topic from another of the same name that came after it."""
        future = self._admin().describe_topics(TopicCollection([self._name]), request_timeout=timeout_s)[self._name]
        try:
            return str(future.result(timeout_s).topic_id)
        except KafkaException as error:
            if error.args[0].code() == KafkaError.UNKNOWN_TOPIC_OR_PART:
                return None
            raise self._as_log_error(error.args[0]) from None
        except TimeoutError:
            raise self._as_log_error(KafkaError(KafkaError._TIMED_OUT)) from None

    def check(self, timeout_s: float) -> None:
        """LogError when the topic cannot be used for a log."""
        try:
            self._check(self._admin(), timeout_s)
        except KafkaException as error:
            raise self._as_log_error(error.args[0]) from None
        except TimeoutError:
            raise self._as_log_error(KafkaError(KafkaError._TIMED_OUT)) from None

    def _admin(self) -> AdminClient:
        if self._client is None:
            self._client = make_client(AdminClient, self._settings)
        return self._client

    def _create(self, admin: AdminClient, replicas: int, configs: dict[str, str], timeout_s: float) -> None:
        topic = NewTopic(
            self._name, num_partitions=1, replication_factor=replicas, config={"cleanup.policy": "compact"} | configs
        )
        try:
            futures = admin.create_topics([topic], operation_timeout=timeout_s, request_timeout=timeout_s)
            futures[self._name].result(timeout_s)
            _logger.info("log created topic=%s replicas=%d", self._name, replicas)
        except KafkaException as error:
            # Instances that start together all find it missing.
            if error.args[0].code() != KafkaError.TOPIC_ALREADY_EXISTS:
                raise

    def _check(self, admin: AdminClient, timeout_s: float) -> str:
        futures = admin.describe_topics(TopicCollection([self._name]), request_timeout=timeout_s)
        found = futures[self._name].result(timeout_s)
        partitions = len(found.partitions)
        if partitions != 1:
            raise LogError(f"Topic {self._name} has {partitions} partitions, but a log needs exactly one.")
        resource = ConfigResource(ResourceType.TOPIC, self._name)
        try:
            configs = admin.describe_configs([resource], request_timeout=timeout_s)[resource].result(timeout_s)
        except KafkaException as error:
            if error.args[0].code() not in _NOT_ALLOWED:
                raise
            _logger.warning("log could not be checked topic=%s reason=not authorized to describe it", self._name)
            return str(found.topic_id)
        policy = configs["cleanup.policy"].value
        if policy != "compact":
            raise LogError(
                f"Topic {self._name} has cleanup.policy={policy}, which would lose records: it must be compact."
            )
        return str(found.topic_id)

    def _as_log_error(self, error: KafkaError) -> LogError | LogTimeout:
        self._client = None
        if error.code() in _TIMEOUTS:
            return LogTimeout(f"No Kafka broker answered in time at {self._settings.get('bootstrap.servers')}.")
        return LogError(f"Topic {self._name} cannot be used: {error.str()}.")

"""Kafka's errors as calls and records tell them."""

from __future__ import annotations

import pytest
from confluent_kafka import KafkaError, KafkaException

from riacho.rest_proxy.kafka_errors import api_error, is_unknown_topic, record_error


@pytest.mark.parametrize(
    ("code", "status", "error_code"),
    [
        (KafkaError.TOPIC_ALREADY_EXISTS, 400, 40002),
        (KafkaError.SASL_AUTHENTICATION_FAILED, 401, 40101),
        (KafkaError.CLUSTER_AUTHORIZATION_FAILED, 403, 40301),
        (KafkaError.UNKNOWN_TOPIC_OR_PART, 404, 40403),
        (KafkaError._UNKNOWN_PARTITION, 404, 40402),
        (KafkaError.MSG_SIZE_TOO_LARGE, 413, 413),
        (KafkaError._ALL_BROKERS_DOWN, 503, 50302),
        (KafkaError.NOT_ENOUGH_REPLICAS, 500, 50003),
        (KafkaError._MSG_TIMED_OUT, 500, 50003),
        (KafkaError.KAFKA_STORAGE_ERROR, 500, 50002),
    ],
)
def test_a_call(code: int, status: int, error_code: int) -> None:
    told = api_error(KafkaException(KafkaError(code)))
    assert (told.status, told.error_code) == (status, error_code)


@pytest.mark.parametrize(
    ("code", "error_code"),
    [
        (KafkaError.TOPIC_AUTHORIZATION_FAILED, 40301),
        (KafkaError._MSG_TIMED_OUT, 50003),
        (KafkaError.MSG_SIZE_TOO_LARGE, 50002),
        (KafkaError._UNKNOWN_PARTITION, 50002),
    ],
)
def test_a_record(code: int, error_code: int) -> None:
    assert record_error(KafkaError(code))[0] == error_code


def test_who_said_it_is_left_out() -> None:
    assert record_error(KafkaError(KafkaError.MSG_SIZE_TOO_LARGE))[1] == "Message size too large"


def test_an_exception_without_an_error_is_told_too() -> None:
    assert api_error(KafkaException("what was that")).message == "what was that"


def test_whether_the_topic_went_away() -> None:
    assert is_unknown_topic([object(), KafkaError(KafkaError.UNKNOWN_TOPIC_OR_PART)])
    assert not is_unknown_topic([object(), KafkaError(KafkaError._MSG_TIMED_OUT)])

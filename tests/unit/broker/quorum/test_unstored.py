"""What a node that loses the disk of its metadata says last."""

from __future__ import annotations

import errno

from riacho.base.errors import ErrorCode, KafkaError
from riacho.broker.quorum.unstored import unstored


def test_whichever_write_fails_first_the_directory_is_named() -> None:
    told = unstored(OSError(errno.EIO, "Input/output error"))
    assert told.code is ErrorCode.KAFKA_STORAGE_ERROR
    assert str(told).endswith("cannot write the quorum's state in __cluster_metadata-0: Input/output error")


def test_what_says_it_already_stays() -> None:
    error = KafkaError(ErrorCode.KAFKA_STORAGE_ERROR, "cannot append to __cluster_metadata-0")
    assert unstored(error) is error

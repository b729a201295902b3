"""Request and response headers, against kio's and against the rule of which version goes where."""

from __future__ import annotations

import io

import pytest
from kio.schema.request_header.v1.header import RequestHeader as KioRequestHeaderV1
from kio.schema.request_header.v2.header import RequestHeader as KioRequestHeaderV2
from kio.serial import entity_writer
from kio.static.primitive import i16, i32

from riacho.wire.apis import APIS
from riacho.wire.codec import decode, encode
from riacho.wire.header import (
    RequestHeader,
    decode_request_header,
    decode_response_header,
    encode_request_header,
    encode_response_header,
)
from riacho.wire.messages.request_header import RequestHeader as RequestHeaderMessage
from riacho.wire.primitives import WireError


def written(api_key: int, version: int, client_id: str | None = "client") -> bytearray:
    out = bytearray()
    encode_request_header(api_key, version, 77, client_id, out)
    return out


def every_version() -> list[tuple[int, int]]:
    return [(api.key, v) for api in APIS.values() for v in range(api.min_version, api.max_version + 1)]


@pytest.mark.parametrize("client_id", ["client", "", None, "cliente-ção", "x" * 300])
def test_request_headers_equal_kios(client_id: str | None) -> None:
    for key, version in every_version():
        kio_type = KioRequestHeaderV2 if APIS[key].is_flexible(version) else KioRequestHeaderV1
        header = kio_type(
            request_api_key=i16(key), request_api_version=i16(version), correlation_id=i32(77), client_id=client_id
        )
        kios = io.BytesIO()
        entity_writer(kio_type)(kios, header)
        out = written(key, version, client_id)
        assert out == kios.getvalue()
        assert decode_request_header(out) == RequestHeader(key, version, 77, client_id, len(out))


def test_the_generated_header_message_agrees() -> None:
    message = RequestHeaderMessage(request_api_key=1, request_api_version=12, correlation_id=77, client_id="client")
    assert encode(message, 2) == written(1, 12)
    assert encode(message, 1) == written(1, 12)[:-1]
    assert decode(RequestHeaderMessage, 2, written(1, 12)) == message


def test_client_id_keeps_its_old_length_in_a_flexible_header() -> None:
    assert written(1, 12, "ab") == bytes.fromhex("0001 000c 0000004d 0002 6162 00")
    assert written(1, 11, "ab") == bytes.fromhex("0001 000b 0000004d 0002 6162")


def test_the_body_begins_after_the_header() -> None:
    buffer = bytearray(b"....") + written(3, 12) + b"body"
    header = decode_request_header(buffer, 4)
    assert buffer[header.body_position :] == b"body"


def test_unknown_tags_of_a_header_are_skipped() -> None:
    buffer = written(3, 12)[:-1] + b"\x01\x09\x02zz" + b"body"
    assert buffer[decode_request_header(buffer).body_position :] == b"body"


@pytest.mark.parametrize("key", [-1, 4, 5, 6, 7, 93, 32_767])
def test_an_unknown_key_is_named(key: int) -> None:
    with pytest.raises(WireError, match=f"key {key}"):
        decode_request_header(key.to_bytes(2, "big", signed=True) + bytes(20))


def test_a_version_beyond_the_table_is_still_read() -> None:
    header = decode_request_header(written(18, 99))
    assert (header.api_key, header.api_version) == (18, 99)


@pytest.mark.parametrize("key_version", [(1, 11), (1, 12)])
def test_a_header_cut_short_is_refused(key_version: tuple[int, int]) -> None:
    whole = written(*key_version)
    for size in range(len(whole)):
        with pytest.raises(WireError):
            decode_request_header(whole[:size])


def test_a_client_id_that_is_not_utf8_is_refused() -> None:
    with pytest.raises(WireError):
        decode_request_header(written(1, 12, "ab").replace(b"ab", b"\xff\xfe"))


def test_a_client_id_too_long_to_send_is_refused() -> None:
    with pytest.raises(WireError):
        written(1, 12, "x" * 40_000)


def test_response_headers() -> None:
    for key, version in every_version():
        out = bytearray()
        encode_response_header(key, version, -5, out)
        flexible = APIS[key].is_flexible(version) and key != 18
        assert out == (b"\xff\xff\xff\xfb\x00" if flexible else b"\xff\xff\xff\xfb")
        assert decode_response_header(key, version, out) == (-5, len(out))


def test_the_answer_to_api_versions_has_the_old_header() -> None:
    for version in range(5):
        out = bytearray()
        encode_response_header(18, version, 1, out)
        assert len(out) == 4


@pytest.mark.parametrize("data", [b"", b"\x00\x00\x00", b"\x00\x00\x00\x01", b"\x00\x00\x00\x01\x01\x01\x05a"])
def test_a_broken_response_header_is_refused(data: bytes) -> None:
    with pytest.raises(WireError):
        decode_response_header(1, 12, data)

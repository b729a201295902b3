"""The four messages of SCRAM (RFC 5802, section 7): parsed strictly, since they come from anybody.

Names write `,` as `=2C` and `=` as `=3D`. Kafka's one extension is `tokenauth=true` in the client's first message: the
name is then the id of a delegation token (KIP-48).
"""

from __future__ import annotations

import base64
import binascii
import re
from typing import NamedTuple

from riacho.security.sasl import SaslFailure

_NAME = r"(?:[^\x00,=]|=2C|=3D)+"
_NONCE = r"[\x21-\x2b\x2d-\x7e]+"
_BASE64 = r"(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?"
_EXTENSIONS = r"(?:,[A-Za-z]+=[^\x00,]+)*"
# `y`: the client could bind to the channel and believes that we cannot, which is true. `p=` asks for it.
_CLIENT_FIRST = re.compile(
    rf"(?P<gs2>(?P<flag>[ny]|p=[A-Za-z0-9.\-]+),(?:a=(?P<authzid>{_NAME}))?,)"
    rf"(?P<bare>(?P<reserved>m=[^\x00,]+,)?n=(?P<name>{_NAME}),r=(?P<nonce>{_NONCE})(?P<extensions>{_EXTENSIONS}))"
)
_SERVER_FIRST = re.compile(
    rf"(?P<reserved>m=[^\x00,]+,)?r=(?P<nonce>{_NONCE}),s=(?P<salt>{_BASE64}),i=(?P<iterations>[1-9][0-9]{{0,8}})"
    rf"{_EXTENSIONS}"
)
_CLIENT_FINAL = re.compile(
    rf"(?P<without_proof>c=(?P<binding>{_BASE64}),r=(?P<nonce>{_NONCE}){_EXTENSIONS}),p=(?P<proof>{_BASE64})"
)
_SERVER_FINAL = re.compile(rf"(?:e=(?P<error>[^\x00,]+)|v=(?P<signature>{_BASE64})){_EXTENSIONS}")


class ClientFirst(NamedTuple):
    gs2_header: str
    binds_channel: bool
    authorization_id: str
    name: str
    nonce: str
    bare: str
    extensions: dict[str, str]


class ServerFirst(NamedTuple):
    nonce: str
    salt: bytes
    iterations: int


class ClientFinal(NamedTuple):
    binding: bytes
    nonce: str
    without_proof: str
    proof: bytes


def parse_client_first(data: bytes) -> ClientFirst:
    found = _match(_CLIENT_FIRST, data, "first client message")
    if found["reserved"]:
        raise SaslFailure("a mandatory SCRAM extension is not known")
    return ClientFirst(
        gs2_header=found["gs2"],
        binds_channel=found["flag"].startswith("p"),
        authorization_id=unescape_name(found["authzid"] or ""),
        name=unescape_name(found["name"]),
        nonce=found["nonce"],
        bare=found["bare"],
        extensions=_extensions(found["extensions"]),
    )


def parse_server_first(data: bytes) -> ServerFirst:
    found = _match(_SERVER_FIRST, data, "first server message")
    if found["reserved"]:
        raise SaslFailure("a mandatory SCRAM extension is not known")
    return ServerFirst(found["nonce"], _decoded(found["salt"]), int(found["iterations"]))


def parse_client_final(data: bytes) -> ClientFinal:
    found = _match(_CLIENT_FINAL, data, "final client message")
    return ClientFinal(_decoded(found["binding"]), found["nonce"], found["without_proof"], _decoded(found["proof"]))


def parse_server_final(data: bytes) -> bytes:
    """The server's signature; SaslFailure when it tells of an error."""
    found = _match(_SERVER_FINAL, data, "final server message")
    if found["error"] is not None:
        raise SaslFailure(f"the server refused: {found['error']}")
    return _decoded(found["signature"])


def escape_name(name: str) -> str:
    return name.replace("=", "=3D").replace(",", "=2C")


def unescape_name(text: str) -> str:
    return text.replace("=2C", ",").replace("=3D", "=")


def encoded(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _match(pattern: re.Pattern[str], data: bytes, what: str) -> re.Match[str]:
    try:
        found = pattern.fullmatch(data.decode())
    except UnicodeDecodeError:
        found = None
    if found is None:
        raise SaslFailure(f"Invalid SCRAM {what} format")
    return found


def _decoded(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except binascii.Error:
        raise SaslFailure("Invalid SCRAM message: not base64") from None


def _extensions(text: str) -> dict[str, str]:
    pairs = (part.partition("=") for part in text.split(",") if part)
    return {key: value for key, _, value in pairs}

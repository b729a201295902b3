"""The subject of a certificate as text, in the form that Java gives it (RFC 2253) and that principals and ACLs use.

The last part of the name comes first. Attributes that RFC 2253 names go by their keyword, others by their number with
the value in hex. Only as much of DER is read as leads to the subject.
"""

from __future__ import annotations

from collections.abc import Iterator

from riacho.security.der import DerError, items, read, skip

_KEYWORDS = {
    "2.5.4.3": "CN",
    "2.5.4.6": "C",
    "2.5.4.7": "L",
    "2.5.4.8": "ST",
    "2.5.4.9": "STREET",
    "2.5.4.10": "O",
    "2.5.4.11": "OU",
    "0.9.2342.19200300.100.1.25": "DC",
    "0.9.2342.19200300.100.1.1": "UID",
}
_ENCODINGS = {12: "utf-8", 19: "ascii", 20: "latin-1", 22: "ascii", 27: "ascii", 28: "utf-32-be", 30: "utf-16-be"}
_ESCAPED = frozenset(',=+<>#;"\\')
_BOOLEAN, _OCTETS, _OID, _SEQUENCE, _SET, _EXTENSIONS = 0x01, 0x04, 0x06, 0x30, 0x31, 0xA3
_VERSION = b"\xa0"
_ALTERNATIVE_NAMES = "2.5.29.17"


def subject_of(certificate: bytes) -> str:
    """The subject of an X.509 certificate in DER; DerError."""
    to_be_signed, position = _to_subject(certificate)
    name, _ = read(to_be_signed, position, _SEQUENCE)
    return ",".join("+".join(_attribute(pair) for pair in items(part, _SEQUENCE)) for part in items(name, _SET)[::-1])


def alternative_names_of(certificate: bytes) -> frozenset[bytes]:
    """Its subject alternative names, as they stand in DER."""
    to_be_signed, position = _to_subject(certificate)
    # The subject, its public key.
    position = skip(to_be_signed, skip(to_be_signed, position))
    while position < len(to_be_signed) and to_be_signed[position] != _EXTENSIONS:
        position = skip(to_be_signed, position)
    if position >= len(to_be_signed):
        return frozenset()
    wrapped, _ = read(to_be_signed, position, _EXTENSIONS)
    for extension in items(read(wrapped, 0, _SEQUENCE)[0], _SEQUENCE):
        oid, place = read(extension, 0, _OID)
        if _dotted(oid) == _ALTERNATIVE_NAMES:
            place = skip(extension, place) if extension[place] == _BOOLEAN else place
            names, _ = read(read(extension, place, _OCTETS)[0], 0, _SEQUENCE)
            return frozenset(_pieces(names))
    return frozenset()


def _pieces(data: bytes) -> Iterator[bytes]:
    position = 0
    while position < len(data):
        after = skip(data, position)
        yield data[position:after]
        position = after


def _to_subject(certificate: bytes) -> tuple[bytes, int]:
    """(what is signed, position of the subject in it)."""
    to_be_signed, _ = read(read(certificate, 0, _SEQUENCE)[0], 0, _SEQUENCE)
    position = skip(to_be_signed, 0) if to_be_signed[:1] == _VERSION else 0
    # Serial number, signature algorithm, issuer, validity.
    for _ in range(4):
        position = skip(to_be_signed, position)
    return to_be_signed, position


def _attribute(pair: bytes) -> str:
    oid, position = read(pair, 0, _OID)
    number = _dotted(oid)
    if position >= len(pair):
        raise DerError("an attribute without a value")
    keyword, encoding = _KEYWORDS.get(number), _ENCODINGS.get(pair[position])
    if keyword is None or encoding is None:
        return f"{keyword or number}=#{pair[position:].hex()}"
    value, _ = read(pair, position, pair[position])
    try:
        return f"{keyword}={_escaped(value.decode(encoding))}"
    except UnicodeDecodeError:
        return f"{keyword}=#{pair[position:].hex()}"


def _escaped(value: str) -> str:
    text = "".join(f"\\{c}" if c in _ESCAPED else "\\00" if c == "\0" else c for c in value)
    stripped = text.lstrip(" \r\n")
    text = "".join(f"\\{c}" for c in text[: len(text) - len(stripped)]) + stripped
    stripped = text.rstrip(" \r\n") if stripped else text
    return stripped + "".join(f"\\{c}" for c in text[len(stripped) :])


def _dotted(oid: bytes) -> str:
    numbers: list[int] = []
    value = 0
    for byte in oid:
        value = value << 7 | byte & 0x7F
        if not byte & 0x80:
            numbers.append(value)
            value = 0
    if not numbers:
        raise DerError("an empty object identifier")
    first = min(numbers[0] // 40, 2)
    return ".".join(map(str, (first, numbers[0] - 40 * first, *numbers[1:])))

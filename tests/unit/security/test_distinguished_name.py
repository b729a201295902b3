"""Names as Java writes them; the expected texts are what X500Principal.getName() gave."""

from __future__ import annotations

import datetime
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.name import _ASN1Type
from cryptography.x509.oid import NameOID

from riacho.security.der import DerError
from riacho.security.distinguished_name import alternative_names_of, subject_of
from support.certificates import Authority

KEY = ec.generate_private_key(ec.SECP256R1())
WHEN = datetime.datetime(2026, 1, 1)


def certificate(name: x509.Name) -> bytes:
    builder = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(KEY.public_key())
        .serial_number(1)
        .not_valid_before(WHEN)
        .not_valid_after(WHEN + datetime.timedelta(days=1))
    )
    return builder.sign(KEY, hashes.SHA256()).public_bytes(serialization.Encoding.DER)


def name(*pairs: tuple[x509.ObjectIdentifier, str]) -> x509.Name:
    return x509.Name([x509.NameAttribute(oid, value) for oid, value in pairs])


@pytest.mark.parametrize(
    ("subject", "text"),
    [
        (name((NameOID.COUNTRY_NAME, "BR"), (NameOID.COMMON_NAME, "ann")), "CN=ann,C=BR"),
        (name((NameOID.COMMON_NAME, 'a,b+c"d\\e<f>g;h=i#j')), 'CN=a\\,b\\+c\\"d\\\\e\\<f\\>g\\;h\\=i\\#j'),
        (name((NameOID.COMMON_NAME, " both ends ")), "CN=\\ both ends\\ "),
        (name((NameOID.COMMON_NAME, "žluťoučký")), "CN=žluťoučký"),
        (
            name((NameOID.DOMAIN_COMPONENT, "org"), (NameOID.USER_ID, "ann"), (NameOID.STATE_OR_PROVINCE_NAME, "RJ")),
            "ST=RJ,UID=ann,DC=org",
        ),
        (name((NameOID.COMMON_NAME, "ann"), (NameOID.EMAIL_ADDRESS, "a@b")), "1.2.840.113549.1.9.1=#1603614062,CN=ann"),
        (x509.Name([]), ""),
        (
            x509.Name(
                [
                    x509.RelativeDistinguishedName(
                        [
                            x509.NameAttribute(NameOID.COMMON_NAME, "ann"),
                            x509.NameAttribute(NameOID.USER_ID, "7", _ASN1Type.UTF8String),
                        ]
                    )
                ]
            ),
            "CN=ann+UID=7",
        ),
    ],
)
def test_subjects(subject: x509.Name, text: str) -> None:
    assert subject_of(certificate(subject)) == text


def test_alternative_names(tmp_path: Path) -> None:
    authority = Authority(tmp_path)

    def names(*wanted: str) -> frozenset[bytes]:
        issued = authority.issue("broker", names=wanted)
        return alternative_names_of(issued.certificate.public_bytes(serialization.Encoding.DER))

    assert len(names("a", "b")) == 3
    assert names("a") < names("a", "b")
    assert alternative_names_of(certificate(x509.Name([]))) == frozenset()


def test_what_is_no_certificate() -> None:
    whole = certificate(name((NameOID.COMMON_NAME, "ann")))
    for size in range(90):
        with pytest.raises(DerError):
            subject_of(whole[:size])

"""Certificates for tests: an authority, and what it signs, made with `cryptography` under a directory of the test's.

authority = Authority(tmp_path)
broker = authority.issue("broker")
broker.pem            # key and chain in one file
broker.key_store()    # PKCS12; kind="JKS" by Java's keytool
"""

from __future__ import annotations

import datetime
import ipaddress
import subprocess
from dataclasses import dataclass
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import pkcs12
from cryptography.x509.oid import NameOID

PASSWORD = "store-secret"
_DAY = datetime.timedelta(days=1)
_PEM = serialization.Encoding.PEM


def distinguished(common_name: str) -> x509.Name:
    return x509.Name(
        [
            x509.NameAttribute(NameOID.COUNTRY_NAME, "BR"),
            x509.NameAttribute(NameOID.ORGANIZATION_NAME, "Rio, Ltd"),
            x509.NameAttribute(NameOID.COMMON_NAME, common_name),
        ]
    )


@dataclass(frozen=True)
class Identity:
    """A key, its certificate, and the files they are in."""

    name: str
    directory: Path
    key: ec.EllipticCurvePrivateKey
    certificate: x509.Certificate
    authority: x509.Certificate

    @property
    def subject(self) -> str:
        """As a principal without mapping rules shows it."""
        return f"CN={self.name},O=Rio\\, Ltd,C=BR"

    @property
    def key_text(self) -> str:
        plain = serialization.NoEncryption()
        return self.key.private_bytes(_PEM, serialization.PrivateFormat.PKCS8, plain).decode()

    @property
    def certificate_text(self) -> str:
        return self.certificate.public_bytes(_PEM).decode()

    @property
    def pem(self) -> Path:
        return self._file("pem", (self.key_text + self.certificate_text).encode())

    @property
    def certificate_file(self) -> Path:
        return self._file("crt", self.certificate_text.encode())

    @property
    def key_file(self) -> Path:
        return self._file("key", self.key_text.encode())

    def encrypted_key(self, password: str) -> str:
        lock = serialization.BestAvailableEncryption(password.encode())
        return self.key.private_bytes(_PEM, serialization.PrivateFormat.PKCS8, lock).decode()

    def key_store(self, kind: str = "PKCS12") -> Path:
        lock = serialization.BestAvailableEncryption(PASSWORD.encode())
        data = pkcs12.serialize_key_and_certificates(
            self.name.encode(), self.key, self.certificate, [self.authority], lock
        )
        store = self._file("p12", data)
        return store if kind == "PKCS12" else _as_jks(store, self.directory / f"{self.name}.jks")

    def _file(self, suffix: str, data: bytes) -> Path:
        path = self.directory / f"{self.name}.{suffix}"
        path.write_bytes(data)
        return path


class Authority:
    def __init__(self, directory: Path, name: str = "authority") -> None:
        directory.mkdir(parents=True, exist_ok=True)
        self.directory = directory
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = distinguished(name)
        builder = _builder(self._name, self._name, self._key.public_key())
        builder = builder.add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        self.certificate = builder.sign(self._key, hashes.SHA256())
        self.pem = directory / f"{name}.crt"
        self.text = self.certificate.public_bytes(_PEM).decode()
        self.pem.write_text(self.text)

    def issue(self, name: str, *, names: tuple[str, ...] = ("localhost",), file_name: str | None = None) -> Identity:
        key = ec.generate_private_key(ec.SECP256R1())
        alternatives: list[x509.GeneralName] = [x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
        alternatives += [x509.DNSName(each) for each in names]
        builder = _builder(distinguished(name), self._name, key.public_key())
        builder = builder.add_extension(x509.SubjectAlternativeName(alternatives), critical=False)
        certificate = builder.sign(self._key, hashes.SHA256())
        directory = self.directory / (file_name or name)
        directory.mkdir(exist_ok=True)
        return Identity(name, directory, key, certificate, self.certificate)

    def trust_store(self, kind: str = "PKCS12") -> Path:
        """Made by Java's keytool, which marks certificates as trusted in its own way."""
        path = self.directory / f"trusted.{kind.lower()}"
        if not path.exists():
            _keytool("-importcert", "-alias", "authority", "-file", str(self.pem), "-keystore", str(path),
                     "-storetype", kind, "-storepass", PASSWORD)  # fmt: skip
        return path


def _builder(subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePublicKey) -> x509.CertificateBuilder:
    now = datetime.datetime.now(datetime.UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _DAY)
        .not_valid_after(now + _DAY)
    )


def _as_jks(store: Path, target: Path) -> Path:
    if not target.exists():
        _keytool("-importkeystore", "-srckeystore", str(store), "-srcstorepass", PASSWORD, "-destkeystore",
                 str(target), "-deststoretype", "JKS", "-deststorepass", PASSWORD)  # fmt: skip
    return target


def _keytool(*arguments: str) -> None:
    done = subprocess.run(["keytool", *arguments, "-noprompt"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr

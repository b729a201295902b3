"""A certificate for the brokers of a test, signed by itself: what a client has to trust to speak TLS with them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

from riacho.base.packages import how_to_install

_LIFE = timedelta(days=2)
_HOSTS = ("127.0.0.1", "localhost")


class BrokerCertificate:
    """`broker_pem` has key and certificate; `ca_pem`, the certificate alone, is for clients."""

    def __init__(self, directory: Path) -> None:
        """ModuleNotFoundError without the package that makes keys."""
        directory.mkdir(parents=True, exist_ok=True)
        self.broker_pem = directory / "broker.pem"
        self.ca_pem = directory / "ca.pem"
        if not self.ca_pem.exists():
            key, certificate = _made()
            self.broker_pem.touch(mode=0o600)
            self.broker_pem.write_bytes(key + certificate)
            self.ca_pem.write_bytes(certificate)


def _made() -> tuple[bytes, bytes]:
    try:
        from cryptography import x509
        from cryptography.hazmat.primitives import hashes, serialization
        from cryptography.hazmat.primitives.asymmetric import ec
    except ModuleNotFoundError as error:
        problem = f"TLS in tests needs the package {error.name} ({how_to_install('security')})"
        raise ModuleNotFoundError(problem, name=error.name) from None
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "riacho-testing")])
    hosts = x509.SubjectAlternativeName([x509.IPAddress(ip_address(_HOSTS[0])), x509.DNSName(_HOSTS[1])])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        # Clocks of a test machine may differ a little.
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + _LIFE)
        .add_extension(hosts, critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    encoding = serialization.Encoding.PEM
    text = key.private_bytes(encoding, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    return text, certificate.public_bytes(encoding)

"""Broker settings: TLS."""

from __future__ import annotations

from riacho.base.config import ConfigType, Dynamic, Importance, ServerKey, list_of, one_of
from riacho.base.config_effect import NoEffect, Restricted

BOOLEAN = ConfigType.BOOLEAN
CLASS = ConfigType.CLASS
LIST = ConfigType.LIST
PASSWORD = ConfigType.PASSWORD
STRING = ConfigType.STRING
LOW = Importance.LOW
PER_BROKER = Dynamic.PER_BROKER

# fmt: off
OPENSSL = NoEffect("OpenSSL has its own")

KEYS: tuple[ServerKey, ...] = (
    ServerKey("ssl.allow.dn.changes", BOOLEAN, "false",
              "Whether a new certificate may carry another name.", importance=LOW),
    ServerKey("ssl.allow.san.changes", BOOLEAN, "false",
              "Whether a new certificate may drop alternative names.", importance=LOW),
    ServerKey("ssl.cipher.suites", LIST, "",
              "Cipher suites allowed; empty for the library's choice. Those of TLS 1.3 always are.",
              list_of(), dynamic=PER_BROKER),
    ServerKey("ssl.client.auth", STRING, "none",
              "Whether clients must show a certificate.",
              one_of("required", "requested", "none"), dynamic=PER_BROKER),
    ServerKey("ssl.enabled.protocols", LIST, "TLSv1.2,TLSv1.3",
              "TLS versions allowed.", list_of(), dynamic=PER_BROKER),
    ServerKey("ssl.endpoint.identification.algorithm", STRING, "https",
              "How the other side's host name is checked against its certificate.",
              importance=LOW, dynamic=PER_BROKER),
    ServerKey("ssl.engine.factory.class", CLASS, None,
              "Class that makes TLS engines.", importance=LOW, dynamic=PER_BROKER,
              effect=Restricted(
                  "classes are not loaded; leave it out and give keys by ssl.keystore.* and ssl.truststore.*",
                  ("org.apache.kafka.common.security.ssl.DefaultSslEngineFactory",))),
    ServerKey("ssl.key.password", PASSWORD, None, "Password of the private key.", dynamic=PER_BROKER),
    ServerKey("ssl.keymanager.algorithm", STRING, "SunX509", "Algorithm of the key manager.", dynamic=PER_BROKER,
              effect=OPENSSL),
    ServerKey("ssl.keystore.certificate.chain", PASSWORD, None, "Certificate chain as PEM text.", dynamic=PER_BROKER),
    ServerKey("ssl.keystore.key", PASSWORD, None, "Private key as PEM text.", dynamic=PER_BROKER),
    ServerKey("ssl.keystore.location", STRING, None, "File of the key store.", dynamic=PER_BROKER),
    ServerKey("ssl.keystore.password", PASSWORD, None, "Password of the key store.", dynamic=PER_BROKER),
    ServerKey("ssl.keystore.type", STRING, "JKS", "Format of the key store.", dynamic=PER_BROKER),
    ServerKey("ssl.principal.mapping.rules", STRING, "DEFAULT",
              "Rules that turn a certificate's name into a principal.", importance=LOW),
    ServerKey("ssl.protocol", STRING, "TLSv1.3", "TLS version used to make contexts.", dynamic=PER_BROKER,
              effect=NoEffect("`ssl.enabled.protocols` says which versions are spoken")),
    ServerKey("ssl.provider", STRING, None, "Security provider of TLS.", dynamic=PER_BROKER, effect=OPENSSL),
    ServerKey("ssl.secure.random.implementation", STRING, None,
              "Random generator of TLS.", importance=LOW, dynamic=PER_BROKER, effect=OPENSSL),
    ServerKey("ssl.trustmanager.algorithm", STRING, "PKIX", "Algorithm of the trust manager.", dynamic=PER_BROKER,
              effect=OPENSSL),
    ServerKey("ssl.truststore.certificates", PASSWORD, None, "Trusted certificates as PEM text.", dynamic=PER_BROKER),
    ServerKey("ssl.truststore.location", STRING, None, "File of the trust store.", dynamic=PER_BROKER),
    ServerKey("ssl.truststore.password", PASSWORD, None, "Password of the trust store.", dynamic=PER_BROKER),
    ServerKey("ssl.truststore.type", STRING, "JKS", "Format of the trust store.", dynamic=PER_BROKER),
)
# fmt: on

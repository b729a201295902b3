"""A listener's TLS context, made anew when its settings or its files change (KIP-226).

Connections that are open keep what they began with; each new one takes the current context. A change that cannot be
used, a file that is half written, say, leaves the old context in force, and is tried again with the next look. So that
a wrong file cannot take a broker's name away, the new certificate must carry the name and the alternative names of the
old one, unless `ssl.allow.dn.changes` or `ssl.allow.san.changes` say otherwise.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from riacho.base.config import ConfigError
from riacho.client.tls import TlsSettings, certificate_of, server_context, tls_settings
from riacho.security.der import DerError
from riacho.security.distinguished_name import alternative_names_of, subject_of

if TYPE_CHECKING:
    from riacho.broker.access.listener_values import ListenerValues

Stamp = tuple[int, int, int]


class TlsContexts:
    def __init__(self, values: ListenerValues) -> None:
        """ConfigError."""
        self._values = values
        self._settings = tls_settings(values.get)
        self._stamps = stamps_of(self._settings)
        self.current = server_context(self._settings)
        self._certificate = certificate_of(self._settings)

    def refresh(self) -> bool:
        """Whether there is a new context; ConfigError when there should be but cannot."""
        settings = tls_settings(self._values.get)
        stamps = stamps_of(settings)
        if settings == self._settings and stamps == self._stamps:
            return False
        context = server_context(settings)
        certificate = certificate_of(settings)
        self._check_names(certificate)
        self.current = context
        self._settings, self._stamps, self._certificate = settings, stamps, certificate
        return True

    def _check_names(self, certificate: bytes | None) -> None:
        if certificate is None or self._certificate is None or certificate == self._certificate:
            return
        try:
            old_subject, new_subject = subject_of(self._certificate), subject_of(certificate)
            lost = alternative_names_of(self._certificate) - alternative_names_of(certificate)
        except DerError as error:
            raise ConfigError(f"the new certificate cannot be read: {error}") from None
        if old_subject != new_subject and not self._values.get("ssl.allow.dn.changes"):
            raise ConfigError(f"the new certificate is of {new_subject}, the old one of {old_subject}")
        if lost and not self._values.get("ssl.allow.san.changes"):
            raise ConfigError(f"the new certificate lacks {len(lost)} alternative names of the old one")


def stamps_of(settings: TlsSettings) -> tuple[Stamp | None, ...]:
    """What changes when a file does: by it files are watched."""
    return tuple(_stamp(path) for path in settings.files)


def _stamp(path: str) -> Stamp | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino

"""The door as the settings say: who may come in by what, and where it is written down."""

from __future__ import annotations

from pathlib import Path

from riacho.base.config import ConfigError
from riacho.base.http_sites import is_loopback
from riacho.console.door.audit_log import AuditLog
from riacho.console.door.config import door_config
from riacho.console.door.door import Door
from riacho.console.door.masking import Masking, load_salt, masking_of
from riacho.console.door.users import load
from riacho.web.config import Settings
from riacho.web.listeners import listeners_of
from riacho.web.sites import ALLOWED_HOSTS

_AUDIT, _SALT = "audit.log", "masking.salt"
_WITHOUT_USERS = "riacho.console.without.users"


def open_door(settings: Settings, directory: Path, *, read_only: bool) -> Door:
    """ConfigError; also where others than this machine could come in without a login."""
    config = door_config(settings)
    users = None
    if settings.text("authentication.method").upper() == "BASIC":
        users = load(settings.text("authentication.user.file"))
    oidc = None
    if config.oidc is not None:
        from riacho.console.door.oidc import Oidc

        oidc = Oidc(config.oidc)
    if users is None and oidc is None:
        _check_reach(settings)
    try:
        audit = AuditLog(directory / _AUDIT)
    except OSError as error:
        raise ConfigError(f"the audit log in riacho.console.dir cannot be written: {error.strerror}") from None
    return Door(audit, config, users=users, oidc=oidc, read_only=read_only)


def open_masking(settings: Settings, directory: Path) -> Masking:
    """ConfigError."""
    properties = settings.under("masking.")
    try:
        salt = load_salt(directory / _SALT) if properties else b""
    except OSError as error:
        raise ConfigError(f"the salt of masking in riacho.console.dir cannot be kept: {error.strerror}") from None
    return masking_of(properties, salt)


def _check_reach(settings: Settings) -> None:
    elsewhere = [listener for listener in listeners_of(settings) if not is_loopback(listener.host)]
    if not elsewhere:
        return
    if not settings.flag(_WITHOUT_USERS):
        raise ConfigError(
            f"{elsewhere[0].url} in listeners is open to other machines: without users the console listens on "
            f"127.0.0.1 alone, but for a container whose port only its machine reaches ({_WITHOUT_USERS}=true)"
        )
    # Else any site could give its own name this machine's address, and its pages would be the console's own.
    names = settings.names(ALLOWED_HOSTS)
    if not names or "*" in names:
        raise ConfigError(f"{_WITHOUT_USERS}=true needs the console's names in {ALLOWED_HOSTS}, localhost for one")

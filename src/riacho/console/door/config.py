"""Settings of the door. Local users are `authentication.method=BASIC` and `authentication.user.file`, as elsewhere."""

from __future__ import annotations

from dataclasses import dataclass, field
from urllib.parse import urlsplit

from riacho.base.config import ConfigError, ConfigKey, ConfigType, at_least
from riacho.base.http_sites import is_loopback
from riacho.console.door.roles import Role
from riacho.web.config import Settings

_T = ConfigType
_OIDC = "riacho.console.oidc."

DOOR_KEYS = (
    ConfigKey("riacho.console.session.idle.ms", _T.INT, str(60 * 60_000), "A session that is silent this long ends.",
              at_least(1_000)),
    ConfigKey("riacho.console.session.max.ms", _T.INT, str(12 * 60 * 60_000), "No session lasts longer.",
              at_least(1_000)),
    ConfigKey("riacho.console.secure.cookies", _T.BOOLEAN, "false",
              "Whether cookies are for https alone although the listener is http, as behind a proxy with TLS."),
    ConfigKey("riacho.console.without.users", _T.BOOLEAN, "false",
              "Whether it may listen on other addresses than loopback without users, as in a container whose port is "
              "published for its machine alone; riacho.allowed.hosts has to say what it is called."),
    ConfigKey(f"{_OIDC}issuer", _T.STRING, "", "The identity provider, as it names itself: an https address."),
    ConfigKey(f"{_OIDC}client.id", _T.STRING, "", "What the console is called there."),
    ConfigKey(f"{_OIDC}client.secret", _T.PASSWORD, "", "Its secret; empty for a public client."),
    ConfigKey(f"{_OIDC}redirect.url", _T.STRING, "",
              "Where people come back to: the console's address with /api/v1/oidc/callback."),
    ConfigKey(f"{_OIDC}scopes", _T.LIST, "openid,profile,email", "What is asked for."),
    ConfigKey(f"{_OIDC}name.claim", _T.STRING, "preferred_username", "The claim that is somebody's name; else sub."),
    ConfigKey(f"{_OIDC}role.claim", _T.STRING, "roles", "The claim with roles or groups; dots lead into objects."),
    *(ConfigKey(f"{_OIDC}role.{role.label}", _T.LIST, role.label, f"Values of that claim that make a {role.label}.")
      for role in Role),
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class OidcConfig:
    issuer: str
    client_id: str
    client_secret: str | None = field(default=None, repr=False)
    redirect_url: str
    scopes: tuple[str, ...] = ("openid",)
    name_claim: str = "preferred_username"
    role_claim: str = "roles"
    # Values of the claim, by what they make.
    roles: dict[Role, frozenset[str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class DoorConfig:
    session_idle_ms: int = 60 * 60_000
    session_ms_max: int = 12 * 60 * 60_000
    secure_cookies: bool = False
    oidc: OidcConfig | None = None


def door_config(settings: Settings) -> DoorConfig:
    """ConfigError."""
    return DoorConfig(
        session_idle_ms=settings.integer("riacho.console.session.idle.ms"),
        session_ms_max=settings.integer("riacho.console.session.max.ms"),
        secure_cookies=settings.flag("riacho.console.secure.cookies"),
        oidc=_oidc(settings) if settings.text(f"{_OIDC}issuer") else None,
    )


def is_safe_url(url: str) -> bool:
    """https, or http that does not leave this machine."""
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        return False
    host = parts.hostname or ""
    return bool(host) and (parts.scheme == "https" or (parts.scheme == "http" and is_loopback(host)))


def _oidc(settings: Settings) -> OidcConfig:
    def text(name: str) -> str:
        return settings.text(f"{_OIDC}{name}").strip()

    for name in ("issuer", "redirect.url"):
        if not is_safe_url(text(name)):
            raise ConfigError(f"{_OIDC}{name} has to be an https address; http is for this machine alone")
    if not text("client.id"):
        raise ConfigError(f"{_OIDC}client.id is not set")
    scopes = settings.names(f"{_OIDC}scopes")
    return OidcConfig(
        issuer=text("issuer"),
        client_id=text("client.id"),
        client_secret=settings.text(f"{_OIDC}client.secret") or None,
        redirect_url=text("redirect.url"),
        scopes=tuple(dict.fromkeys(["openid", *scopes])),
        name_claim=text("name.claim") or "sub",
        role_claim=text("role.claim"),
        roles={role: frozenset(settings.names(f"{_OIDC}role.{role.label}")) - {""} for role in Role},
    )

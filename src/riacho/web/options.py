"""What an `App` takes from the settings that all services share, as its keyword arguments.

App(name, endpoints, media_type=..., **app_options(settings, realm="SchemaRegistry"))
"""

from __future__ import annotations

from typing import TypedDict

from riacho.web.app import Authenticator
from riacho.web.auth import authenticator_of
from riacho.web.config import Settings
from riacho.web.cors import Cors
from riacho.web.sites import Sites, sites_of


class AppOptions(TypedDict):
    body_bytes_max: int
    body_timeout_s: float
    bodies_bytes_max: int
    concurrent_requests_max: int
    authenticator: Authenticator | None
    cors: Cors | None
    sites: Sites | None


def app_options(settings: Settings, realm: str) -> AppOptions:
    """ConfigError when the file of users cannot be used."""
    origins = settings.names("access.control.allow.origin")
    methods = settings.names("access.control.allow.methods")
    headers = settings.names("access.control.allow.headers")
    cors = Cors(origins, methods, headers) if origins else None
    return AppOptions(
        body_bytes_max=settings.integer("max.request.body.size"),
        body_timeout_s=settings.integer("request.body.timeout.ms") / 1000,
        bodies_bytes_max=settings.integer("riacho.request.bodies.max.bytes"),
        concurrent_requests_max=settings.integer("max.concurrent.requests"),
        authenticator=authenticator_of(settings, realm),
        cors=cors,
        sites=sites_of(settings, cors),
    )

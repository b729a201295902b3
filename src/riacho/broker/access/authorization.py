"""The authorizer of a node: made of its settings, kept to the entries in the metadata.

`super.users` and `allow.everyone.if.no.acl.found` are settings of the authorizer, not of the broker: Kafka's table of
settings does not have them, and neither has ours.

A change of the entries counts from the next request on. Fetch sessions ask with every fetch; the fast paths of
producers do not ask, so they end with every change (`broker/produce/fast_path_epoch.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from riacho.base.config import ConfigError
from riacho.metadata.settings.broker_keys.security import STANDARD_AUTHORIZER
from riacho.security.standard_authorizer import StandardAuthorizer

if TYPE_CHECKING:
    from riacho.broker.access.metadata_view import MetadataView
    from riacho.broker.config import BrokerConfig
    from riacho.metadata.image.image import MetadataImage
    from riacho.security.authorizer import Authorizer

SUPER_USERS = "super.users"
ALLOW_EVERYONE = "allow.everyone.if.no.acl.found"


def authorizer_of(config: BrokerConfig) -> StandardAuthorizer | None:
    """As `authorizer.class.name` says; None: everybody may do everything."""
    name: str = (config.get("authorizer.class.name") or "").strip()
    if not name:
        return None
    # Another class does not get past the settings' table.
    assert name == STANDARD_AUTHORIZER, name
    everyone = config.static.get(ALLOW_EVERYONE, "false").strip().lower()
    return StandardAuthorizer(super_users(config.static), everyone == "true")


def super_users(properties: Mapping[str, str]) -> frozenset[str]:
    """`User:alice;User:bob`."""
    found = [entry.strip() for entry in properties.get(SUPER_USERS, "").split(";") if entry.strip()]
    for entry in found:
        kind, colon, _ = entry.partition(":")
        if not kind or not colon:
            problem = f"expected a string in format principalType:principalName but got {entry}"
            raise ConfigError(f"{SUPER_USERS}: {problem}")
    return frozenset(found)


def follow_acls(authorizer: Authorizer | None, metadata: MetadataView) -> None:
    """Keep the node's authorizer, where it has one, to the entries that the cluster agreed on."""
    if not isinstance(authorizer, StandardAuthorizer):
        return

    def image_changed(old: MetadataImage, new: MetadataImage) -> None:
        if new.acls is old.acls and authorizer.is_loaded:
            return
        authorizer.load(new.acls)

    metadata.subscribe(image_changed)

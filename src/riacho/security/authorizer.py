"""Who may do what: the question that every handler asks."""

from __future__ import annotations

from typing import Protocol

from riacho.security.operations import AclOperation, AclResourceType


class Authorizer(Protocol):
    def allows(
        self, principal: str, host: str, operation: AclOperation, resource_type: AclResourceType, name: str
    ) -> bool: ...

"""Who may do what: the questions that handlers ask."""

from __future__ import annotations

from typing import Protocol

from riacho.security.operations import AclOperation, AclResourceType


class Authorizer(Protocol):
    def allows(
        self, principal: str, host: str, operation: AclOperation, resource_type: AclResourceType, name: str
    ) -> bool: ...

    def authorize_by_resource_type(
        self, principal: str, host: str, operation: AclOperation, resource_type: AclResourceType
    ) -> bool:
        """Whether there is any resource of this type to which the operation may be done."""
        ...

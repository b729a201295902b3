"""Topics that cannot be."""

from __future__ import annotations

from riacho.security.operations import AclOperation, AclResourceType
from riacho.security.standard_authorizer import StandardAuthorizer


def test_answers_on_names_that_cannot_be_are_not_kept() -> None:
    authorizer = StandardAuthorizer()
    authorizer.load({})
    for name in ("t" * 30_000, "t"):
        assert not authorizer.allows("User:eve", "h", AclOperation.READ, AclResourceType.TOPIC, name)
    assert len(authorizer._answers) == 1

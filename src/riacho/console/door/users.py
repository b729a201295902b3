"""Local users from a file, in the forms of `web/auth.py` (`name: PBKDF2:...,admin`), each with one of the roles.

Whoever has several has the highest. A user without any is a mistake that is told at the start.
"""

from __future__ import annotations

from collections.abc import Mapping

from riacho.base.config import ConfigError
from riacho.console.door.roles import Role
from riacho.web.auth import BasicAuthenticator, User, load_users

REALM = "Control Center"
_BY_LABEL = {role.label: role for role in Role}


def highest_role(names: frozenset[str]) -> Role | None:
    return max((role for label, role in _BY_LABEL.items() if label in names), default=None)


class Users:
    """Checks passwords in constant time, whether or not there is such a user."""

    def __init__(self, users: Mapping[str, User]) -> None:
        self._roles: dict[str, Role] = {}
        for name, user in users.items():
            role = highest_role(user.roles)
            if role is None:
                raise ConfigError(f"the user {name} has none of the roles {', '.join(_BY_LABEL)}")
            self._roles[name] = role
        self.passwords = BasicAuthenticator(users, realm=REALM)

    async def role_of(self, name: str, password: str) -> Role | None:
        """None where there is no such user or the password is wrong."""
        user = await self.passwords.user_of(name, password)
        return None if user is None else self._roles[name]


def load(path: str) -> Users:
    """ConfigError."""
    users = load_users(path)
    if not users:
        raise ConfigError(f"the file of users {path} has no user in it")
    return Users(users)

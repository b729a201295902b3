"""Databases that a connector may reach by JDBC addresses, and which parameters an address may have.

Drivers of Java's run code that an address names: `socketFactory`, `sslfactory`, `autoDeserialize`, `INIT=`, JNDI
names. So each database has the list of its parameters that are taken, and any other is refused, with the driver's own
syntax for them. A database that is allowed and not in this table is its owner's business.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from riacho.pipelines.reach.limits import ALL, JDBC, Limits
from riacho.pipelines.reach.paths import path_refusal
from riacho.pipelines.reach.urls import address_class


class _Dialect(NamedTuple):
    """`mark` begins the parameters and `between` parts them; `form` is what stands before."""

    driver: str
    parameters: frozenset[str]
    form: str = r"//[^/?;@]+(/[^?;:]*)?"
    mark: str = "?"
    between: str = "&"


def _words(text: str) -> frozenset[str]:
    return frozenset(text.lower().split())


_MYSQL = _words(
    """user password useSSL requireSSL sslMode serverTimezone connectionTimeZone characterEncoding useUnicode
    connectTimeout socketTimeout tcpKeepAlive rewriteBatchedStatements useServerPrepStmts cachePrepStmts
    zeroDateTimeBehavior tinyInt1isBit useCursorFetch defaultFetchSize useCompression"""
)
_DIALECTS: Mapping[str, _Dialect] = {
    "postgresql": _Dialect(
        "org.postgresql.Driver",
        _words(
            """user password ssl sslmode currentSchema ApplicationName connectTimeout loginTimeout socketTimeout
            tcpKeepAlive reWriteBatchedInserts stringtype defaultRowFetchSize prepareThreshold targetServerType"""
        ),
        form=r"(//[^/?;@]+)?/?[^?;:/]*",
    ),
    "mysql": _Dialect("com.mysql.cj.jdbc.Driver", _MYSQL, form=r"//[\w.,:\[\]-]+(/[^?;:()]*)?"),
    "mariadb": _Dialect("org.mariadb.jdbc.Driver", _MYSQL, form=r"//[\w.,:\[\]-]+(/[^?;:()]*)?"),
    "sqlserver": _Dialect(
        "com.microsoft.sqlserver.jdbc.SQLServerDriver",
        _words(
            """databaseName database user password encrypt trustServerCertificate loginTimeout socketTimeout
            applicationName hostNameInCertificate portNumber integratedSecurity applicationIntent"""
        ),
        form=r"//[^/?;@]*",
        mark=";",
        between=";",
    ),
    # Its other forms name directories (LDAP) and descriptors with parameters of their own.
    "oracle": _Dialect("oracle.jdbc.OracleDriver", frozenset(), form=r"thin:@(//)?[\w.-]+(:\d+)?([:/][\w.$-]+)?"),
    "sqlite": _Dialect("org.sqlite.JDBC", frozenset()),
}
_HOST = re.compile(r"//([^/?;]*)|@(?://)?([^/?;]*)")


def jdbc_refusal(url: str, limits: Limits) -> str | None:
    """Why the database may not be reached, without the address, which may hold a password; None where it may."""
    scheme, _, rest = url.strip().partition(":")
    name, _, place = rest.partition(":")
    kind = name.lower()
    if scheme.lower() != "jdbc" or not place:
        return "it is no JDBC address"
    if ALL not in limits.jdbc and kind not in limits.jdbc:
        return f"databases of the kind {name} are not among {JDBC}"
    dialect = _DIALECTS.get(kind)
    if dialect is None:
        return None
    if kind == "sqlite":
        return _file_refusal(place, limits)
    before, mark, after = place.partition(dialect.mark)
    if re.fullmatch(dialect.form, before) is None:
        return f"an address of {kind} must have its usual form"
    given = [part.partition("=")[0].strip() for part in after.split(dialect.between) if part.strip()] if mark else []
    unknown = [each for each in given if each.lower() not in dialect.parameters]
    if unknown:
        return f"the parameter {unknown[0]} of {kind} is not among those that are taken from a connector"
    return _host_refusal(before)


def driver_refusal(driver: str, url: str) -> str | None:
    """A driver's class is taken where it is the usual one of the address."""
    kind = url.strip().partition(":")[2].partition(":")[0].lower()
    dialect = _DIALECTS.get(kind)
    if dialect is not None and driver.strip() == dialect.driver:
        return None
    return f"the driver {driver} is not the one of this kind of address"


def _file_refusal(place: str, limits: Limits) -> str | None:
    path, mark, _ = place.partition("?")
    if path.startswith((":", "file:")) or mark:
        return "an address of sqlite must be the path of a file, and no more"
    return path_refusal(path, limits)


def _host_refusal(before: str) -> str | None:
    found = _HOST.search(before)
    hosts = [] if found is None else (found[1] or found[2] or "").split(",")
    for each in hosts:
        host = each.rpartition("@")[2].strip().strip("[]")
        host = host if host.count(":") > 1 else host.partition(":")[0]
        try:
            if address_class(host) is None:
                return f"{host} is not an address for connectors"
        except ValueError:
            continue
    return None

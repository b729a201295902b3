"""Spark's own pages (jobs, stages, streaming queries), where `spark.ui.enabled=true` asks for them.

They are without login, so what they may do is narrowed: nobody ends a job or stage from them, and on this machine they
are bound to loopback and answer to no name but loopback's. Spark itself looks at no `Host`: a page of any site, whose
name is pointed at 127.0.0.1 once it is loaded, could read statements, plans and settings there.
"""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# A port of its own for each child, whichever is free.
CHILD_DEFAULTS = {"spark.ui.port": "0", "spark.ui.killEnabled": "false"}
# A part of a virtual host in Jetty's words: the connector that Spark has all its pages on.
_CONNECTOR = "@Spark"
_LOOPBACK_NAMES = ("127.0.0.1", "localhost", "[::1]")


def open_web_ui(session: SparkSession, master: str) -> str | None:
    """The address; None where there are no pages, or they are not this driver's (Spark Connect)."""
    if master.startswith("sc://"):
        return None
    context = session.sparkContext
    address: str | None = context.uiWebUrl
    if address is not None and _is_loopback(address):
        _answer_to(context, _LOOPBACK_NAMES)
    return address


def _is_loopback(address: str) -> bool:
    host = urlsplit(address).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _answer_to(context: Any, names: tuple[str, ...]) -> None:
    """Other names are not found. Pages of streaming queries are there once the state that sessions share is."""
    context._jsc.sc().ui().get()
    jvm = context._jvm
    jvm.org.apache.spark.sql.SparkSession.active().sharedState()
    hosts = jvm.java.util.ArrayList()
    for name in names:
        hosts.add(f"{name}{_CONNECTOR}")
    handlers = context._jsc.sc().ui().get().getHandlers().iterator()
    while handlers.hasNext():
        handlers.next().setVirtualHosts(hosts)

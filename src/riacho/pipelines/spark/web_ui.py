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
# A virtual host in Jetty's words: a name, and the connector that Spark has all its pages on.
_LOOPBACK = ("127.0.0.1@Spark", "localhost@Spark", "[::1]@Spark")


def open_web_ui(session: SparkSession, master: str) -> str | None:
    """The address; None where there are no pages, or they are not this driver's (Spark Connect)."""
    if master.startswith("sc://"):
        return None
    address: str | None = session.sparkContext.uiWebUrl
    if address is not None and _is_loopback(address):
        _answer_to(session, _LOOPBACK)
    return address


def _is_loopback(address: str) -> bool:
    host = urlsplit(address).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _answer_to(session: SparkSession, hosts: tuple[str, ...]) -> None:
    """Whoever asks for another name finds nothing."""
    java: Any = session.sparkContext._jvm
    # Their pages are there once somebody asks for streaming queries; later ones would answer to any name.
    session._jsparkSession.streams()
    names = java.java.util.ArrayList()
    for host in hosts:
        names.add(host)
    context: Any = session.sparkContext._jsc.sc()
    handlers = context.ui().get().getHandlers().iterator()
    while handlers.hasNext():
        handler = handlers.next()
        # What has begun takes no other names.
        handler.stop()
        handler.setVirtualHosts(names)
        handler.start()

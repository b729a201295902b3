"""URLs and resource names in answers.

URLs begin with what the operator says others reach this proxy by (`advertised.listeners`, or `host.name` and `port`);
else with what the client called, as a load balancer in between reports it (`Forwarded`, `X-Forwarded-*`); else with the
request's own host. Links are wrong for nobody but the client that sent the header, so no list of trusted balancers.
"""

from __future__ import annotations

import re
from urllib.parse import quote, urlencode, urlsplit

from riacho.rest_proxy.config import ProxyConfig
from riacho.web.call import Call

_HOST = re.compile(r"[A-Za-z0-9._~\-]+(:[0-9]{1,5})?|\[[0-9A-Fa-f:.]+\](:[0-9]{1,5})?")
_PREFIX = re.compile(r"(/[A-Za-z0-9._~\-]+)*/?")
_SCHEMES = frozenset({"http", "https"})
# What may stand in a path segment besides letters and digits (RFC 3986); Java's builder leaves these too.
_SEGMENT_SAFE = ":@!$&'()*+,;=~"


def base_url(call: Call, config: ProxyConfig) -> str:
    """`http://host:port`, with the path that a balancer took away; without a slash at the end."""
    scheme, host, prefix = _asked(call)
    if config.advertised_listeners:
        same = [each for each in config.advertised_listeners if urlsplit(each).scheme == scheme]
        return (same or list(config.advertised_listeners))[0].rstrip("/") + prefix
    if config.host_name:
        return f"{scheme}://{config.host_name}:{config.port}{prefix}"
    return f"{scheme}://{host}{prefix}"


def _asked(call: Call) -> tuple[str, str, str]:
    scheme, host, prefix = call.url.scheme, call.headers.get("host", ""), ""
    forwarded = _forwarded(call.headers.get("forwarded", ""))
    proto = forwarded.get("proto") or _first(call.headers.get("x-forwarded-proto"))
    if proto.lower() in _SCHEMES:
        scheme = proto.lower()
    forwarded_host = forwarded.get("host") or _first(call.headers.get("x-forwarded-host"))
    if _HOST.fullmatch(forwarded_host):
        host = forwarded_host
        port = _first(call.headers.get("x-forwarded-port"))
        has_port = host.rpartition("]")[2].count(":") == 1
        if port.isascii() and port.isdecimal() and not has_port and port != {"http": "80", "https": "443"}[scheme]:
            host = f"{host}:{port}"
    forwarded_prefix = _first(call.headers.get("x-forwarded-prefix"))
    if _PREFIX.fullmatch(forwarded_prefix):
        prefix = forwarded_prefix.rstrip("/")
    if not _HOST.fullmatch(host):
        server = call.scope.get("server") or ("127.0.0.1", 80)
        host = f"{server[0]}:{server[1]}"
    return scheme, host, prefix


def _first(header: str | None) -> str:
    """Of a list the first: the balancer nearest to the client."""
    return (header or "").partition(",")[0].strip()


def _forwarded(header: str) -> dict[str, str]:
    """RFC 7239, of the first hop."""
    found = {}
    for pair in _first(header).split(";"):
        name, _, value = pair.partition("=")
        found[name.strip().lower()] = value.strip().strip('"')
    return found


def path(*segments: object) -> str:
    """`/a/b`, each segment percent-encoded."""
    return "".join("/" + quote(str(segment), safe=_SEGMENT_SAFE) for segment in segments)


class Links:
    """The links of one call's answer, below `/v3`."""

    def __init__(self, call: Call, config: ProxyConfig) -> None:
        self._v3 = base_url(call, config) + "/v3"

    def url(self, *segments: object) -> str:
        return self._v3 + path(*segments)

    def search(self, *segments: object, **query: str | None) -> str:
        given = {name: value for name, value in query.items() if value is not None}
        return self.url(*segments) + ("?" + urlencode(given, safe="*") if given else "")

    def related(self, *segments: object) -> dict[str, str]:
        return {"related": self.url(*segments)}


def crn(*names: object) -> str:
    """`crn:///kafka=cluster-1/topic=t/partition=0`, of names and values in turn; a name without one stands alone."""
    pairs = []
    for at in range(0, len(names), 2):
        value = names[at + 1] if at + 1 < len(names) else None
        pairs.append(str(names[at]) if value is None else f"{names[at]}={quote(str(value), safe=_SEGMENT_SAFE)}")
    return "crn:///" + "/".join(pairs)

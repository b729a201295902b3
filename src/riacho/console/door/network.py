"""Whose an address is, where callers are counted by it: of IPv6 the network of 64 bits, since one machine has as many
addresses in it as it likes."""

from __future__ import annotations

import ipaddress

_OWN_NETWORK_BITS = 64


def network_of(address: str) -> str:
    try:
        parsed = ipaddress.ip_address(address.split("%")[0])
    except ValueError:
        return address
    if isinstance(parsed, ipaddress.IPv4Address):
        return str(parsed)
    if parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return str(ipaddress.ip_network((parsed, _OWN_NETWORK_BITS), strict=False))

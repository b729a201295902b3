"""The proxy that the environment names for calls out of a closed network: `http_proxy`, `https_proxy`, `no_proxy`."""

from __future__ import annotations

import os

from riacho.client.http_target import HttpAddress, HttpTarget, address_of


def proxy_for(target: HttpTarget) -> HttpAddress | None:
    """None where the target is called directly. HttpError for a proxy that is no address."""
    if not any(name.lower().endswith("_proxy") for name in os.environ):
        return None
    # Not at the top: it takes longer to import than everything else here.
    from urllib.request import getproxies, proxy_bypass

    proxies = getproxies()
    named = proxies.get(target.scheme)
    if not named or proxy_bypass(f"{target.host}:{target.port}"):
        return None
    return address_of(named if "://" in named else f"http://{named}")


def proxy_login(proxy: HttpAddress) -> dict[str, str]:
    return {} if proxy.authorization is None else {"Proxy-Authorization": proxy.authorization}

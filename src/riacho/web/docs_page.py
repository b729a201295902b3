"""`/docs`: a page that shows `/openapi.json` and lets one try the calls. One file, nothing from elsewhere: it works
where there is no internet.
"""

from __future__ import annotations

from importlib.resources import files

# The page runs its own script and talks to its own service; nothing else.
CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; connect-src 'self'; base-uri 'none'"
)


def docs_page() -> str:
    return (files("riacho.web") / "docs_page.html").read_text(encoding="utf-8")

"""The pages: files that the front end was built into, and `index.html` for every path of its own router.

All of them are read at the start, so that nothing a caller asks for is ever looked for on disk. A file with a hash of
its contents in its name never changes and may be kept by browsers for good; the others are asked for again by ETag.
"""

from __future__ import annotations

import gzip
import hashlib
import re
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import NamedTuple

from starlette.responses import Response

from riacho.web.call import Call
from riacho.web.endpoint import Endpoint
from riacho.web.errors import not_found

_INDEX = "index.html"
_ASSETS = "assets/"
# Everything that is not a page, and keeps its path.
_SERVED = re.compile(r"/(api|health|metrics|openapi\.json|docs)(/.*)?")
_HASHED = re.compile(r".*[-.][A-Za-z0-9_-]{8,}\.[a-z0-9]+")
_TYPES = {
    "html": "text/html; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "svg": "image/svg+xml",
    "png": "image/png",
    "ico": "image/x-icon",
    "woff2": "font/woff2",
    "json": "application/json",
    "webmanifest": "application/manifest+json",
    "txt": "text/plain; charset=utf-8",
}
_KINDS = tuple(kind.partition(";")[0] for kind in _TYPES.values())
_POLICY = (
    "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "font-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
_FOR_GOOD = "public, max-age=31536000, immutable"
_ASK_AGAIN = "no-cache"
_NOT_BUILT = (
    b"<!doctype html><html lang=en><meta charset=utf-8><title>Riacho</title>"
    b"<p>The pages of the control center are not built in this checkout: see web-ui/. "
    b"Its API is described at <a href=/docs>/docs</a>."
)


def guards(policy: str) -> dict[str, str]:
    """Headers that tell browsers what not to do with an answer."""
    return {
        "Content-Security-Policy": policy,
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "DENY",
        "Referrer-Policy": "no-referrer",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
    }


class StaticFile(NamedTuple):
    body: bytes
    kind: str
    etag: str
    cache: str

    @property
    def is_text(self) -> bool:
        return not self.kind.startswith(("image/png", "image/x-icon", "font/"))


class StaticFiles:
    def __init__(self, root: Traversable | None = None) -> None:
        """`root` is the directory; None is the one in the package, which may not be built in a checkout."""
        self._files = dict(_read(root or files("riacho.console") / "static", ""))
        self._small: dict[str, bytes] = {}
        self._files.setdefault(_INDEX, _file(_INDEX, _NOT_BUILT))

    def rewrite(self, path: str) -> str:
        """The path that is routed: a page's is `/`, where the page is looked up by what was asked for."""
        return path if _SERVED.fullmatch(path) else "/"

    def endpoints(self) -> list[Endpoint]:
        async def get(call: Call) -> Response:
            return self._answer(call)

        return [
            Endpoint("GET", "/", get, "The pages of the control center.", answers={200: str}, answer_types=_KINDS,
                     is_public=True, tag="pages"),
        ]  # fmt: skip

    def _answer(self, call: Call) -> Response:
        raw: bytes = call.scope.get("raw_path") or call.scope["path"].encode()
        name = raw.decode("latin-1").lstrip("/")
        found = self._files.get(name)
        if found is None:
            if name.startswith(_ASSETS):
                # A page of an older release asks for its own: no page is what it could use.
                raise not_found()
            name, found = _INDEX, self._files[_INDEX]
        headers = {**guards(_POLICY), "ETag": found.etag, "Cache-Control": found.cache, "Vary": "Accept-Encoding"}
        if found.etag in call.headers.get("if-none-match", ""):
            return Response(status_code=304, headers=headers)
        headers["content-type"] = found.kind
        if found.is_text and "gzip" in call.headers.get("accept-encoding", ""):
            return Response(self._compressed(name, found), headers={**headers, "Content-Encoding": "gzip"})
        return Response(found.body, headers=headers)

    def _compressed(self, name: str, found: StaticFile) -> bytes:
        """Made when it is first asked for."""
        body = self._small.get(name)
        if body is None:
            body = self._small[name] = gzip.compress(found.body, mtime=0)
        return body


def _read(directory: Traversable, prefix: str) -> list[tuple[str, StaticFile]]:
    if not directory.is_dir():
        return []
    found: list[tuple[str, StaticFile]] = []
    for each in directory.iterdir():
        name = f"{prefix}{each.name}"
        if each.is_dir():
            found += _read(each, f"{name}/")
        elif each.name.rpartition(".")[2] in _TYPES:
            found.append((name, _file(name, each.read_bytes())))
    return found


def _file(name: str, body: bytes) -> StaticFile:
    etag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
    cache = _FOR_GOOD if _HASHED.fullmatch(name) else _ASK_AGAIN
    return StaticFile(body, _TYPES[name.rpartition(".")[2]], etag, cache)
